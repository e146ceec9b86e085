//! The search through the files below a folder, within bounds.
//!
//! The state is the stack of folders that the walk has entered, and what it has found. The walk
//! ends when the stack is empty or a bound is reached.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{File, Metadata};
use silcrow_event::Truncation;
use silcrow_exec::{CancellationToken, ToolError, ToolOutput};

use crate::encoding::TextEncoding;
use crate::lines::LineReader;
use crate::messages;
use crate::names::FirstNames;
use crate::resolve::{FileId, OpenFolder, PathAccess};
use crate::root::Root;
use crate::text_query::TextQuery;

/// A search through files, in the order of their paths, within bounds.
pub(crate) struct SearchWalk<'a> {
    root: &'a Root,
    query: &'a TextQuery,
    cancel: &'a CancellationToken,
    /// The files and folders that are not read.
    private: Vec<FileId>,
    /// The folders that the walk has entered, the innermost last.
    inside: Vec<EnteredFolder>,
    hits: Vec<String>,
    /// The number of files with a hit.
    found_in: usize,
    files: usize,
    folders: usize,
    /// The number of files that are not text.
    binary: usize,
    protected: usize,
    /// The number of entries that could not be read, including those removed meanwhile.
    unreadable: usize,
    /// The number of entries left out because their folder has too many.
    left_out: usize,
    /// The number of bytes that may still be read.
    left: u64,
    stopped: Option<&'static str>,
}

/// A folder that the walk has entered.
struct EnteredFolder {
    folder: OpenFolder,
    /// The path as it is shown.
    path: PathBuf,
    /// The names that are left, in reverse order.
    names: Vec<OsString>,
}

impl<'a> SearchWalk<'a> {
    pub(crate) fn new(root: &'a Root, query: &'a TextQuery, cancel: &'a CancellationToken) -> Self {
        Self {
            root,
            query,
            cancel,
            private: root.private(),
            inside: Vec::new(),
            hits: Vec::new(),
            found_in: 0,
            files: 0,
            folders: 0,
            binary: 0,
            protected: 0,
            unreadable: 0,
            left_out: 0,
            left: MAX_BYTES,
            stopped: None,
        }
    }

    /// Searches the folder or file at `path`, which may be a link; further links are not followed.
    pub(crate) fn search(mut self, path: &str) -> Result<ToolOutput, ToolError> {
        let place = self.root.find(path, PathAccess::Read);
        let place = place.map_err(|error| self.root.failure(path, error))?;
        let folder = place.trail.last().clone();
        if let Some(name) = place.rest.last() {
            let opened = folder.open(name).map_err(|error| self.root.failure(path, error))?;
            if !opened.1.is_file() {
                return Err(messages::not_regular_file(path, opened.1.file_type()));
            }
            self.unreadable += usize::from(self.file(path.as_ref(), opened).is_err());
        } else {
            // Hits are shown without a leading `./`.
            let path = if path == "." { "" } else { path };
            self.unreadable += usize::from(self.folder(path.into(), folder).is_err());
        }
        while !self.is_stopped()
            && let Some(inside) = self.inside.last_mut()
        {
            let Some(name) = inside.names.pop() else {
                self.inside.pop();
                continue;
            };
            let (folder, path) = (inside.folder.clone(), inside.path.join(&name));
            self.unreadable += usize::from(self.entry(&folder, &name, path).is_err());
        }
        Ok(self.into_output())
    }

    fn is_stopped(&mut self) -> bool {
        if self.cancel.is_cancelled() {
            self.stopped = Some("the call was cancelled");
        }
        self.stopped.is_some()
    }

    fn entry(&mut self, folder: &OpenFolder, name: &OsStr, path: PathBuf) -> io::Result<()> {
        let found = folder.dir.symlink_metadata(name)?;
        if self.private.contains(&FileId::of(&found)) {
            self.protected += 1;
        } else if found.is_dir() && !is_left_out(name) {
            // No call could name a longer path.
            if path.as_os_str().len() >= MAX_PATH || self.inside.len() == MAX_DEPTH {
                return Err(io::ErrorKind::InvalidFilename.into());
            }
            self.folder(path, folder.enter(name)?)?;
        } else if found.is_file() {
            self.file(&path, folder.open(name)?)?;
        }
        Ok(())
    }

    fn folder(&mut self, path: PathBuf, folder: OpenFolder) -> io::Result<()> {
        if self.folders == MAX_FILES {
            self.stopped = Some("10000 folders are entered");
            return Ok(());
        }
        self.folders += 1;
        let kept: usize = self.inside.iter().map(|inside| inside.names.len()).sum();
        let room = MAX_NAMES.saturating_sub(kept).max(MIN_NAMES);
        let names = FirstNames::read(&folder.dir, room, self.cancel)?;
        self.left_out += names.others;
        let names = names.first.into_iter().rev().collect();
        self.inside.push(EnteredFolder { folder, path, names });
        Ok(())
    }

    fn file(&mut self, path: &Path, (file, metadata): (File, Metadata)) -> io::Result<()> {
        if !metadata.is_file() {
            return Ok(());
        }
        if self.files == MAX_FILES {
            self.stopped = Some("10000 files are searched");
            return Ok(());
        }
        self.files += 1;
        let mut lines = LineReader::new(io::Read::take(file, self.left), self.query.longest());
        let searched = self.lines(path, &mut lines);
        self.left -= lines.read();
        if self.left == 0 {
            self.stopped = Some("64 MiB are read");
        }
        searched
    }

    fn lines(&mut self, path: &Path, lines: &mut LineReader<impl io::Read>) -> io::Result<()> {
        let start = lines.peek(MAX_SNIFFED)?;
        if TextEncoding::detect(start, start.len() == MAX_SNIFFED).is_err() {
            self.binary += 1;
            return Ok(());
        }
        let path = messages::escaped(&path.to_string_lossy());
        let mut last = None;
        while let Some(line) = lines.next()? {
            if self.is_stopped() {
                break;
            }
            // Further pieces of a line with a hit are skipped.
            if last == Some(line.number) {
                continue;
            }
            let number = line.number;
            let text = String::from_utf8_lossy(line.bytes);
            let Some(excerpt) = self.query.excerpt(&text, line.more) else { continue };
            if self.hits.len() == MAX_HITS {
                self.stopped = Some("there are more than 100 hits");
                break;
            }
            self.found_in += usize::from(last.is_none());
            last = Some(number);
            self.hits.push(format!("{path}:{number}: {excerpt}"));
        }
        Ok(())
    }

    /// Returns the hits, and notices about what was left out.
    fn into_output(self) -> ToolOutput {
        let files = messages::count(self.files, "file", "files");
        let summary = match self.hits.len() {
            0 => format!("no hits in {files}"),
            hits => {
                let hits = messages::count(hits, "hit", "hits");
                format!("{hits} in {}", messages::count(self.found_in, "file", "files"))
            }
        };
        let notice = |number, one, many| (number > 0).then(|| messages::count(number, one, many));
        let found = match self.hits.is_empty() {
            true => ToolOutput::new(summary, "").with_notice(format!("nothing found in {files}")),
            false => ToolOutput::new(summary, self.hits.join("\n")),
        };
        let mut output = messages::with_notices(
            found,
            [
                notice(self.binary, "binary file is left out", "binary files are left out"),
                notice(self.protected, "entry is protected", "entries are protected"),
                notice(
                    self.left_out,
                    "entry of a folder with too many is left out",
                    "entries of folders with too many are left out",
                ),
            ],
        );
        if self.unreadable > 0 {
            let unreadable = messages::count(self.unreadable, "entry", "entries");
            output = output.with_notice(format!("{unreadable} could not be read"));
        }
        if let Some(why) = self.stopped {
            let notice = format!("stopped early: {why}; search a smaller folder or a rarer text");
            output = output.with_notice(notice).with_truncation(Truncation::default());
        }
        output
    }
}

/// The number of hits that are returned.
const MAX_HITS: usize = 100;

/// The number of files that are searched, and of folders that are entered.
const MAX_FILES: usize = 10_000;

/// The number of bytes that are read.
const MAX_BYTES: u64 = 64 << 20;

/// The number of bytes at the beginning of a file that decide whether it is text.
const MAX_SNIFFED: usize = 8 << 10;

/// The longest path in bytes.
const MAX_PATH: usize = 4096;

/// The number of nested folders, each of which is held open.
const MAX_DEPTH: usize = 128;

/// The number of names kept of all entered folders.
const MAX_NAMES: usize = 20_000;

/// The number of names that are kept of a folder even if there is no more room.
const MIN_NAMES: usize = 1000;

/// The names of folders that are not searched, because their files are generated or downloaded.
const LEFT_OUT: [&str; 3] = [".git", "target", "node_modules"];

fn is_left_out(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| LEFT_OUT.contains(&name))
}
