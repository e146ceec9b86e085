//! Conversations that runs of this machine hold, and orders to these runs.
//!
//! ```text
//! DIR/holds/HASH         which process runs a conversation; the kernel locks it for that process
//! DIR/holds/HASH.orders  orders to the run, a line each, with the number of its hold before them
//! ```
//!
//! The lock ends with its process, so a file that nobody locks says nothing. Where that file cannot be
//! made, only the runs of this process keep each other out: the heads of the logs still say who was
//! first.
//!
//! A hold that is dropped ends when what its owner has asked to be written is written: the next owner
//! reads a head that nobody before it still moves.

mod note;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sha2::{Digest as _, Sha256};
use silcrow_store::{
    Error, ErrorKind, HeldConversation, HeldRun, Hold, Holder, MAX_ORDER, ProcessHolds, SharedRuns,
    validate,
};
use tokio::time::{Duration, sleep};

use self::note::{HoldNote, MOST, own_process};
use crate::fault::failed;
use crate::file_identity::FileIdentity;
use crate::writer::{Writer, WriterSlot};
use crate::{file, names, trust};

/// The runs of all processes of a store.
#[derive(Debug)]
pub(crate) struct LogRuns {
    dir: PathBuf,
}

/// A conversation that this process holds.
struct LogHold {
    /// `None` once it is over.
    file: Option<HeldFile>,
    /// The file of its orders, which is looked for several times a second.
    orders: PathBuf,
    number: String,
    /// How much of the orders was read, in bytes.
    read: AtomicU64,
    /// What the owner writes with.
    writer: Weak<WriterSlot>,
}

/// The locked file of a conversation. Dropping it ends the hold.
struct HeldFile {
    file: File,
    path: PathBuf,
}

/// Takes a conversation, unless a run has it.
///
/// # Errors
///
/// [`Locked`](ErrorKind::Locked) if a run has it, in this or another process.
pub(crate) async fn hold(
    dir: &Path,
    conversation: &str,
    writer: Weak<WriterSlot>,
) -> Result<Hold, Error> {
    validate::name("conversation id", conversation)?;
    for _ in 0..TRIES {
        match locked(dir, conversation, &writer) {
            Ok(Some(held)) => return Ok(Hold::new(held)),
            Ok(None) => {}
            Err(_) => {
                let place = format!("{} {conversation}", dir.display());
                return UNLOCKED.hold(&place).map_err(|_| running(conversation, "this process"));
            }
        }
        if let Some(note) = HoldNote::read(&path(dir, conversation)) {
            return Err(running(conversation, &note.name()));
        }
        // Somebody has only looked who holds it.
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
        let is_there = FileIdentity::of(&file)?.is_at(&path);
        if !is_there.map_err(|error| io::Error::other(error.to_string()))? {
            continue;
        }
        let _ = fs::remove_file(orders(&path));
        let number = format!("{}-{}", own_process(), NEXT.fetch_add(1, Ordering::Relaxed));
        file.set_len(0)?;
        file.write_all(note::text(&number, conversation).as_bytes())?;
        let (orders, held) = (orders(&path), HeldFile { file, path });
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
    /// Returns what the owner writes with, if it has written and its store is open.
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
        // The file is still locked, so nobody else holds it. What is left says nothing.
        let _ = fs::remove_file(orders(&self.path));
        let _ = fs::remove_file(&self.path);
        // Closing the file would not do: a child that is being started has a copy of it.
        let _ = self.file.unlock();
    }
}

impl LogRuns {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }
}

impl SharedRuns for LogRuns {
    fn holder<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Option<Holder>, Error>> {
        async move {
            validate::name("conversation id", conversation)?;
            let note = HoldNote::read(&path(&self.dir, conversation));
            Ok(note.filter(|note| !note.is_own()).map(HoldNote::holder))
        }
        .boxed()
    }

    fn held(&self) -> BoxFuture<'_, Result<Vec<HeldRun>, Error>> {
        async move {
            let folder = self.dir.join(names::HOLDS);
            let names = file::names(&folder)?;
            let notes = names.iter().filter(|name| !name.contains('.'));
            let notes = notes.filter_map(|name| HoldNote::read(&folder.join(name)));
            let others = notes.filter(|note| !note.is_own());
            let held = others.map(|note| HeldRun {
                conversation: note.conversation.clone(),
                user: None,
                holder: note.holder(),
            });
            Ok(held.collect())
        }
        .boxed()
    }

    fn order<'a>(
        &'a self,
        conversation: &'a str,
        order: &'a str,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        async move {
            validate::name("conversation id", conversation)?;
            if order.len() > MAX_ORDER || order.contains('\n') {
                let why = format!("an order is one line of at most {MAX_ORDER} bytes");
                return Err(Error::new(ErrorKind::Refused, why));
            }
            let path = path(&self.dir, conversation);
            let Some(note) = HoldNote::read(&path) else { return Ok(false) };
            let path = orders(&path);
            let wrong = |error| failed("writing", &path, error);
            let mut options = trust::open_options();
            let mut file = options.append(true).create(true).open(&path).map_err(wrong)?;
            if file.metadata().map_err(wrong)?.len() > MOST {
                let why = "too many orders wait for the run; its process does not take them";
                return Err(Error::new(ErrorKind::Refused, why));
            }
            file.write_all(format!("{} {order}\n", note.number).as_bytes()).map_err(wrong)?;
            Ok(true)
        }
        .boxed()
    }
}

/// Returns the path of the file of a conversation, whose id may have any character.
fn path(dir: &Path, conversation: &str) -> PathBuf {
    let hash = Sha256::digest(conversation.as_bytes());
    let name = hash.iter().take(16).fold(String::new(), |name, byte| format!("{name}{byte:02x}"));
    dir.join(names::HOLDS).join(name)
}

fn orders(path: &Path) -> PathBuf {
    path.with_extension("orders")
}

/// How often it is tried to lock a file that others look at.
const TRIES: u32 = 100;

/// The conversations that runs of this process hold without a file.
static UNLOCKED: LazyLock<ProcessHolds> = LazyLock::new(ProcessHolds::new);

/// The number of the next hold of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The time between two looks for orders.
const PAUSE: Duration = Duration::from_millis(150);
