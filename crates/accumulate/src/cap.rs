use silcrow_event::{Fragment, Note, Oddity, Text};

/// How much one turn may give (P-9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Thoughts and answers together, in bytes.
    pub text: usize,
    /// Complete events.
    pub events: usize,
}

impl Default for Limits {
    /// 16 MiB of text, 100,000 events.
    fn default() -> Self {
        Self { text: 16 << 20, events: 100_000 }
    }
}

/// Lets the fragments of one turn pass until they are more than its limits allow (P-9).
///
/// It ends the turn as a length stop does: the text is cut at the limit, wherever the chunks were
/// cut, and closed; a note says what was too much; then nothing passes any more, so that what is
/// pending is not executed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cap {
    limits: Limits,
    /// Bytes of text so far.
    text: usize,
    events: usize,
    /// The part that gives text.
    open: Option<u32>,
    over: bool,
}

impl Cap {
    /// At the start of a turn.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub(crate) const fn limits(&self) -> Limits {
        self.limits
    }

    /// Lets a fragment pass, as far as it may.
    pub fn push(&mut self, fragment: Fragment<'_>, mut pass: impl FnMut(Fragment<'_>)) {
        if self.over {
            return;
        }
        match fragment {
            Fragment::Text(text) => {
                let fits = self.fit(text.text);
                if !fits.is_empty() {
                    self.open = Some(text.part);
                    pass(Fragment::Text(Text { text: fits, ..text }));
                }
                if fits.len() < text.text.len() {
                    self.end(pass);
                }
            }
            Fragment::CallText(_) | Fragment::BadCall(_) => pass(fragment),
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
        if begins && !self.counts() { "" } else { self.fit(text) }
    }

    /// Ends the turn.
    pub(crate) fn end(&mut self, mut pass: impl FnMut(Fragment<'_>)) {
        self.over = true;
        if let Some(part) = self.open.take() {
            pass(Fragment::Close { part });
        }
        let Limits { text, events } = self.limits;
        let content = format!(
            "a turn may give {text} bytes of text and {events} events; the rest was dropped"
        );
        pass(Fragment::Note(Note { oddity: Oddity::TooMuch, content, at: 0 }));
    }

    /// As much of the text as there is room for.
    fn fit<'t>(&mut self, text: &'t str) -> &'t str {
        let fits = text.floor_char_boundary(self.limits.text - self.text);
        self.text += fits;
        &text[..fits]
    }

    /// Counts an event, if there is room for it.
    fn counts(&mut self) -> bool {
        let fits = self.events < self.limits.events;
        self.events += usize::from(fits);
        fits
    }
}
