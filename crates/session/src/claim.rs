//! Runs that are at work: which process runs a conversation, and where.
//!
//! ```text
//! STORE/active/HASH   a file for each conversation that a process runs, which locks it
//! ```
//!
//! The lock ends with its process, so an unlocked file means nothing. The store needs no lock: it
//! compares heads. This module tells people where the other run is.

mod worker;

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use silcrow_event::Timestamp;
use silcrow_history::absolute;
use silcrow_sanitize::sanitize_line;
use silcrow_settings::owned;
use silcrow_system::{SystemFolder as _, SystemMetadata as _, SystemOpen as _};
use silcrow_term::fit::shortened;

use crate::error::{Error, ErrorKind};
use crate::host::SessionHost;
use crate::machine::machine_name;
use crate::store::{OTHER_STORE, StorePlace};

/// The claim of a process on a conversation, which ends with this value.
///
/// ```
/// use std::path::Path;
///
/// use silcrow_session::claim::ActiveRun;
/// use silcrow_session::{ErrorKind, StorePlace};
///
/// # let folder = std::env::temp_dir().join(format!("silcrow-claim-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let place = StorePlace::choose(Some(&folder))?;
/// let run = ActiveRun::claim(&place, "c1", Path::new("."), "Fix the build.")?;
/// assert!(run.is_some());
/// // Whoever claims the conversation now learns where it runs.
/// let error = ActiveRun::claim(&place, "c1", Path::new("."), "And the docs.").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Active);
/// drop(run);
/// assert!(ActiveRun::claim(&place, "c1", Path::new("."), "And the docs.").is_ok());
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<_, silcrow_session::Error>(())
/// ```
#[derive(Debug)]
pub struct ActiveRun {
    path: PathBuf,
    /// Holds the lock.
    _file: File,
}

/// The process that runs a conversation, as its file names it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ActiveProcess {
    pid: u32,
    /// The namespace of the process number, on systems that have process namespaces.
    pid_namespace: Option<String>,
    host: String,
    terminal: Option<String>,
    folder: Option<String>,
    /// The first words of the prompt that it answers, or an empty text.
    prompt: String,
    /// The address of a server, such as `http://127.0.0.1:4180`.
    address: Option<String>,
    /// In seconds since 1970.
    since: u64,
}

/// The outcome of an attempt to claim a conversation.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a conversation is free or taken")]
pub enum ClaimAttempt {
    /// The conversation is claimed. A store in memory needs no claim.
    Claimed(Option<ActiveRun>),
    /// Another process runs it.
    Taken(ActiveProcess),
}

impl ActiveRun {
    /// Claims a conversation for a run in the folder `root` that answers a prompt.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Active`] if another process runs it, with its location and
    /// the possible next steps.
    pub fn claim(
        place: &StorePlace,
        conversation: &str,
        root: &Path,
        prompt: &str,
    ) -> Result<Option<Self>, Error> {
        match Self::attempt(place, conversation, root, prompt)? {
            ClaimAttempt::Claimed(run) => Ok(run),
            ClaimAttempt::Taken(other) => Err(other.error(conversation)),
        }
    }

    /// Claims a conversation once no other process runs it. A notice says where the other process
    /// is.
    ///
    /// # Errors
    ///
    /// Returns an error if the store's folder cannot be written.
    pub async fn wait(
        place: &StorePlace,
        conversation: &str,
        root: &Path,
        prompt: &str,
        host: &dyn SessionHost,
    ) -> Result<Option<Self>, Error> {
        let mut says = true;
        loop {
            match Self::attempt(place, conversation, root, prompt)? {
                ClaimAttempt::Claimed(run) => return Ok(run),
                ClaimAttempt::Taken(other) => {
                    if std::mem::take(&mut says) {
                        host.notice(&format!("waiting for {}", other.place()));
                    }
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Claims a conversation unless another process runs it.
    pub fn attempt(
        place: &StorePlace,
        conversation: &str,
        root: &Path,
        prompt: &str,
    ) -> Result<ClaimAttempt, Error> {
        Self::attempt_as(place, conversation, &ActiveProcess::this(root, prompt))
    }

    /// Claims a conversation for a server in the folder `root`, unless another process runs it.
    pub fn attempt_at(
        place: &StorePlace,
        conversation: &str,
        root: &Path,
        address: Option<&str>,
    ) -> Result<ClaimAttempt, Error> {
        let this = ActiveProcess::this(root, "");
        let process = ActiveProcess { address: address.map(str::to_owned), ..this };
        Self::attempt_as(place, conversation, &process)
    }

    fn attempt_as(
        place: &StorePlace,
        conversation: &str,
        process: &ActiveProcess,
    ) -> Result<ClaimAttempt, Error> {
        let Some(store) = place.folder() else { return Ok(ClaimAttempt::Claimed(None)) };
        attempt(store, conversation, process).map_err(|error| unreachable(store, &error))
    }

    /// Returns the process that runs a conversation, or `None` if none does.
    pub fn find(store: &Path, conversation: &str) -> Option<ActiveProcess> {
        let mut file = File::open(path(store, conversation)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(ActiveProcess::read(&mut file)),
            _ => None,
        }
    }
}

impl Drop for ActiveRun {
    fn drop(&mut self) {
        // The file is still locked, so no other process holds it. The remaining contents mean
        // nothing.
        let _ = fs::remove_file(&self.path);
    }
}

impl ActiveProcess {
    /// Returns this process, which works in a folder.
    fn this(root: &Path, prompt: &str) -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self {
            pid: std::process::id(),
            pid_namespace: pid_namespace(),
            host: machine_name(),
            terminal: terminal(),
            folder: absolute(root),
            prompt: shortened(prompt.trim(), PROMPT),
            address: None,
            since: since.as_secs(),
        }
    }

    /// Reads the readable part of a file.
    fn read(file: &mut File) -> Self {
        let mut text = String::new();
        let read = file.take(MAX_LENGTH).read_to_string(&mut text);
        read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Describes the place of the process.
    pub fn place(&self) -> String {
        if self.pid == 0 {
            return "another process".to_owned();
        }
        let mut place = match &self.address {
            Some(address) => format!("the server {}, process {}", sanitize_line(address), self.pid),
            None => format!("process {}", self.pid),
        };
        if self.pid_namespace.is_some() && self.pid_namespace != pid_namespace() {
            // Its number belongs to another process here, or to none.
            place += " of another container";
        }
        if self.host != machine_name() {
            let _ = write!(place, " on {}", sanitize_line(&self.host));
        }
        match &self.terminal {
            Some(terminal) => {
                let _ = write!(place, " at {}", sanitize_line(terminal));
            }
            None => place += " without a terminal",
        }
        if let Some(folder) = &self.folder {
            let _ = write!(place, ", in {}", sanitize_line(folder));
        }
        let nanos = self.since.saturating_mul(1_000_000_000);
        let since = Timestamp::from_nanos(i64::try_from(nanos).unwrap_or(i64::MAX));
        match &*silcrow_history::age(since, SystemTime::now().into()) {
            "now" => {}
            age => {
                let _ = write!(place, ", begun {age}");
            }
        }
        place
    }

    /// Describes the place of the process and its work.
    pub fn description(&self) -> String {
        match &*self.prompt {
            "" => self.place(),
            prompt => format!("{}, on the prompt \"{}\"", self.place(), sanitize_line(prompt)),
        }
    }

    /// Returns the error of a run that would have to wait, with the possible next steps.
    pub fn error(&self, conversation: &str) -> Error {
        Error::new(
            ErrorKind::Active,
            format!(
                "conversation {conversation} is at work elsewhere: {}; watch it with silcrow log show \
             {conversation} --follow, send it your prompt with --steer, wait for it with --wait, branch \
             off with silcrow run --fork {conversation}, or stop it with silcrow runs stop \
             {conversation}",
                self.description()
            ),
        )
    }
}

fn attempt(store: &Path, conversation: &str, process: &ActiveProcess) -> io::Result<ClaimAttempt> {
    let path = path(store, conversation);
    make_store(store)?;
    owned::make_folder(&store.join(FOLDER))?;
    loop {
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).private();
        let mut file = options.without_links().open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Ok(ClaimAttempt::Taken(ActiveProcess::read(&mut file)));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The process that held it may have removed the file since it was opened here.
        let is_there = fs::metadata(&path)
            .is_ok_and(|there| file.metadata().is_ok_and(|own| own.identity() == there.identity()));
        if !is_there {
            continue;
        }
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(serde_json::to_string(process)?.as_bytes())?;
        return Ok(ClaimAttempt::Claimed(Some(ActiveRun { path, _file: file })));
    }
}

/// Makes the folder of the store, unless it exists, as the first change of the store would.
fn make_store(store: &Path) -> io::Result<()> {
    match DirBuilder::new().private().recursive(true).create(store) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Returns the path of the file of a conversation. Its id may have any character.
fn path(store: &Path, conversation: &str) -> PathBuf {
    let hash = Sha256::digest(conversation.as_bytes());
    let name = hash.iter().take(16).fold(String::new(), |name, byte| format!("{name}{byte:02x}"));
    store.join(FOLDER).join(name)
}

fn unreachable(store: &Path, error: &io::Error) -> Error {
    let why = format!("cannot keep conversations in {}: {error}", store.display());
    Error::failed(why).with_way_on(OTHER_STORE)
}

/// Returns the namespace of this process's number.
fn pid_namespace() -> Option<String> {
    fs::read_link("/proc/self/ns/pid").ok()?.into_os_string().into_string().ok()
}

/// Returns the terminal of this process, or `None` for a process without one.
fn terminal() -> Option<String> {
    let links = (0..3).filter_map(|number| fs::read_link(format!("/proc/self/fd/{number}")).ok());
    let names = links.filter_map(|path| path.into_os_string().into_string().ok());
    names.into_iter().find(|name| name.starts_with("/dev/pts/") || name.starts_with("/dev/tty"))
}

const FOLDER: &str = "active";

/// The number of characters of a prompt that others read.
const PROMPT: usize = 60;

/// The maximum length of a file, in bytes.
const MAX_LENGTH: u64 = 16 << 10;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(200);
