//! The text of one section, on its way from the lexer to the sink.
//!
//! A section is empty until its first character that is not white space, and then it is open. Other
//! modules handle a delimiter's effect.

use memchr::memchr;
use silcrow_event::{Fragment, TextFragment, TextKind};

use crate::fence::Fence;

/// A filter for the text of one section. It drops leading white space, follows code fences (P-34),
/// and keeps a line break pending, because it may belong to the next delimiter (P-4).
#[derive(Debug)]
pub(crate) struct SectionText {
    /// Whether it has content.
    is_open: bool,
    /// The fences, if the section has any.
    fence: Option<Fence>,
    output: SectionOutput,
}

/// The fragments of one section.
#[derive(Debug)]
struct SectionOutput {
    kind: TextKind,
    part: u32,
    pending: PendingBreak,
}

/// A line break that is pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PendingBreak {
    Nothing,
    Cr,
    Lf,
    CrLf,
}

pub(crate) type FragmentSink<'s> = dyn FnMut(Fragment<'_>) + 's;

impl SectionText {
    /// Creates the section with `fence` that will have the number `part`, if it has content.
    pub(crate) const fn new(kind: TextKind, part: u32, fence: Option<Fence>) -> Self {
        Self {
            is_open: false,
            fence,
            output: SectionOutput { kind, part, pending: PendingBreak::Nothing },
        }
    }

    pub(crate) const fn kind(&self) -> TextKind {
        self.output.kind
    }

    /// Returns whether it has content.
    pub(crate) const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns whether a delimiter at this position counts.
    pub(crate) fn delimiter_counts(&self) -> bool {
        self.fence.as_ref().is_none_or(Fence::delimiter_counts)
    }

    /// Returns whether this place is in a code fence.
    pub(crate) fn is_in_fence(&self) -> bool {
        self.fence.as_ref().is_some_and(Fence::is_open)
    }

    /// Returns whether a code fence would be open if the input ended here.
    pub(crate) fn has_open_fence(&self) -> bool {
        self.fence.as_ref().is_some_and(Fence::is_unclosed)
    }

    /// Returns whether this is the start of a line in an open fence, after indent.
    pub(crate) fn at_line_start(&self) -> bool {
        self.fence.as_ref().is_some_and(Fence::at_line_start)
    }

    /// Takes text, and emits its content.
    #[inline]
    pub(crate) fn push(&mut self, text: &str, sink: &mut FragmentSink<'_>) {
        // Most text is in the middle of a line, where only its end matters.
        let in_line = self.is_open
            && self.output.pending == PendingBreak::Nothing
            && self.fence.as_ref().is_none_or(Fence::is_in_line);
        if in_line && continues_line(text.as_bytes()) {
            self.output.emit(text, sink);
        } else {
            self.push_lines(text, sink);
        }
    }

    /// Takes text that may begin or end a line, or the section.
    #[inline(never)]
    fn push_lines(&mut self, text: &str, sink: &mut FragmentSink<'_>) {
        let text = if self.is_open { text } else { text.trim_start_matches(is_space) };
        if text.is_empty() {
            return;
        }
        self.is_open = true;
        match &mut self.fence {
            Some(fence) => fence.push(text, &mut |text| self.output.emit_line(text, sink)),
            None => self.output.emit_line(text, sink),
        }
    }

    /// Emits the pending text, before a comment that is a part of the section.
    pub(crate) fn begin_comment(&mut self, sink: &mut FragmentSink<'_>) {
        if let Some(fence) = &mut self.fence {
            fence.release(&mut |text| self.output.emit_line(text, sink));
            fence.pass_comment();
        }
        self.output.emit_line("", sink);
        self.is_open = true;
    }

    /// Takes text of a comment, where fences do not count.
    pub(crate) fn push_comment(&mut self, text: &str, sink: &mut FragmentSink<'_>) {
        self.output.emit_line(text, sink);
    }

    /// Emits the pending text that belongs to the section, because it ends here.
    pub(crate) fn release(&mut self, sink: &mut FragmentSink<'_>) {
        if let Some(fence) = &mut self.fence {
            fence.release(&mut |text| self.output.emit_line(text, sink));
        }
        if self.output.pending == PendingBreak::Cr {
            // It is not a line break, so it does not belong to the delimiter (P-4).
            self.output.pending = PendingBreak::Nothing;
            self.output.emit("\r", sink);
        }
    }

    /// Ends the section before a delimiter, or at the end of the input. Returns whether it has
    /// content.
    pub(crate) fn close(&mut self, sink: &mut FragmentSink<'_>) -> bool {
        self.release(sink);
        if self.is_open {
            sink(Fragment::Close { part: self.output.part });
        }
        self.is_open
    }
}

impl SectionOutput {
    #[inline]
    fn emit(&self, text: &str, sink: &mut FragmentSink<'_>) {
        sink(Fragment::Text(TextFragment { kind: self.kind, part: self.part, id: None, text }));
    }

    /// Emits text that is content, except for a line break at its end.
    fn emit_line(&mut self, text: &str, sink: &mut FragmentSink<'_>) {
        let mut text = text;
        if self.pending == PendingBreak::Cr && text.starts_with('\n') {
            self.pending = PendingBreak::CrLf;
            text = &text[1..];
            if text.is_empty() {
                return;
            }
        }
        let (content, pending) = if let Some(content) = text.strip_suffix("\r\n") {
            (content, PendingBreak::CrLf)
        } else if let Some(content) = text.strip_suffix('\n') {
            (content, PendingBreak::Lf)
        } else if let Some(content) = text.strip_suffix('\r') {
            (content, PendingBreak::Cr)
        } else {
            (text, PendingBreak::Nothing)
        };
        let released = self.pending.as_str();
        self.pending = pending;
        for text in [released, content] {
            if !text.is_empty() {
                self.emit(text, sink);
            }
        }
    }
}

impl PendingBreak {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Cr => "\r",
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// Returns whether text is not empty, has no line break, and does not end with half of one.
#[inline]
fn continues_line(text: &[u8]) -> bool {
    let Some((&last, front)) = text.split_last() else { return false };
    // In a small chunk a call costs more than the search.
    let has_break = if let (4..=8, Some(first), Some(last)) =
        (text.len(), text.first_chunk(), text.last_chunk())
    {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        has_line_break(u64::from(first) | u64::from(last) << 32)
    } else if let (9..=16, Some(first), Some(last)) =
        (text.len(), text.first_chunk(), text.last_chunk())
    {
        has_line_break(u64::from_le_bytes(*first)) || has_line_break(u64::from_le_bytes(*last))
    } else {
        memchr(b'\n', front).is_some()
    };
    !has_break && last != b'\n' && last != b'\r'
}

/// Returns whether one of eight bytes is a line break.
#[inline]
fn has_line_break(word: u64) -> bool {
    let zero = word ^ u64::from_le_bytes([b'\n'; 8]);
    zero.wrapping_sub(u64::from_le_bytes([1; 8])) & !zero & u64::from_le_bytes([0x80; 8]) != 0
}

/// Returns whether a character is white space on the wire (P-4).
pub(crate) fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n')
}
