use std::ops::{Add, AddAssign};

use crate::fields::Fields;
use crate::json::Object;

/// What one request to a model, or all of a run, took.
///
/// Whoever reports part of it leaves the rest: `Usage { input, output, ..Usage::default() }`.
/// A sum adds all of it up, and is an estimate as soon as one part is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "providers name what they know and take the rest")]
pub struct Usage {
    /// Tokens read, those from a cache included.
    pub input: u64,
    /// Tokens written, reasoning included.
    pub output: u64,
    /// Of `input`, tokens read from the provider's cache.
    pub cached: u64,
    /// Of `output`, tokens that the model thought with.
    pub reasoning: u64,
    /// Bytes of requests, as handed to the transport: the body of an HTTP request, the payload of
    /// a message on a socket. Headers, frames, encryption and the opening of a connection are not
    /// in it. Each request counts as often as it is sent, also where no answer came.
    pub sent: u64,
    /// Seconds from asking to the first delta; 0 where none came. In a sum, how long all requests
    /// waited together.
    pub first: f64,
    /// Seconds from asking to the end of what came of it.
    pub duration: f64,
    /// Whether the tokens are an estimate made here, because the vendor reported none.
    pub estimated: bool,
}

impl Usage {
    pub(crate) fn read(fields: Option<Fields<'_>>) -> Self {
        let Some(usage) = fields else { return Self::default() };
        Self {
            input: usage.number("input").unwrap_or_default(),
            output: usage.number("output").unwrap_or_default(),
            cached: usage.number("cached").unwrap_or_default(),
            reasoning: usage.number("reasoning").unwrap_or_default(),
            sent: usage.number("sent").unwrap_or_default(),
            first: usage.seconds("first").unwrap_or_default(),
            duration: usage.seconds("duration").unwrap_or_default(),
            estimated: usage.get("estimated") == Some("true"),
        }
    }

    /// What older logs do not have is left out where it says nothing, and read so where it is
    /// missing.
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.integer("input", self.input);
        to.integer("output", self.output);
        to.integer("cached", self.cached);
        to.float("duration", self.duration);
        for (key, count) in [("reasoning", self.reasoning), ("sent", self.sent)] {
            if count > 0 {
                to.integer(key, count);
            }
        }
        if self.first != 0.0 {
            to.float("first", self.first);
        }
        if self.estimated {
            to.bool("estimated", true);
        }
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            input: self.input.saturating_add(more.input),
            output: self.output.saturating_add(more.output),
            cached: self.cached.saturating_add(more.cached),
            reasoning: self.reasoning.saturating_add(more.reasoning),
            sent: self.sent.saturating_add(more.sent),
            first: self.first + more.first,
            duration: self.duration + more.duration,
            estimated: self.estimated || more.estimated,
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        *self = *self + more;
    }
}
