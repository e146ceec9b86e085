//! A search through the files below a folder, within limits, and its report for the model.
//!
//! Several threads take the next few files of the walk in turns and search them. Hits are reported
//! in the order of the paths, so that the outcome does not depend on the threads. No thread waits
//! for another: early results are kept, and no more files are taken as soon as the searched ones
//! reach a limit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use silcrow_event::Truncation;
use silcrow_tool::{CancellationToken, ToolError, ToolOutput};

use crate::file_search::{FileBounds, FileHits, FileSearcher, SearchedKind};
use crate::messages;
use crate::root::Root;
use crate::search_query::SearchQuery;
use crate::tree_walk::{TreeWalk, WalkCounts, WalkFilter, WalkedFile};

/// The limits of a search.
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
    let walk = TreeWalk::begin(root, path, filter, cancel)?;
    let private = root.private();
    let bounds =
        FileBounds { hits: limits.hits + 1, bytes: limits.bytes, private: &private, cancel };
    let shares = Mutex::new(Shares { walk, folders: limits.files, taken: 0, is_over: false });
    let report = Mutex::new(SearchReport::new(query, limits));
    let work = || {
        let mut searcher = FileSearcher::new(query, bounds);
        while lock(&report).needs_more() {
            let Some(share) = lock(&shares).take() else { break };
            let mut left = limits.bytes;
            let search = |file: WalkedFile| {
                // The report stops in a share that reaches the limit alone.
                if left == 0 {
                    return None;
                }
                let found = searcher.search(&file);
                left = left.saturating_sub(found.read);
                Some((found, file.shown))
            };
            let found = share.files.into_iter().map_while(search).collect();
            lock(&report).push(share.number, FoundShare { found, counts: share.counts });
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads() {
            scope.spawn(work);
        }
        work();
    });
    let walk = shares.into_inner().unwrap_or_else(PoisonError::into_inner).walk;
    let mut report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    if walk.folders() >= limits.files && report.stopped.is_none() {
        report.stopped = Some(format!("{} folders are entered", limits.files));
    }
    if cancel.is_cancelled() {
        report.stopped = Some("the call was cancelled".to_owned());
    }
    Ok(report.into_output())
}

/// Returns the number of threads of a search.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A walk whose files are searched in shares.
struct Shares<'a> {
    walk: TreeWalk<'a>,
    /// The most folders that are entered.
    folders: usize,
    /// The number of shares that were taken.
    taken: usize,
    is_over: bool,
}

/// The next few files of a walk.
struct Share {
    number: usize,
    files: Vec<WalkedFile>,
    /// The entries that the walk has skipped up to the end of the share.
    counts: WalkCounts,
}

impl Shares<'_> {
    /// Returns the next share, or `None` after the last one, which may have no files.
    fn take(&mut self) -> Option<Share> {
        if self.is_over {
            return None;
        }
        let mut files = Vec::with_capacity(SHARE);
        while files.len() < SHARE && !self.is_over {
            let has_room = self.walk.folders() < self.folders;
            match has_room.then(|| self.walk.next()).flatten() {
                Some(file) => files.push(file),
                None => self.is_over = true,
            }
        }
        let number = self.taken;
        self.taken += 1;
        Some(Share { number, files, counts: self.walk.counts })
    }
}

/// The hits in a share.
struct FoundShare {
    found: Vec<(FileHits, PathBuf)>,
    counts: WalkCounts,
}

/// The hits of a search so far.
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
    counts: WalkCounts,
    stopped: Option<String>,
    /// The number of shares that are reported.
    shares: usize,
    /// The shares that were found before an earlier one.
    early: BTreeMap<usize, FoundShare>,
    /// The hits, files and bytes of all shares, reported or early.
    searched: SearchLimits,
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
            counts: WalkCounts::default(),
            stopped: None,
            shares: 0,
            early: BTreeMap::new(),
            searched: SearchLimits { hits: 0, files: 0, bytes: 0 },
        }
    }

    /// Returns whether the outcome depends on shares that were not taken yet.
    fn needs_more(&self) -> bool {
        let (searched, limits) = (self.searched, self.limits);
        searched.hits <= limits.hits
            && searched.files <= limits.files
            && searched.bytes < limits.bytes
    }

    /// Takes the results of a share, and reports them after those before it.
    fn push(&mut self, number: usize, share: FoundShare) {
        for (found, _) in &share.found {
            self.searched.hits += found.lines.iter().filter(|line| line.is_hit).count();
            self.searched.files += usize::from(found.kind.is_searched());
            self.searched.bytes = self.searched.bytes.saturating_add(found.read);
        }
        self.early.insert(number, share);
        while let Some(share) = self.early.remove(&self.shares) {
            self.shares += 1;
            if self.stopped.is_some() {
                continue;
            }
            self.counts = share.counts;
            for (found, shown) in share.found {
                if self.stopped.is_none() {
                    self.add(&shown, found);
                }
            }
        }
    }

    fn add(&mut self, shown: &Path, found: FileHits) {
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
        let path = match found.lines.is_empty() {
            true => String::new(),
            false => messages::escaped(&shown.to_string_lossy()),
        };
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

    /// Returns the hits, and notices about omitted files.
    fn into_output(mut self) -> ToolOutput {
        let files = messages::count(self.files, "file", "files");
        let counts = self.counts;
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

/// The number of files that a thread takes at a time.
const SHARE: usize = 16;

/// The number of threads of a search.
const MAX_THREADS: usize = 4;

#[cfg(test)]
mod tests;
