//! The query of a search, and the excerpt of a line that contains it.
//!
//! This module compares text.

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde::Deserialize;
use silcrow_tool::ToolError;

/// The letters that a search takes for the same.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LetterCase {
    /// Upper and lower case, unless the query has upper case.
    #[default]
    Smart,
    Exact,
    Any,
}

/// A text or a pattern to find.
#[derive(Clone, Debug)]
pub(crate) struct SearchQuery {
    matcher: RegexMatcher,
    is_pattern: bool,
    /// The number of lines that are shown before and after a hit.
    pub(crate) context: usize,
    /// The length of the query in bytes.
    length: usize,
}

impl SearchQuery {
    pub(crate) fn new(
        query: &str,
        is_pattern: bool,
        case: LetterCase,
        context: usize,
    ) -> Result<Self, ToolError> {
        if query.is_empty() {
            return Err(ToolError::new("`query` is empty; write the text to look for"));
        }
        if query.contains('\n') {
            return Err(ToolError::new("`query` has a line break; search goes line by line"));
        }
        if query.len() > MAX_QUERY {
            let len = query.len();
            return Err(ToolError::new(format!(
                "`query` has {len} bytes; search for a part of it, of at most {MAX_QUERY}"
            )));
        }
        let mut builder = RegexMatcherBuilder::new();
        builder
            .fixed_strings(!is_pattern)
            .case_smart(matches!(case, LetterCase::Smart))
            .case_insensitive(matches!(case, LetterCase::Any))
            .size_limit(MAX_PROGRAM)
            .line_terminator(Some(b'\n'));
        if is_pattern {
            builder.crlf(true);
        }
        let matcher = builder.build(query).map_err(|error| {
            let next = "leave out `regex` to find the text as it is written";
            ToolError::new(format!("`query` is not a regular expression: {error}; {next}"))
        })?;
        Ok(Self { matcher, is_pattern, context, length: query.len() })
    }

    pub(crate) const fn matcher(&self) -> &RegexMatcher {
        &self.matcher
    }

    /// Returns a searcher that finds lines.
    pub(crate) fn searcher(&self) -> Searcher {
        let mut builder = SearcherBuilder::new();
        builder
            .line_number(true)
            .before_context(self.context)
            .after_context(self.context)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_LINE));
        if self.is_pattern {
            builder.line_terminator(LineTerminator::crlf());
        }
        builder.build()
    }

    /// Returns the maximum bytes that a hit may have in a line, if that is known. Characters may
    /// have other lengths in other case.
    pub(crate) const fn longest(&self) -> usize {
        if self.is_pattern { 4096 } else { self.length * 4 }
    }
}

/// Returns a line, cut around the bytes of a hit. `more` says whether the line continues before and
/// after `line`.
pub(crate) fn excerpt(line: &[u8], hit: (usize, usize), more: (bool, bool)) -> String {
    let line = line.trim_ascii_end();
    let (begin, end) = (hit.0.min(line.len()), hit.1.min(line.len()));
    let chars = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().count();
    let before = chars(&line[..begin]);
    // The start of the line is shown, unless the hit would then be cut off.
    let start = match before + chars(&line[begin..end]) <= MAX_SHOWN {
        true => 0,
        false => before.saturating_sub(MAX_BEFORE),
    };
    let line = String::from_utf8_lossy(line);
    let mut shown = String::from(if start > 0 || more.0 { "…" } else { "" });
    let mut rest = line.chars().skip(start);
    shown.extend(rest.by_ref().take(MAX_SHOWN));
    if rest.next().is_some() || more.1 {
        shown.push('…');
    }
    shown
}

/// The longest query in bytes.
const MAX_QUERY: usize = 4096;

/// The largest compiled pattern, in bytes.
const MAX_PROGRAM: usize = 4 << 20;

/// The longest line in bytes that is searched as a whole.
const MAX_LINE: usize = 2 << 20;

/// The number of characters that are shown of a line.
const MAX_SHOWN: usize = 200;

/// The number of characters that are shown before a hit if the start of the line is cut off.
const MAX_BEFORE: usize = 50;
