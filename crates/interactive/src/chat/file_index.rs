//! The names of all files of a folder, which are found by parts of them.
//!
//! Files that the project ignores, and hidden ones, are left out. The folder is read on a thread, when a name
//! is first asked for and again later.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use silcrow_console::edit::best_matches;

/// The names of files and folders below a folder.
#[derive(Clone, Debug)]
pub(super) struct FileIndex {
    root: PathBuf,
    state: Arc<(Mutex<IndexedNames>, Condvar)>,
}

#[derive(Debug, Default)]
struct IndexedNames {
    names: Arc<[String]>,
    /// When the names were read.
    read: Option<Instant>,
    is_reading: bool,
}

impl FileIndex {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), state: Arc::default() }
    }

    /// Returns the names that have these letters in this order, the best first. It waits a moment for a
    /// folder that is read for the first time.
    pub(super) fn similar(&self, typed: &str, most: usize) -> Vec<String> {
        let names = self.names();
        best_matches(typed, &names)
            .into_iter()
            .take(most)
            .map(|index| names[index].clone())
            .collect()
    }

    fn names(&self) -> Arc<[String]> {
        let (state, has_read) = &*self.state;
        let mut now = state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = now.read.is_none_or(|read| read.elapsed() > FRESH);
        if is_old && !now.is_reading {
            now.is_reading = true;
            let index = self.clone();
            let thread = std::thread::Builder::new().name("file names".to_owned());
            // Without a thread the names of before are offered.
            now.is_reading = thread.spawn(move || index.read()).is_ok();
        }
        if now.read.is_none() && now.is_reading {
            let first = |state: &mut IndexedNames| state.read.is_none();
            let waited = has_read.wait_timeout_while(now, PATIENCE, first);
            now = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Arc::clone(&now.names)
    }

    fn read(&self) {
        let walk = WalkBuilder::new(&self.root).require_git(false).follow_links(false).build();
        let mut names = Vec::new();
        for entry in walk.flatten().take(MOST_NAMES) {
            let Ok(path) = entry.path().strip_prefix(&self.root) else { continue };
            let Some(name) = path.to_str().filter(|name| !name.is_empty()) else { continue };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if !name.contains(char::is_control) {
                names.push(if is_folder { format!("{name}/") } else { name.to_owned() });
            }
        }
        let (state, has_read) = &*self.state;
        let mut now = state.lock().unwrap_or_else(PoisonError::into_inner);
        *now = IndexedNames { names: names.into(), read: Some(Instant::now()), is_reading: false };
        has_read.notify_all();
    }
}

/// The time after which the folder is read again.
const FRESH: Duration = Duration::from_secs(5);

/// The longest time that a key waits for the first reading.
const PATIENCE: Duration = Duration::from_millis(100);

/// The number of names that are read.
const MOST_NAMES: usize = 100_000;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn file_names_match_letters_and_respect_ignores() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("src/parser")).unwrap();
        fs::create_dir_all(root.join("target")).unwrap();
        for name in
            ["src/parser/main_loop.rs", "src/lib.rs", "target/main_loop.o", ".hidden", "a b"]
        {
            fs::write(root.join(name), "").unwrap();
        }
        fs::write(root.join(".gitignore"), "target/\n").unwrap();
        let index = FileIndex::new(root);
        index.read();
        assert_eq!(index.similar("mloop", 9), ["src/parser/main_loop.rs"]);
        assert_eq!(index.similar("parser", 9)[0], "src/parser/");
        assert_eq!(index.similar("hidden", 9), [""; 0]);
        assert_eq!(index.similar("a b", 1), ["a b"]);
    }
}
