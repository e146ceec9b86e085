//! A search through the files below a folder, within bounds, and what the model reads of it.
//!
//! Files are searched in batches, several at a time, while the walk finds the next ones. What was
//! found is joined in the order of the paths, so that the outcome does not depend on the threads.

use std::mem;

use silcrow_event::Truncation;
use silcrow_exec::{CancellationToken, ToolError, ToolOutput};

use crate::file_search::{FileBounds, FileHits, SearchedKind, search_all};
use crate::messages;
use crate::root::Root;
use crate::search_query::SearchQuery;
use crate::tree_walk::{TreeWalk, WalkFilter, WalkedFile};

/// The bounds of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchLimits {
    /// The number of hits that are returned.
    pub(crate) hits: usize,
    /// The number of files that are searched, and of folders that are entered.
    pub(crate) files: usize,
    /// The number of bytes that are read.
    pub(crate) bytes: u64,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { hits: 100, files: 100_000, bytes: 1 << 30 }
    }
}

/// Searches the folder or file at `path`.
pub(crate) fn search(
    root: &Root,
    path: &str,
    query: &SearchQuery,
    filter: WalkFilter,
    limits: SearchLimits,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let mut walk = TreeWalk::begin(root, path, filter, cancel)?;
    let private = root.private();
    let mut report = SearchReport::new(query, limits);
    let mut batch = next_batch(&mut walk, FIRST_BATCH, limits.files);
    while !batch.is_empty() && report.stopped.is_none() {
        let bounds = FileBounds {
            hits: limits.hits - report.hits + 1,
            bytes: report.left,
            private: &private,
            cancel,
        };
        let mut next = Vec::new();
        let found = search_all(&batch, query, bounds, || {
            next = next_batch(&mut walk, BATCH, limits.files);
        });
        for (file, hits) in mem::replace(&mut batch, next).into_iter().zip(found) {
            report.add(&file, hits);
            if report.stopped.is_some() {
                break;
            }
        }
    }
    if walk.folders() >= limits.files && report.stopped.is_none() {
        report.stopped = Some(format!("{} folders are entered", limits.files));
    }
    if cancel.is_cancelled() {
        report.stopped = Some("the call was cancelled".to_owned());
    }
    Ok(report.into_output(&walk))
}

fn next_batch(walk: &mut TreeWalk<'_>, size: usize, folders: usize) -> Vec<WalkedFile> {
    let mut batch = Vec::new();
    while batch.len() < size
        && walk.folders() < folders
        && let Some(file) = walk.next()
    {
        batch.push(file);
    }
    batch
}

/// What a search has found so far.
struct SearchReport<'a> {
    query: &'a SearchQuery,
    limits: SearchLimits,
    text: String,
    hits: usize,
    /// The number of files with a hit.
    found_in: usize,
    files: usize,
    binary: usize,
    private: usize,
    unreadable: usize,
    /// The number of bytes that may still be read.
    left: u64,
    stopped: Option<String>,
}

impl<'a> SearchReport<'a> {
    fn new(query: &'a SearchQuery, limits: SearchLimits) -> Self {
        Self {
            query,
            limits,
            text: String::new(),
            hits: 0,
            found_in: 0,
            files: 0,
            binary: 0,
            private: 0,
            unreadable: 0,
            left: limits.bytes,
            stopped: None,
        }
    }

    fn add(&mut self, file: &WalkedFile, found: FileHits) {
        if self.files == self.limits.files {
            self.stopped = Some(format!("{} files are searched", self.limits.files));
            return;
        }
        match found.kind {
            SearchedKind::Text => self.files += 1,
            SearchedKind::Binary => {
                self.files += 1;
                self.binary += 1;
            }
            SearchedKind::Unreadable => self.unreadable += 1,
            SearchedKind::Private => self.private += 1,
            SearchedKind::Other => {}
        }
        let path = messages::escaped(&file.shown.to_string_lossy());
        let (mut last, before) = (None, self.hits);
        for line in found.lines {
            if line.is_hit && self.hits == self.limits.hits {
                self.stopped = Some(format!("there are more than {} hits", self.limits.hits));
                break;
            }
            let follows = last == Some(line.number - 1);
            if self.query.context > 0 && !follows && !self.text.is_empty() {
                self.text.push_str("--\n");
            }
            let sign = if line.is_hit { ':' } else { '-' };
            let (number, text) = (line.number, &line.text);
            self.text.push_str(&format!("{path}{sign}{number}{sign} {text}\n"));
            self.hits += usize::from(line.is_hit);
            last = Some(line.number);
        }
        self.found_in += usize::from(self.hits > before);
        self.left = self.left.saturating_sub(found.read);
        if self.left == 0 && self.stopped.is_none() {
            self.stopped = Some(format!("{} MiB are read", self.limits.bytes >> 20));
        }
    }

    /// Returns the hits, and notices about what was left out.
    fn into_output(mut self, walk: &TreeWalk<'_>) -> ToolOutput {
        let files = messages::count(self.files, "file", "files");
        let counts = walk.counts;
        self.text.pop();
        let found = match self.hits {
            0 => {
                let notice = format!("nothing found in {files}");
                ToolOutput::new(format!("no hits in {files}"), "").with_notice(notice)
            }
            hits => {
                let hits = messages::count(hits, "hit", "hits");
                let found_in = messages::count(self.found_in, "file", "files");
                ToolOutput::new(format!("{hits} in {found_in}"), self.text)
            }
        };
        let notice = |number, one, many| (number > 0).then(|| messages::count(number, one, many));
        let private = self.private + counts.private;
        let mut output = messages::with_notices(
            found,
            [
                notice(self.binary, "binary file is left out", "binary files are left out"),
                notice(private, "entry is protected", "entries are protected"),
                notice(
                    counts.secret,
                    "entry that usually holds secrets is left out",
                    "entries that usually hold secrets are left out",
                ),
                notice(
                    counts.too_many,
                    "entry of a folder with too many is left out",
                    "entries of folders with too many are left out",
                ),
            ],
        );
        let ignored = notice(
            counts.ignored,
            "entry that git ignores is left out; `ignored` searches it",
            "entries that git ignores are left out; `ignored` searches them",
        );
        let unreadable = notice(
            self.unreadable + counts.unreadable,
            "entry could not be read",
            "entries could not be read",
        );
        for notice in ignored.into_iter().chain(unreadable) {
            output = output.with_notice(notice);
        }
        if let Some(why) = self.stopped {
            let notice = format!("stopped early: {why}; search a smaller folder or a rarer text");
            output = output.with_notice(notice).with_truncation(Truncation::default());
        }
        output
    }
}

/// The number of files that are searched at a time. The first files are few, so that the threads
/// begin at once.
const FIRST_BATCH: usize = 16;
const BATCH: usize = 128;

#[cfg(test)]
mod tests;
