/// The beginning and the end of a text of any length, in bounded memory: for a tool whose output
/// may be endless.
///
/// ```
/// use silcrow_exec::HeadTail;
///
/// let mut output = HeadTail::new(8);
/// for line in ["one\n", "two\n", "three\n", "4\n"] {
///     output.push(line);
/// }
/// let gone = "[8 bytes are left out here and gone; ask for less, or for a part of it]";
/// assert_eq!(output.finish(), format!("one\ntw\n{gone}\n4\n"));
/// ```
///
/// The beginning has three quarters of the room, the end has the rest. A character is never cut.
/// [`Context::head_tail`](crate::Context::head_tail) gives one that fits what the call may give.
#[derive(Clone, Debug)]
pub struct HeadTail {
    room: usize,
    head: String,
    is_head_full: bool,
    /// At most twice its room, so that cutting it costs no more than filling it.
    tail: String,
    left_out: u64,
}

impl HeadTail {
    /// An empty one that keeps at most so many bytes. Its text may be longer by one line, which
    /// says how many are left out.
    pub const fn new(room: usize) -> Self {
        Self { room, head: String::new(), is_head_full: false, tail: String::new(), left_out: 0 }
    }

    /// Adds to the end.
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

    /// Bytes that are left out.
    pub fn left_out(&self) -> u64 {
        let excess = self.tail.len().saturating_sub(self.tail_room());
        self.left_out + self.tail.ceil_char_boundary(excess) as u64
    }

    /// The whole text, or its two ends with a line between them for the model: how much is gone,
    /// and to ask for less.
    pub fn finish(self) -> String {
        let line = gone(self.left_out());
        self.finish_with(&line)
    }

    /// The same with another line.
    pub(crate) fn finish_with(mut self, line: &str) -> String {
        self.cut_tail();
        let mut text = self.head;
        if self.left_out > 0 {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(&self.tail);
        text
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

    /// Also what a character that did not fit left of the beginning, so that a text which fits is
    /// whole.
    const fn tail_room(&self) -> usize {
        self.room - self.head.len()
    }
}

/// What the model is told of bytes that nobody has kept.
pub(crate) fn gone(left_out: u64) -> String {
    format!("[{left_out} bytes are left out here and gone; ask for less, or for a part of it]")
}

/// Bytes that such a line takes at most, with the ends of lines around it.
pub(crate) const LINE: usize = 128;
