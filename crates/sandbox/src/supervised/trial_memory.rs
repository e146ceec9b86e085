//! A file that records the roots in which all layers held since the machine started.
//!
//! Its contents only delay a trial: a program that writes to the file can make the first command
//! fail, and nothing else. So it needs no protection, and errors of reading or writing it are
//! ignored.

use std::fs::{self, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::level::SandboxLayers;
use crate::system;

/// The file, with a line for each root.
#[derive(Clone, Debug)]
pub(crate) struct TrialMemory {
    file: PathBuf,
}

impl TrialMemory {
    pub(crate) const fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// Returns whether these layers held in a root since the machine started.
    pub(crate) fn has(&self, layers: SandboxLayers, root: &Path) -> bool {
        let Ok(kept) = fs::read_to_string(&self.file) else { return false };
        line(layers, root).is_some_and(|line| kept.lines().any(|one| one == line))
    }

    /// Remembers that these layers hold in a root.
    pub(crate) fn keep(&self, layers: SandboxLayers, root: &Path) {
        let Some(line) = line(layers, root) else { return };
        let kept = fs::read_to_string(&self.file).unwrap_or_default();
        let others: Vec<_> = kept.lines().filter(|one| *one != line).collect();
        let first = others.len().saturating_sub(MOST);
        let lines: Vec<_> = others[first..].iter().copied().chain([&*line]).collect();
        // Without it, the next start takes a few milliseconds longer.
        let _ = self.write(&format!("{}\n", lines.join("\n")));
    }

    /// Forgets all trials.
    pub(crate) fn forget(&self) {
        let _ = fs::remove_file(&self.file);
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let new = self.file.with_extension(format!("new-{}", system::own_id()));
        let mut options = OpenOptions::new();
        // It is a new file, so no link is followed.
        let mut file = options.write(true).create_new(true).mode(0o600).open(&new)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| fs::rename(&new, &self.file));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }
}

/// Returns the line for layers that hold in a root: a hash of everything that affects the outcome
/// of a trial. It is `None` if the start of the machine has no id.
fn line(layers: SandboxLayers, root: &Path) -> Option<String> {
    let mut hasher = DefaultHasher::new();
    fs::read_to_string(BOOT_ID).ok()?.hash(&mut hasher);
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    rustix::process::geteuid().as_raw().hash(&mut hasher);
    for namespace in ["user", "mnt", "pid", "net"] {
        fs::read_link(format!("/proc/self/ns/{namespace}")).ok()?.hash(&mut hasher);
    }
    // Another sandbox around this program.
    fs::read_to_string("/proc/self/attr/current").ok().hash(&mut hasher);
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let is_of_rights = |line: &&str| RIGHTS.iter().any(|name| line.starts_with(name));
    status.lines().filter(is_of_rights).for_each(|line| line.hash(&mut hasher));
    root.hash(&mut hasher);
    let marks = [(layers.landlock, 'l'), (layers.seccomp, 's'), (layers.namespaces, 'n')];
    let marks: String = marks.iter().filter(|(is_on, _)| *is_on).map(|(_, mark)| mark).collect();
    Some(format!("{marks} {:016x}", hasher.finish()))
}

/// A text that differs after each start of the machine.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// The lines of a process's status that describe its rights.
const RIGHTS: [&str; 4] = ["CapEff:", "CapBnd:", "NoNewPrivs:", "Seccomp"];

/// The number of other roots that are remembered.
const MOST: usize = 63;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_remembered_per_root_until_evicted() {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = TrialMemory::new(folder.path().join("trials"));
        let (all, root) = (SandboxLayers::ALL, Path::new("/a"));
        assert!(!memory.has(all, root));
        memory.keep(all, root);
        memory.keep(all, root);
        assert!(memory.has(all, root) && !memory.has(all, Path::new("/b")));
        assert!(!memory.has(SandboxLayers { namespaces: false, ..all }, root));
        for number in 0..MOST {
            memory.keep(all, &Path::new("/roots").join(number.to_string()));
        }
        assert!(memory.has(all, root));
        memory.keep(all, Path::new("/b"));
        assert!(memory.has(all, Path::new("/b")) && !memory.has(all, root));
        memory.forget();
        assert!(!memory.has(all, Path::new("/b")));
        assert_eq!(fs::read_dir(folder.path()).expect("the folder is there").count(), 0);
    }

    #[test]
    fn missing_folder_is_not_an_error() {
        let memory = TrialMemory::new(PathBuf::from("/nonexistent/trials"));
        memory.keep(SandboxLayers::ALL, Path::new("/a"));
        memory.forget();
        assert!(!memory.has(SandboxLayers::ALL, Path::new("/a")));
    }
}
