//! The two ends of a long text, which is taken piece by piece.
//!
//! The beginning is filled first. Later text fills the end, from which older text is dropped.

use silcrow_event::Truncation;

/// A collector that keeps the beginning and the end of a text of any length in bounded memory, for
/// a tool whose output may be endless.
///
/// ```
/// use silcrow_event::Truncation;
/// use silcrow_tool::HeadTail;
///
/// let mut output = HeadTail::new(8);
/// for line in ["one\n", "two\n", "three\n", "4\n"] {
///     output.push(line);
/// }
/// let truncated = Truncation::default().with_omitted_bytes(8).with_tail("4\n");
/// assert_eq!(output.finish(), ("one\ntw".to_owned(), Some(truncated)));
/// ```
///
/// The beginning has three quarters of the space, the end has the rest. A character is never cut.
/// [`CallContext::head_tail`](crate::CallContext::head_tail) returns one with the call's own limit.
#[derive(Clone, Debug)]
pub struct HeadTail {
    room: usize,
    head: String,
    is_head_full: bool,
    /// The end, at most twice as long as its space, so that cutting it costs at most as much as
    /// filling it.
    tail: String,
    left_out: u64,
}

impl HeadTail {
    /// Creates an empty collector that keeps at most this many bytes.
    pub const fn new(room: usize) -> Self {
        Self { room, head: String::new(), is_head_full: false, tail: String::new(), left_out: 0 }
    }

    /// Appends text.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        if !self.is_head_full {
            let room = self.head_room() - self.head.len();
            let (fits, beyond) = text.split_at(text.floor_char_boundary(room));
            self.head.push_str(fits);
            self.is_head_full = !beyond.is_empty();
            rest = beyond;
        }
        let room = self.tail_room();
        if rest.len() > room {
            let cut = rest.ceil_char_boundary(rest.len() - room);
            self.left_out += (self.tail.len() + cut) as u64;
            self.tail.clear();
            rest = &rest[cut..];
        }
        self.tail.push_str(rest);
        if self.tail.len() > 2 * room {
            self.cut_tail();
        }
    }

    /// Returns the number of bytes that are left out so far.
    pub fn left_out(&self) -> u64 {
        let excess = self.tail.len().saturating_sub(self.tail_room());
        self.left_out + self.tail.ceil_char_boundary(excess) as u64
    }

    /// Returns the whole text, or its beginning together with its end and the number of bytes that
    /// are left out between them.
    pub fn finish(mut self) -> (String, Option<Truncation>) {
        self.cut_tail();
        if self.left_out == 0 {
            self.head.push_str(&self.tail);
            return (self.head, None);
        }
        let truncated = Truncation::default().with_omitted_bytes(self.left_out);
        (self.head, Some(truncated.with_tail(self.tail)))
    }

    fn cut_tail(&mut self) {
        let excess = self.tail.len().saturating_sub(self.tail_room());
        let cut = self.tail.ceil_char_boundary(excess);
        self.left_out += cut as u64;
        self.tail.drain(..cut);
    }

    const fn head_room(&self) -> usize {
        self.room - self.room / 4
    }

    /// Returns the space for the end. It includes bytes that the beginning leaves free because a
    /// character did not fit, so that a text that fits is kept whole.
    const fn tail_room(&self) -> usize {
        self.room - self.head.len()
    }
}
