//! The ids of a trace and its spans for other programs, derived from the log.
//!
//! A trace has everything that follows from one prompt: its runs, their requests and calls, and the
//! agents that these run. The ids are hashes of names and of the time of the prompt, so that each
//! process that reads the log finds the same ones.

use std::fmt;

use crate::timestamp::Timestamp;

/// The id of a trace. It is never zero.
///
/// ```
/// use silcrow_event::TraceId;
///
/// // W3C Trace Context forbids an id of zeros.
/// assert_eq!(TraceId::from_bytes([0; 16]), None);
/// let id = TraceId::from_bytes(*b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\xff").unwrap();
/// assert_eq!(id.to_string(), "000000000000000000000000000001ff");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId([u8; 16]);

/// The id of a span within a trace. It is never zero.
///
/// ```
/// use silcrow_event::SpanId;
///
/// // W3C Trace Context forbids an id of zeros.
/// assert_eq!(SpanId::from_bytes([0; 8]), None);
/// let id = SpanId::from_bytes(*b"\0\0\0\0\0\0\x01\xff").unwrap();
/// assert_eq!(id.to_string(), "00000000000001ff");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanId([u8; 8]);

/// A span of a trace, as it is named to other programs.
///
/// ```
/// use silcrow_event::{Entry, Event, Timestamp, TraceContext, TraceId};
///
/// let time = Some(Timestamp::from_nanos(1_763_712_345_123_456_000));
/// let prompt = Entry { turn: Some(1), timestamp: time, ..Event::user("2 + 2?").into() };
/// let call = TraceContext::of_call(TraceId::of_prompt("sums", &prompt), "sums", 1, "a1");
/// let header = call.traceparent();
/// assert_eq!(header, "00-fbd22a9ff4549052ea800ba20a42eafa-3e2b8518197a42b8-01");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a span is named by two ids")]
pub struct TraceContext {
    /// The trace.
    pub trace: TraceId,
    /// The span within it.
    pub span: SpanId,
}

impl TraceId {
    /// Returns the trace that begins in a turn of a conversation at a time.
    pub(crate) fn new(conversation: &str, turn: u32, time: Timestamp) -> Self {
        let mut hash = IdHash::new("trace");
        hash.update(conversation.as_bytes());
        hash.update(&turn.to_be_bytes());
        hash.update(&time.as_nanos().to_be_bytes());
        Self(hash.finish().to_be_bytes())
    }

    /// Returns the id with these bytes, unless all are zero.
    pub fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        (bytes != [0; 16]).then_some(Self(bytes))
    }

    /// Returns the bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl SpanId {
    /// Returns the id with these bytes, unless all are zero.
    pub fn from_bytes(bytes: [u8; 8]) -> Option<Self> {
        (bytes != [0; 8]).then_some(Self(bytes))
    }

    /// Returns the bytes.
    pub const fn as_bytes(&self) -> &[u8; 8] {
        &self.0
    }
}

impl TraceContext {
    /// Returns the span of a run.
    pub fn of_run(trace: TraceId, conversation: &str, run: &str) -> Self {
        Self::new(trace, "run", &[conversation.as_bytes(), run.as_bytes()])
    }

    /// Returns the span of a request to a model. `name` tells the requests of a turn apart.
    pub fn of_request(trace: TraceId, conversation: &str, turn: u32, name: &str) -> Self {
        let turn = turn.to_be_bytes();
        Self::new(trace, "request", &[conversation.as_bytes(), &turn, name.as_bytes()])
    }

    /// Returns the span of a call.
    pub fn of_call(trace: TraceId, conversation: &str, turn: u32, id: &str) -> Self {
        let turn = turn.to_be_bytes();
        Self::new(trace, "call", &[conversation.as_bytes(), &turn, id.as_bytes()])
    }

    /// Returns the span of a control block, or of an item of a loop.
    pub fn of_block(trace: TraceId, conversation: &str, turn: u32, row: &str) -> Self {
        let turn = turn.to_be_bytes();
        Self::new(trace, "block", &[conversation.as_bytes(), &turn, row.as_bytes()])
    }

    fn new(trace: TraceId, kind: &str, parts: &[&[u8]]) -> Self {
        let mut hash = IdHash::new(kind);
        hash.update(&trace.0);
        parts.iter().for_each(|part| hash.update(part));
        let hash = hash.finish();
        // The halves of a hash that is not zero may be the same.
        let span = ((hash >> 64) as u64).rotate_left(1) ^ hash as u64;
        Self { trace, span: SpanId(span.max(1).to_be_bytes()) }
    }

    /// Returns the value of the header `traceparent` of W3C Trace Context. It says that the trace is
    /// recorded.
    pub fn traceparent(&self) -> String {
        format!("00-{}-{}-01", self.trace, self.span)
    }
}

/// Writes the id in hex.
impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// Writes the id in hex.
impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

/// The hash FNV-1a of 128 bits over names, with their bits mixed at the end, because collectors take
/// a part of an id as a random number.
struct IdHash(u128);

impl IdHash {
    fn new(kind: &str) -> Self {
        let mut hash = Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        hash.update(kind.as_bytes());
        hash
    }

    /// Adds a name and its length, so that two names never read as two others.
    fn update(&mut self, part: &[u8]) {
        let length = (part.len() as u64).to_be_bytes();
        for byte in length.iter().chain(part) {
            self.0 = (self.0 ^ u128::from(*byte))
                .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    fn finish(self) -> u128 {
        let (high, low) = (mixed((self.0 >> 64) as u64), mixed(self.0 as u64));
        let (high, low) = (mixed(high ^ low.rotate_left(32)), mixed(low.wrapping_add(high)));
        (u128::from(high) << 64 | u128::from(low)).max(1)
    }
}

/// Makes each bit depend on all others: the last step of MurmurHash3.
const fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    bits ^ (bits >> 33)
}
