//! The numbers of events, which are positions in a response.
//!
//! Firm events are those that the log determines, such as the end of a text or a call. Events about
//! a text that is being written come between them, and their pieces depend on the model. The number
//! of an event is the number of firm ones before it times [`STEP`], plus the position in the text.

/// Numbers events, and tracks which of them a client has read.
#[derive(Debug, Default)]
pub(super) struct SequenceNumbers {
    /// The number of firm events so far.
    firm: u64,
    /// The position in the text that is being written.
    text: u64,
    /// The last firm event that the client has read, by its number from 0.
    known_firm: Option<u64>,
    /// The position up to which the client has read the first text that ends after that.
    known_text: u64,
    /// The last number that was returned, or that the client has read.
    written: Option<u64>,
}

impl SequenceNumbers {
    /// Returns the numbers for a client that has read up to this one.
    pub(super) fn starting_after(number: u64) -> Self {
        let (firm, text) = (number / STEP, number % STEP);
        let written = Some(number);
        Self { known_firm: Some(firm), known_text: text, written, ..Self::default() }
    }

    /// Returns the number of the next firm event, unless the client has read it.
    pub(super) fn firm(&mut self) -> Option<u64> {
        let is_known = Some(self.firm) <= self.known_firm;
        let number = self.firm * STEP + self.text.max(self.known_text);
        self.firm += 1;
        self.write(is_known, number)
    }

    /// Returns the number of the last event, which the client gets although it may have read more
    /// than the log has.
    pub(super) fn last(&mut self) -> u64 {
        let number = self.firm().unwrap_or_default();
        number.max(self.known_firm.map_or(0, |firm| (firm + 1).saturating_mul(STEP)))
    }

    /// Returns the number of an event at this position of the text that is being written, unless
    /// the client has read it.
    pub(super) fn text(&mut self, position: u64) -> Option<u64> {
        self.text = position;
        let last = self.firm.saturating_sub(1);
        let is_known = Some(last) < self.known_firm || position <= self.known_text;
        self.write(is_known, last * STEP + position)
    }

    /// Returns a number, unless the client has read its event.
    fn write(&mut self, is_known: bool, number: u64) -> Option<u64> {
        if is_known {
            return None;
        }
        self.written = Some(number);
        Some(number)
    }

    /// Returns the number of the last event that was written or skipped.
    pub(super) const fn written(&self) -> Option<u64> {
        self.written
    }

    /// Returns how far the client has read the text that is being written.
    pub(super) const fn known_text(&self) -> u64 {
        self.known_text
    }

    /// Ends the text, before the firm events about its end.
    pub(super) fn end_text(&mut self) {
        self.text = 0;
        if Some(self.firm) > self.known_firm {
            self.known_text = 0;
        }
    }
}

/// The distance of two firm events, and so the limit of a position in a text.
pub(super) const STEP: u64 = 100_000;
