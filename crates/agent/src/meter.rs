use silcrow_event::{Message, Usage};
use silcrow_provider::{Delta, Error, Estimate};
use tokio::time::Instant;

/// What one request takes: what the vendor says of it, and what can be seen from here.
pub(crate) struct Meter {
    started: Instant,
    /// When the first piece came.
    first: Option<Instant>,
    /// Of what the model was told.
    read: u64,
    reported: Usage,
    /// Of the text that the report does not cover.
    written: Estimate,
    /// Of the reasoning that the report does not cover.
    thought: Estimate,
}

impl Meter {
    /// Of a request with these messages, made now.
    pub(crate) fn new(messages: &[Message]) -> Self {
        Self {
            started: Instant::now(),
            first: None,
            read: Estimate::of_messages(messages),
            reported: Usage::default(),
            written: Estimate::default(),
            thought: Estimate::default(),
        }
    }

    /// What the model gave.
    pub(crate) fn hear(&mut self, delta: Option<&Result<Delta, Error>>) {
        match delta {
            Some(Ok(Delta::Text(text))) => self.piece().written.push(text),
            Some(Ok(Delta::Reasoning(text))) => self.piece().thought.push(text),
            Some(Ok(Delta::Usage(usage))) => {
                self.reported = *usage;
                if usage.output > 0 {
                    self.written = Estimate::default();
                    self.thought = Estimate::default();
                }
            }
            Some(Err(error)) => self.lost(error.sent()),
            _ => {}
        }
    }

    /// So many bytes were sent for nothing.
    pub(crate) const fn lost(&mut self, bytes: u64) {
        self.reported.sent = self.reported.sent.saturating_add(bytes);
    }

    fn piece(&mut self) -> &mut Self {
        self.first.get_or_insert_with(Instant::now);
        self
    }

    /// All of it, up to now. What the vendor has not reported of an answer is estimated; where no
    /// answer came, there is nothing to estimate.
    pub(crate) fn took(&self) -> Usage {
        let seconds = |until: Instant| (until - self.started).as_secs_f64();
        let mut usage = Usage {
            first: self.first.map(seconds).unwrap_or_default(),
            duration: seconds(Instant::now()),
            ..self.reported
        };
        if self.first.is_some() {
            let [written, thought] = [self.written, self.thought].map(Estimate::tokens);
            let read = if usage.input == 0 { self.read } else { 0 };
            usage.estimated |= read + written + thought > 0;
            usage.input += read;
            usage.output += written + thought;
            usage.reasoning += thought;
        }
        usage
    }
}
