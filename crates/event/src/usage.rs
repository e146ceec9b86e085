//! The resources that requests to a model use.
//!
//! This module adds usage up, and defines its JSON. It does not measure anything.

use std::ops::{Add, AddAssign};
use std::time::Duration;

use crate::fields::Fields;
use crate::json::Object;
use crate::seconds::Seconds;

/// The resources that one request to a model, or a whole run, used.
///
/// Fields that are not known keep their default: `Usage { input, output, ..Usage::default() }`. A
/// sum adds up every field, and it is an estimate if any part is one.
///
/// ```
/// use silcrow_event::Usage;
///
/// let first = Usage { input: 120, output: 8, ..Usage::default() };
/// let second = Usage { input: 140, output: 5, estimated: true, ..Usage::default() };
/// let total = first + second;
/// assert_eq!(total.tokens(), 273);
/// assert!(total.estimated);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "providers name what they know and take the rest")]
pub struct Usage {
    /// The number of tokens read, including those from a cache.
    pub input: u64,
    /// The number of tokens written, including reasoning.
    pub output: u64,
    /// The part of `input` that came from the provider's cache.
    pub cached: u64,
    /// The part of `input` that the provider wrote to its cache, for which some vendors charge more. No
    /// token is also in `cached`.
    pub cache_written: u64,
    /// The part of `output` that is reasoning.
    pub reasoning: u64,
    /// The number of bytes of requests as passed to the transport: the body of an HTTP request, or
    /// the payload of a message on a socket. It excludes headers, frames, encryption and the
    /// opening of a connection. A request counts each time it is sent, even without an answer.
    pub sent_bytes: u64,
    /// The time from the request to the first delta; zero without a delta. A sum adds the times of
    /// all requests.
    pub time_to_first_delta: Duration,
    /// The time from the request to the end of its answer.
    pub duration: Duration,
    /// Whether the token counts are our own estimate, because the vendor reported none.
    pub estimated: bool,
}

impl Usage {
    /// Returns the number of tokens read and written.
    pub const fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    pub(crate) fn read(fields: Option<Fields<'_>>) -> Self {
        let Some(usage) = fields else { return Self::default() };
        Self {
            input: usage.number("input").unwrap_or_default(),
            output: usage.number("output").unwrap_or_default(),
            cached: usage.number("cached").unwrap_or_default(),
            cache_written: usage.number("cache_written").unwrap_or_default(),
            reasoning: usage.number("reasoning").unwrap_or_default(),
            sent_bytes: usage.number("sent").unwrap_or_default(),
            time_to_first_delta: usage.duration("first").unwrap_or_default(),
            duration: usage.duration("duration").unwrap_or_default(),
            estimated: usage.get("estimated") == Some("true"),
        }
    }

    /// Writes the fields. Fields that older logs do not have are omitted if they have their
    /// default, because a missing field is read as its default.
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.integer("input", self.input);
        to.integer("output", self.output);
        to.integer("cached", self.cached);
        to.number("duration", Seconds(self.duration));
        let counts = [
            ("cache_written", self.cache_written),
            ("reasoning", self.reasoning),
            ("sent", self.sent_bytes),
        ];
        for (key, count) in counts {
            if count > 0 {
                to.integer(key, count);
            }
        }
        if !self.time_to_first_delta.is_zero() {
            to.number("first", Seconds(self.time_to_first_delta));
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
            cache_written: self.cache_written.saturating_add(more.cache_written),
            reasoning: self.reasoning.saturating_add(more.reasoning),
            sent_bytes: self.sent_bytes.saturating_add(more.sent_bytes),
            time_to_first_delta: self.time_to_first_delta.saturating_add(more.time_to_first_delta),
            duration: self.duration.saturating_add(more.duration),
            estimated: self.estimated || more.estimated,
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        *self = *self + more;
    }
}
