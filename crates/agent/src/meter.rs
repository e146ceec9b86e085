//! The usage of one request: the provider's figures, and an estimate of the rest.

use silcrow_event::Usage;
use silcrow_provider::{CallDelta, Delta, Error, Estimate};
use tokio::time::Instant;

/// Measures one request by the provider's reports and by the deltas.
pub(crate) struct Meter {
    started: Instant,
    /// The time of the first piece of the answer.
    first: Option<Instant>,
    /// The estimated tokens of the messages.
    read: u64,
    reported: Usage,
    /// The estimate of text that no report covers.
    written: Estimate,
    /// The estimate of reasoning that no report covers.
    thought: Estimate,
}

impl Meter {
    /// Creates the meter of a request that begins now and whose messages have about this many
    /// tokens.
    pub(crate) fn new(read: u64) -> Self {
        Self {
            started: Instant::now(),
            first: None,
            read,
            reported: Usage::default(),
            written: Estimate::default(),
            thought: Estimate::default(),
        }
    }

    /// Takes a delta.
    pub(crate) fn push(&mut self, delta: Option<&Result<Delta, Error>>) {
        match delta {
            Some(Ok(Delta::Text(text))) => self.piece().written.push(text),
            Some(Ok(Delta::Call(CallDelta::Args(args)))) => self.piece().written.push(args),
            Some(Ok(Delta::Call(CallDelta::Begin { name, .. }))) => self.piece().written.push(name),
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

    /// Counts bytes that were sent and led to no answer.
    pub(crate) const fn lost(&mut self, bytes: u64) {
        self.reported.sent_bytes = self.reported.sent_bytes.saturating_add(bytes);
    }

    /// Returns the estimated tokens of the messages.
    pub(crate) const fn read(&self) -> u64 {
        self.read
    }

    /// Returns the number of tokens that were written up to now.
    pub(crate) const fn output(&self) -> u64 {
        let estimated = self.written.tokens().saturating_add(self.thought.tokens());
        self.reported.output.saturating_add(estimated)
    }

    fn piece(&mut self) -> &mut Self {
        self.first.get_or_insert_with(Instant::now);
        self
    }

    /// Returns the usage up to now. Once an answer has begun, figures that the provider has not
    /// reported are estimated.
    pub(crate) fn took(&self) -> Usage {
        let mut usage = Usage {
            time_to_first_delta: self.first.map(|first| first - self.started).unwrap_or_default(),
            duration: self.started.elapsed(),
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
