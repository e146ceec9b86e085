use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use silcrow_exec::{Cancel, Output};

use crate::root::Root;
use crate::search::Query;
use crate::tell;

/// A search through files, in the order of their paths, within bounds.
pub(crate) struct Walk<'a> {
    root: &'a Root,
    query: &'a Query,
    cancel: &'a Cancel,
    hits: Vec<String>,
    /// Files with a hit.
    found_in: usize,
    files: usize,
    folders: usize,
    /// Entries, those that went away meanwhile among them.
    unreadable: usize,
    /// Bytes that may still be read.
    left: u64,
    stopped: Option<&'static str>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(root: &'a Root, query: &'a Query, cancel: &'a Cancel) -> Self {
        Self {
            root,
            query,
            cancel,
            hits: Vec::new(),
            found_in: 0,
            files: 0,
            folders: 0,
            unreadable: 0,
            left: MAX_BYTES,
            stopped: None,
        }
    }

    /// Searches the folder or file at `path`, which may be a link; further links are not
    /// followed.
    pub(crate) fn search(mut self, path: &str) -> Self {
        // The next path is the last one.
        let mut paths = Vec::new();
        if self.enter(Path::new(path), &mut paths).is_err() {
            self.unreadable += 1;
        }
        while let Some(path) = paths.pop() {
            if self.cancel.is_triggered() {
                self.stopped = Some("the call was cancelled");
            }
            if self.stopped.is_some() {
                break;
            }
            let kind = self.root.dir().symlink_metadata(&path).map(|at| at.file_type());
            let done = match kind {
                Ok(kind) if kind.is_dir() && left_out(&path) => Ok(()),
                Ok(kind) if kind.is_dir() || kind.is_file() => self.enter(&path, &mut paths),
                Ok(_) => Ok(()),
                Err(error) => Err(error),
            };
            if done.is_err() {
                self.unreadable += 1;
            }
        }
        self
    }

    /// The hits and what was left out, for the model.
    pub(crate) fn told(self) -> Output {
        let hits = tell::count(self.hits.len(), "hit", "hits");
        let files = tell::count(self.files, "file", "files");
        let summary = match self.hits.len() {
            0 => format!("no hits in {files}"),
            _ => format!("{hits} in {}", tell::count(self.found_in, "file", "files")),
        };
        let mut lines = self.hits;
        if lines.is_empty() {
            lines.push(format!("[nothing found in {files}]"));
        }
        if self.unreadable > 0 {
            let unreadable = tell::count(self.unreadable, "entry", "entries");
            lines.push(format!("[{unreadable} could not be read]"));
        }
        if let Some(why) = self.stopped {
            lines.push(format!("[stopped early: {why}; search a smaller folder or a rarer text]"));
        }
        Output::new(summary, lines.join("\n"))
    }

    /// Searches a file, or puts what is in a folder on the paths.
    fn enter(&mut self, path: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
        let (file, metadata) = self.root.peek(path)?;
        if metadata.is_file() {
            return self.file(path, file);
        }
        if !metadata.is_dir() {
            return Ok(());
        }
        if self.folders == MAX_FILES {
            self.stopped = Some("10000 folders are entered");
            return Ok(());
        }
        self.folders += 1;
        let mut names = Vec::new();
        for entry in self.root.dir().read_dir(path)? {
            names.push(entry?.file_name());
        }
        names.sort_unstable();
        // What the model named is not repeated if it is `.`.
        let path = if path == Path::new(".") { Path::new("") } else { path };
        paths.extend(names.iter().rev().map(|name| path.join(name)));
        Ok(())
    }

    fn file(&mut self, path: &Path, file: impl io::Read) -> io::Result<()> {
        if self.files == MAX_FILES {
            self.stopped = Some("10000 files are searched");
            return Ok(());
        }
        self.files += 1;
        let mut reader = BufReader::with_capacity(MAX_SNIFFED, file.take(self.left));
        let start = reader.fill_buf()?;
        if is_binary(start) {
            self.left -= start.len() as u64;
            return Ok(());
        }
        let path = tell::plain(&path.to_string_lossy());
        let before = self.hits.len();
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)?;
            self.left -= read as u64;
            if read == 0 {
                break;
            }
            let Some(excerpt) = self.query.excerpt(&String::from_utf8_lossy(&line)) else {
                continue;
            };
            if self.hits.len() == MAX_HITS {
                self.stopped = Some("there are more than 100 hits");
                break;
            }
            self.hits.push(format!("{path}:{number}: {excerpt}"));
        }
        self.found_in += usize::from(self.hits.len() > before);
        if self.left == 0 {
            self.stopped = Some("64 MiB are read");
        }
        Ok(())
    }
}

/// Hits given.
const MAX_HITS: usize = 100;

/// Files looked into; folders too.
const MAX_FILES: usize = 10_000;

/// Bytes read.
const MAX_BYTES: u64 = 64 << 20;

/// Bytes at the beginning of a file that tell whether it is text.
const MAX_SNIFFED: usize = 8 << 10;

/// Folders that hold what others made.
const LEFT_OUT: [&str; 3] = [".git", "target", "node_modules"];

fn left_out(path: &Path) -> bool {
    path.file_name().and_then(OsStr::to_str).is_some_and(|name| LEFT_OUT.contains(&name))
}

/// Text has no NUL and is UTF-8, but for a last character that is cut.
fn is_binary(start: &[u8]) -> bool {
    start.contains(&0) || str::from_utf8(start).is_err_and(|error| error.error_len().is_some())
}
