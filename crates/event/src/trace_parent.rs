//! The span of a caller, as the header `traceparent` of W3C Trace Context names it.

use std::fmt;

use crate::trace_context::{SpanId, TraceContext, TraceId};

/// The span around something, and whether its trace is recorded.
///
/// ```
/// use silcrow_event::TraceParent;
///
/// let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// let parent = TraceParent::parse(header).unwrap();
/// assert!(parent.is_recorded);
/// assert_eq!(parent.to_string(), header);
/// assert_eq!(TraceParent::parse("00-4BF9-1-01"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "the header has no other members")]
pub struct TraceParent {
    /// The span.
    pub context: TraceContext,
    /// Whether the caller records the trace. If it does not, nobody below it does either.
    pub is_recorded: bool,
}

impl TraceParent {
    /// Reads the value of the header. Returns `None` for anything else, which W3C Trace Context says
    /// to ignore. Versions that do not exist yet may have more members, which are left out.
    pub fn parse(header: &str) -> Option<Self> {
        let mut members = header.trim_matches([' ', '\t']).split('-');
        let [version] = bytes(members.next()?)?;
        let trace = TraceId::from_bytes(bytes(members.next()?)?)?;
        let span = SpanId::from_bytes(bytes(members.next()?)?)?;
        let [flags] = bytes(members.next()?)?;
        if version == 0xff || (version == 0 && members.next().is_some()) {
            return None;
        }
        Some(Self { context: TraceContext { trace, span }, is_recorded: flags & RECORDED != 0 })
    }
}

/// Writes the value of the header.
impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TraceContext { trace, span } = self.context;
        write!(f, "00-{trace}-{span}-{:02x}", u8::from(self.is_recorded))
    }
}

/// Reads lower-case hex digits, two for each byte.
fn bytes<const N: usize>(hex: &str) -> Option<[u8; N]> {
    let digits = hex.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut read = [0; N];
    for (byte, pair) in read.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(read)
}

const fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// The flag of a trace that is recorded.
const RECORDED: u8 = 1;
