//! The file of a hold: the process that has a conversation, and its hold.

use std::fs::{self, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Read as _;
use std::path::Path;
use std::process;
use std::sync::LazyLock;

use silcrow_store::Holder;

use crate::trust;

/// The contents of a hold's file.
pub(crate) struct HoldNote {
    /// The number of the process, in its own namespace.
    process: u32,
    /// A number that no other hold of the store has. It begins with the number of its process.
    pub(crate) number: String,
    pub(crate) conversation: String,
}

impl HoldNote {
    /// Reads the file of a conversation; `None` if no process has locked it.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let file = trust::open_options().read(true).open(path).ok()?;
        if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            let _ = file.unlock();
            return None;
        }
        let mut text = String::new();
        file.take(MOST).read_to_string(&mut text).ok()?;
        let mut words = text.splitn(3, ' ');
        let process = words.next()?.parse().ok()?;
        let (number, conversation) = (words.next()?.to_owned(), words.next()?.to_owned());
        Some(Self { process, number, conversation })
    }

    /// Returns whether this process has the hold. Another process may have the same number, in
    /// another namespace.
    pub(crate) fn is_own(&self) -> bool {
        self.number.rsplit_once('-').is_some_and(|(process, _)| process == own_process())
    }

    pub(crate) fn name(&self) -> String {
        if self.is_own() {
            return "this process".to_owned();
        }
        let parts: Vec<&str> = self.number.split('-').collect();
        match parts[..] {
            [_, namespace, _] if namespace != own_namespace() => {
                format!("process {} of another container", self.process)
            }
            _ => format!("process {}", self.process),
        }
    }

    pub(crate) fn holder(self) -> Holder {
        Holder { name: self.name(), address: None }
    }
}

/// Returns the contents of a hold's file for this process and this number.
pub(crate) fn text(number: &str, conversation: &str) -> String {
    format!("{} {number} {conversation}", process::id())
}

/// Returns a text that no other process has, in any namespace: a random number, and the namespace
/// of its process number.
pub(crate) fn own_process() -> &'static str {
    static OWN: LazyLock<String> = LazyLock::new(|| {
        let random = RandomState::new().build_hasher().finish();
        format!("{random:016x}-{}", own_namespace())
    });
    &OWN
}

/// Returns the namespace of this process's number; empty on a system without namespaces.
fn own_namespace() -> &'static str {
    static OWN: LazyLock<String> = LazyLock::new(|| {
        let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        // `pid:[4026531836]`
        let digits = |char: &char| char.is_ascii_digit();
        link.to_string_lossy().chars().filter(digits).collect()
    });
    &OWN
}

/// The maximum length of a file that is read, in bytes.
pub(crate) const MOST: u64 = 256 << 10;
