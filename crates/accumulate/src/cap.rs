use silcrow_event::{Diagnostic, DiagnosticKind, Fragment};

/// How long one answer of the model may be (P-9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLimits {
    /// Wire text and reasoning beside it, in bytes, whatever becomes of them.
    pub bytes: usize,
    /// Complete events.
    pub events: usize,
}

impl Default for AnswerLimits {
    /// 16 MiB, 100,000 events.
    fn default() -> Self {
        Self { bytes: 16 << 20, events: 100_000 }
    }
}

/// Lets wire text and the fragments of one turn pass until they are more than its limits allow
/// (P-9).
///
/// Text is counted before it is parsed ([`admit`](Self::admit)), because much of it may never
/// become a fragment. At a limit the turn ends as at a length stop: the text is cut there, wherever
/// the chunks were cut, and closed; a note says what was too much; then nothing passes any more, so
/// that what is pending is not executed.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerCap {
    limits: AnswerLimits,
    /// Bytes so far.
    bytes: usize,
    events: usize,
    /// The part that gives text.
    open: Option<u32>,
    over: bool,
}

impl AnswerCap {
    /// At the start of a turn.
    pub fn new(limits: AnswerLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub(crate) const fn limits(&self) -> AnswerLimits {
        self.limits
    }

    /// Counts a piece of wire text and returns as much of it as may be parsed. If that is not all,
    /// [`end`](Self::end) follows once it is parsed.
    pub fn admit<'t>(&mut self, text: &'t str) -> &'t str {
        let fits = text.floor_char_boundary(self.limits.bytes - self.bytes);
        self.bytes += fits;
        &text[..fits]
    }

    /// Lets a fragment pass, if it may.
    pub fn push(&mut self, fragment: Fragment<'_>, mut pass: impl FnMut(Fragment<'_>)) {
        if self.over {
            return;
        }
        match fragment {
            Fragment::Text(text) => {
                self.open = Some(text.part);
                pass(fragment);
            }
            Fragment::CallText(_) | Fragment::InvalidCall(_) => pass(fragment),
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

    /// Whether there was too much.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// How much of a piece of reasoning may pass, which comes beside the fragments. `begins`: it is
    /// the first of its event. If it is not all, the turn is to be ended.
    pub(crate) fn reason<'t>(&mut self, text: &'t str, begins: bool) -> &'t str {
        if begins && !self.counts() { "" } else { self.admit(text) }
    }

    /// Ends the turn: there was too much.
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
        pass(Fragment::Diagnostic(Diagnostic { kind: DiagnosticKind::TooMuch, content, at: 0 }));
    }

    /// Counts an event, if there is room for it.
    fn counts(&mut self) -> bool {
        let fits = self.events < self.limits.events;
        self.events += usize::from(fits);
        fits
    }
}
