//! The limits of one turn.
//!
//! The cap counts bytes and events, and tracks the open section so that it can close it. It is
//! *under* its limits, and then *over* them for good.

use silcrow_event::{Diagnostic, DiagnosticKind, Fragment};

/// The limits of one answer of the model (P-9).
///
/// ```
/// use silcrow_accumulate::{Accumulator, AnswerLimits};
///
/// let limits = AnswerLimits { bytes: 10, ..AnswerLimits::default() };
/// let mut turn = Accumulator::with_limits(limits);
/// assert_eq!(turn.admit("0123456"), "0123456");
/// assert_eq!(turn.admit("789abc"), "789");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct AnswerLimits {
    /// The maximum length of the wire text and of separate reasoning, in bytes.
    pub bytes: usize,
    /// The number of complete events.
    pub events: usize,
}

impl Default for AnswerLimits {
    /// Returns 16 MiB and 100,000 events.
    fn default() -> Self {
        Self { bytes: 16 << 20, events: 100_000 }
    }
}

/// A filter that passes the wire text and the fragments of one turn until they exceed its limits
/// (P-9).
///
/// Text is counted before it is parsed ([`admit`](Self::admit)), because much of it may never
/// become a fragment. At a limit the text is cut, at the same byte for every chunking, and its
/// section is closed. A diagnostic reports the limit, and nothing passes after it, so pending calls
/// are not executed.
///
/// ```
/// use silcrow_accumulate::{AnswerCap, AnswerLimits};
/// use silcrow_event::Fragment;
///
/// let mut cap = AnswerCap::new(AnswerLimits { bytes: 6, ..AnswerLimits::default() });
/// assert_eq!(cap.admit("Zürich"), "Züric");
/// let mut kinds = Vec::new();
/// cap.end(|fragment| kinds.push(matches!(fragment, Fragment::Diagnostic(_))));
/// assert!(cap.is_limit_exceeded());
/// assert_eq!(kinds, [true], "a diagnostic, because no section was open");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerCap {
    limits: AnswerLimits,
    /// The number of bytes so far.
    bytes: usize,
    events: usize,
    /// The number of the open section.
    open: Option<u32>,
    over: bool,
}

impl AnswerCap {
    /// Creates a cap for a turn.
    pub fn new(limits: AnswerLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub(crate) const fn limits(&self) -> AnswerLimits {
        self.limits
    }

    /// Counts a piece of wire text, and returns the part of it to parse. If this is not the whole
    /// piece, push the fragments of the part and call [`end`](Self::end).
    pub fn admit<'t>(&mut self, text: &'t str) -> &'t str {
        let fits = text.floor_char_boundary(self.limits.bytes - self.bytes);
        self.bytes += fits;
        &text[..fits]
    }

    /// Passes a fragment on, if there is room for it.
    pub fn push(&mut self, fragment: Fragment<'_>, mut pass: impl FnMut(Fragment<'_>)) {
        if self.over {
            return;
        }
        match fragment {
            Fragment::Text(text) => {
                self.open = Some(text.part);
                pass(fragment);
            }
            Fragment::CallText(_) | Fragment::InvalidCall(_) | Fragment::Thought { .. } => {
                pass(fragment);
            }
            _ => {
                if !self.counts() {
                    return self.end(pass);
                }
                if let Fragment::Close { .. } = fragment {
                    self.open = None;
                }
                pass(fragment);
            }
        }
    }

    /// Returns whether a limit was exceeded.
    pub fn is_limit_exceeded(&self) -> bool {
        self.over
    }

    /// Counts a piece of reasoning, and returns the part of it that passes. `begins` is whether it
    /// is the first piece of its event. If the part is not all, the caller ends the turn.
    pub(crate) fn reason<'t>(&mut self, text: &'t str, begins: bool) -> &'t str {
        if begins && !self.counts() { "" } else { self.admit(text) }
    }

    /// Ends the turn because a limit is exceeded.
    pub fn end(&mut self, mut pass: impl FnMut(Fragment<'_>)) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        if let Some(part) = self.open.take() {
            pass(Fragment::Close { part });
        }
        let AnswerLimits { bytes, events } = self.limits;
        let content =
            format!("an answer may have {bytes} bytes and {events} events; the rest was dropped");
        pass(Fragment::Diagnostic(Diagnostic { kind: DiagnosticKind::TooMuch, content, at: None }));
    }

    /// Counts an event and returns whether there is room for it.
    fn counts(&mut self) -> bool {
        let fits = self.events < self.limits.events;
        self.events += usize::from(fits);
        fits
    }
}
