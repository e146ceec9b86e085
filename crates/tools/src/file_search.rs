//! The search through one file.
//!
//! A short file is read whole. A long one is read line by line, or in overlapping pieces if a line
//! is longer than the buffer. This module does not walk.

use std::io::{self, Read, Seek as _, SeekFrom};

use cap_std::fs::File;
use grep_matcher::Matcher as _;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use silcrow_tool::CancellationToken;

use crate::encoding::TextEncoding;
use crate::lines::LineReader;
use crate::search_query::{SearchQuery, excerpt};
use crate::system::FileId;
use crate::tree_walk::{TreeWalk, WalkedFile};

/// The hits in a file.
#[derive(Debug, Default)]
pub(crate) struct FileHits {
    pub(crate) lines: Vec<FoundLine>,
    pub(crate) kind: SearchedKind,
    /// The number of bytes that were read.
    pub(crate) read: u64,
}

/// A line with a hit, or near one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FoundLine {
    pub(crate) number: u64,
    pub(crate) text: String,
    pub(crate) is_hit: bool,
}

/// The kind of search in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SearchedKind {
    #[default]
    Text,
    /// It is not text, and was not searched.
    Binary,
    Private,
    /// It is not regular any more.
    Other,
    Unreadable,
}

impl SearchedKind {
    /// Returns whether the file counts as one that was searched.
    pub(crate) const fn is_searched(self) -> bool {
        matches!(self, Self::Text | Self::Binary)
    }
}

/// The limits of a search through files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileBounds<'a> {
    /// The most hits that are needed of a file.
    pub(crate) hits: usize,
    /// The most bytes that are read of a file.
    pub(crate) bytes: u64,
    pub(crate) private: &'a [FileId],
    pub(crate) cancel: &'a CancellationToken,
}

/// Searches files, on one thread.
pub(crate) struct FileSearcher<'a> {
    query: &'a SearchQuery,
    bounds: FileBounds<'a>,
    searcher: Searcher,
    buffer: Vec<u8>,
}

impl<'a> FileSearcher<'a> {
    pub(crate) fn new(query: &'a SearchQuery, bounds: FileBounds<'a>) -> Self {
        Self { query, bounds, searcher: query.searcher(), buffer: Vec::new() }
    }

    pub(crate) fn search(&mut self, file: &WalkedFile) -> FileHits {
        let mut hits = FileHits::default();
        if self.search_into(file, &mut hits).is_err() {
            hits.kind = SearchedKind::Unreadable;
        }
        hits
    }

    fn search_into(&mut self, file: &WalkedFile, hits: &mut FileHits) -> io::Result<()> {
        let (mut file, metadata) = file.open()?;
        if !metadata.is_file() {
            hits.kind = SearchedKind::Other;
            return Ok(());
        }
        if TreeWalk::is_private(self.bounds.private, &metadata) {
            hits.kind = SearchedKind::Private;
            return Ok(());
        }
        self.buffer.clear();
        let whole = MAX_WHOLE.min(self.bounds.bytes);
        (&mut file).take(whole).read_to_end(&mut self.buffer)?;
        hits.read = self.buffer.len() as u64;
        let is_whole = hits.read < whole;
        let start = &self.buffer[..self.buffer.len().min(MAX_SNIFFED)];
        let Ok(encoding) = TextEncoding::detect(start, start.len() == MAX_SNIFFED) else {
            hits.kind = SearchedKind::Binary;
            return Ok(());
        };
        if !is_whole {
            return self.search_long(file, hits);
        }
        if self.buffer.contains(&0) && !matches!(encoding, TextEncoding::Utf16 { .. }) {
            hits.kind = SearchedKind::Binary;
            return Ok(());
        }
        let encoding = encoding.reconsidered(&self.buffer);
        let mut sink = HitSink { query: self.query, hits, most: self.bounds.hits, found: 0 };
        match encoding {
            TextEncoding::Utf8 { .. } => {
                self.searcher.search_slice(self.query.matcher(), &self.buffer, &mut sink)
            }
            encoding => {
                let (text, _) = encoding.decode(&self.buffer);
                self.searcher.search_slice(self.query.matcher(), text.as_bytes(), &mut sink)
            }
        }
    }

    /// Searches a file that is longer than the buffer, from its beginning.
    fn search_long(&mut self, mut file: File, hits: &mut FileHits) -> io::Result<()> {
        file.seek(SeekFrom::Start(0))?;
        let (bytes, cancel) = (self.bounds.bytes, self.bounds.cancel);
        let mut source = BoundedReader { file: &mut file, left: bytes, cancel };
        let mut sink = HitSink { query: self.query, hits, most: self.bounds.hits, found: 0 };
        let searched = self.searcher.search_reader(self.query.matcher(), &mut source, &mut sink);
        let left = source.left;
        if searched.is_err() {
            // A line is longer than the searcher's buffer.
            hits.lines.clear();
            file.seek(SeekFrom::Start(0))?;
            let mut source = BoundedReader { file: &mut file, left: bytes, cancel };
            self.search_pieces(&mut source, hits)?;
            hits.read = bytes - source.left;
            return Ok(());
        }
        hits.read = bytes - left;
        Ok(())
    }

    /// Searches lines of any length in pieces, without lines around hits.
    fn search_pieces(&self, source: impl Read, hits: &mut FileHits) -> io::Result<()> {
        let mut lines = LineReader::new(source, self.query.longest());
        let mut last = None;
        while let Some(line) = lines.next()? {
            // Further pieces of a line with a hit are skipped.
            if last == Some(line.number) {
                continue;
            }
            let found = self.query.matcher().find(line.bytes).map_err(io::Error::other)?;
            let Some(found) = found else { continue };
            last = Some(line.number);
            let text = excerpt(line.bytes, (found.start(), found.end()), line.more);
            hits.lines.push(FoundLine { number: line.number, text, is_hit: true });
            if hits.lines.len() >= self.bounds.hits {
                break;
            }
        }
        Ok(())
    }
}

/// Collects the lines of a file that a searcher finds.
struct HitSink<'a> {
    query: &'a SearchQuery,
    hits: &'a mut FileHits,
    most: usize,
    found: usize,
}

impl Sink for HitSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        let hit = self.query.matcher().find(line.bytes()).map_err(io::Error::other)?;
        let hit = hit.map_or((0, 0), |hit| (hit.start(), hit.end()));
        let text = excerpt(line.bytes(), hit, (false, false));
        let number = line.line_number().unwrap_or_default();
        self.hits.lines.push(FoundLine { number, text, is_hit: true });
        self.found += 1;
        Ok(self.found < self.most)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        if self.found == 0 {
            self.hits.kind = SearchedKind::Binary;
        }
        Ok(false)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        let text = excerpt(line.bytes(), (0, 0), (false, false));
        let number = line.line_number().unwrap_or_default();
        self.hits.lines.push(FoundLine { number, text, is_hit: false });
        Ok(true)
    }
}

/// A reader that ends after a number of bytes, or when the call is cancelled.
struct BoundedReader<'a> {
    file: &'a mut File,
    left: u64,
    cancel: &'a CancellationToken,
}

impl Read for BoundedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Ok(0);
        }
        let room = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.file.read(&mut buffer[..room])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// The length of a file that is read whole, in bytes.
const MAX_WHOLE: u64 = 1 << 20;

/// The number of bytes at the beginning of a file that decide whether it is text.
const MAX_SNIFFED: usize = 8 << 10;
