//! Conversations that runs of this machine hold, and orders to these runs.
//!
//! ```text
//! DIR/holds/HASH         which process runs a conversation; the kernel locks it for that process
//! DIR/holds/HASH.orders  orders to the run, a line each, with the number of its hold before them
//! ```
//!
//! The lock ends with its process, so an unlocked file means nothing. If that file cannot be made,
//! only the runs of this process exclude each other: the heads of the logs still show who was
//! first.
//!
//! A dropped hold ends when its owner's pending writes are done: the next owner reads a head that
//! no earlier owner still moves.

pub(crate) mod note;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sha2::{Digest as _, Sha256};
use silcrow_store::{Error, ErrorKind, HeldConversation, Hold, ProcessHolds, validate};
use tokio::time::{Duration, sleep};

use self::note::{HoldNote, MOST, own_process};
use crate::file_identity::FileIdentity;
use crate::offer::OfferFile;
use crate::writer::{Writer, WriterSlot};
use crate::{names, trust};

/// A conversation that this process holds.
struct LogHold {
    /// `None` once it is over.
    file: Option<HeldFile>,
    /// The file of its orders, which is checked several times a second.
    orders: PathBuf,
    number: String,
    /// The number of bytes of the orders that were read.
    read: AtomicU64,
    /// The owner's access for writing.
    writer: Weak<WriterSlot>,
}

/// The locked file of a conversation. Dropping it ends the hold.
struct HeldFile {
    file: File,
    path: PathBuf,
    /// The folder of the store, if others continue the run when this process is gone.
    continued_in: Option<PathBuf>,
}

/// Takes a conversation, unless a run has it. An offer of its run to others ends with that, unless this
/// process continues such runs.
///
/// # Errors
///
/// [`Locked`](ErrorKind::Locked) if a run has it, in this or another process.
pub(crate) async fn hold(
    dir: &Path,
    conversation: &str,
    writer: Weak<WriterSlot>,
    is_worker: bool,
) -> Result<Hold, Error> {
    validate::name("conversation id", conversation)?;
    for _ in 0..TRIES {
        match locked(dir, conversation, &writer) {
            Ok(Some(mut held)) => {
                held.take_offer(dir, conversation, is_worker);
                return Ok(Hold::new(held));
            }
            Ok(None) => {}
            Err(_) => {
                let place = format!("{} {conversation}", dir.display());
                return UNLOCKED.hold(&place).map_err(|_| running(conversation, "this process"));
            }
        }
        if let Some(note) = HoldNote::read(&path(dir, conversation)) {
            return Err(running(conversation, &note.name()));
        }
        // Somebody has only looked up the holder.
        tokio::task::yield_now().await;
    }
    Err(running(conversation, "another process"))
}

fn running(conversation: &str, who: &str) -> Error {
    let why = format!(
        "conversation {conversation:?} is running in {who}; wait until it has ended, or stop it there"
    );
    Error::new(ErrorKind::Locked, why)
}

/// Locks the file of a conversation; `None` if it is locked.
fn locked(
    dir: &Path,
    conversation: &str,
    writer: &Weak<WriterSlot>,
) -> io::Result<Option<LogHold>> {
    let path = path(dir, conversation);
    trust::new_folder().recursive(true).create(dir.join(names::HOLDS))?;
    loop {
        let mut options = trust::open_options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The process that held it may have removed the file since it was opened here.
        let is_there = FileIdentity::from_file(&file)?.is_at(&path);
        if !is_there.map_err(|error| io::Error::other(error.to_string()))? {
            continue;
        }
        let _ = fs::remove_file(orders(&path));
        let number = format!("{}-{}", own_process(), NEXT.fetch_add(1, Ordering::Relaxed));
        file.set_len(0)?;
        file.write_all(note::text(&number, conversation).as_bytes())?;
        let (orders, held) = (orders(&path), HeldFile { file, path, continued_in: None });
        let (read, writer) = (AtomicU64::new(0), Weak::clone(writer));
        return Ok(Some(LogHold { file: Some(held), orders, number, read, writer }));
    }
}

impl HeldConversation for LogHold {
    fn lost(&self) -> BoxFuture<'_, ()> {
        std::future::pending().boxed()
    }

    fn is_lost(&self) -> bool {
        false
    }

    fn next_order(&self) -> BoxFuture<'_, String> {
        async move {
            loop {
                if let Some(order) = self.take_order() {
                    return order;
                }
                sleep(PAUSE).await;
            }
        }
        .boxed()
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, ()> {
        async move {
            if let Some(writer) = self.writer() {
                writer.finish().await;
            }
            drop(self);
        }
        .boxed()
    }
}

impl LogHold {
    /// Takes the run if it was offered. Does nothing if the file cannot be changed: the next process to take
    /// the run finds it answered or held.
    fn take_offer(&mut self, dir: &Path, conversation: &str, is_worker: bool) {
        let Ok(Some(mut offered)) = OfferFile::find(dir, &name(conversation)) else { return };
        if !is_worker {
            let _ = offered.remove();
            return;
        }
        let _ = offered.change(|offer| (offer.is_held, offer.due) = (true, None));
        if let Some(file) = &mut self.file {
            file.continued_in = Some(dir.to_owned());
        }
    }

    /// Returns the owner's access for writing, if it has written and its store is open.
    fn writer(&self) -> Option<Arc<Writer>> {
        self.writer.upgrade()?.started()
    }

    /// Returns the next order, if there is one. An order that cannot be read counts as no order.
    fn take_order(&self) -> Option<String> {
        let path = &self.orders;
        let at = self.read.load(Ordering::Relaxed);
        if fs::metadata(path).ok()?.len() <= at {
            return None;
        }
        let mut file = trust::open_options().read(true).open(path).ok()?;
        file.seek(SeekFrom::Start(at)).ok()?;
        let mut text = String::new();
        file.take(MOST).read_to_string(&mut text).ok()?;
        for line in text.split_inclusive('\n') {
            // A line is written at once, so one without an end will get it.
            let order = line.strip_suffix('\n')?;
            self.read.fetch_add(line.len() as u64, Ordering::Relaxed);
            match order.split_once(' ') {
                Some((number, order)) if number == self.number => return Some(order.to_owned()),
                _ => {}
            }
        }
        None
    }
}

impl Drop for LogHold {
    fn drop(&mut self) {
        if let (Some(file), Some(writer)) = (self.file.take(), self.writer()) {
            writer.let_go_when_written(Box::new(file));
        }
    }
}

impl Drop for HeldFile {
    fn drop(&mut self) {
        let name = self.path.file_name().and_then(|name| name.to_str());
        if let (Some(dir), Some(name)) = (&self.continued_in, name)
            && let Ok(Some(mut offered)) = OfferFile::find(dir, name)
        {
            let _ = offered.change(|offer| offer.is_held = false);
        }
        // The file is still locked, so no other process holds it. The remaining contents mean
        // nothing.
        let _ = fs::remove_file(orders(&self.path));
        let _ = fs::remove_file(&self.path);
        // Closing the file would not do: a child that is being started has a copy of it.
        let _ = self.file.unlock();
    }
}

/// Returns the path of the file of a conversation.
pub(crate) fn path(dir: &Path, conversation: &str) -> PathBuf {
    dir.join(names::HOLDS).join(name(conversation))
}

/// Returns the name of the files of a conversation, whose id may have any character.
pub(crate) fn name(conversation: &str) -> String {
    let hash = Sha256::digest(conversation.as_bytes());
    hash.iter().take(16).fold(String::new(), |name, byte| format!("{name}{byte:02x}"))
}

pub(crate) fn orders(path: &Path) -> PathBuf {
    path.with_extension("orders")
}

/// The number of attempts at locking a file that others look at.
const TRIES: u32 = 100;

/// The conversations that runs of this process hold without a file.
static UNLOCKED: LazyLock<ProcessHolds> = LazyLock::new(ProcessHolds::new);

/// The number of the next hold of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The time between two looks for orders.
const PAUSE: Duration = Duration::from_millis(150);
