use memchr::memchr;

use crate::find::plain;
use crate::lexer::{Close, Found, Lexer, Line, Token};
use crate::table::{Bodies, Mode, Table};

/// Where in a call body the next byte stands. JSON is followed, not parsed (P-8).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    part: Part,
    /// Brackets open; it saturates, and a value so deep is refused when it is read.
    depth: u32,
    pub(crate) in_string: bool,
    escaped: bool,
    /// A raw line break stood in a string.
    broken: bool,
    /// The body stands in a code fence.
    fenced: bool,
    /// Backticks withheld: they may become a fence.
    ticks: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// White space, then a bracket or a fence.
    Before,
    /// The line that opens a fence.
    Fence,
    /// Brackets are counted.
    Tracked,
    /// An item of a list that is neither object, array nor string.
    Scalar,
    /// The item is complete; that is not given out yet.
    Closing,
    /// It began with no bracket: it reaches to the next marker.
    Untracked,
    /// Given up as too long (P-9).
    Dropped,
    /// Between the items of a list.
    Between,
    /// Behind a list's last bracket, or an action's.
    After,
}

impl Body {
    pub(crate) const START: Self = Self::at(Part::Before);
    pub(crate) const DROPPED: Self = Self::at(Part::Dropped);

    const fn at(part: Part) -> Self {
        Self {
            part,
            depth: 0,
            in_string: false,
            escaped: false,
            broken: false,
            fenced: false,
            ticks: 0,
        }
    }

    pub(crate) fn is_holding(&self) -> bool {
        self.part == Part::Closing || self.ticks > 0
    }

    pub(crate) fn is_dropped(&self) -> bool {
        self.part == Part::Dropped
    }

    /// Whether a call is being written: one of a list from its first byte on, any other from its
    /// marker on.
    pub(crate) fn is_open(&self, table: &Table) -> bool {
        match self.part {
            Part::Before | Part::Fence => table.bodies != Bodies::List,
            Part::Between | Part::After | Part::Closing => false,
            Part::Tracked | Part::Scalar | Part::Untracked | Part::Dropped => true,
        }
    }

    fn is_in_plain_string(&self) -> bool {
        self.in_string && !self.broken && !self.escaped
    }

    /// How a marker ends it.
    pub(crate) fn cut(&self) -> Close {
        if self.in_string { Close::Torn } else { Close::Unclosed }
    }

    /// How the end of the input ends it.
    pub(crate) fn end(&self) -> Close {
        match self.part {
            Part::Untracked | Part::Dropped => Close::Unclosed,
            _ => Close::Torn,
        }
    }

    /// What was withheld before an item is no marker: the item begins with it.
    pub(crate) fn begin_plain(&mut self) {
        self.part = match self.part {
            Part::Before => Part::Untracked,
            Part::Between => Part::Scalar,
            part => part,
        };
    }

    /// Text of the part.
    pub(crate) fn token<'a>(&self, text: &'a str) -> Token<'a> {
        match self.part {
            Part::Before | Part::Fence | Part::Between | Part::After => Token::Glue(text),
            _ => Token::Body(text),
        }
    }
}

impl Lexer {
    /// The next token of a call body.
    #[inline]
    pub(crate) fn body<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        // By far the most of a body is in strings, and none of it is special.
        if self.body.is_in_plain_string() && plain(input.as_bytes()) == input.len() {
            self.line = Line::Middle;
            return Some(Token::Body(core::mem::take(input)));
        }
        self.body_with_marks(input)
    }

    fn body_with_marks<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        let within = self.body.part == Part::Tracked;
        let mut end = if within { 0 } else { self.glue(input.as_bytes()) };
        if end == 0 && !within {
            self.begin_item(input.as_bytes());
            end = usize::from(self.body.ticks);
        }
        if self.body.ticks > 0 {
            *input = &input[end..];
            return self.resume(input);
        }
        let bytes = input.as_bytes();
        let stop = match self.body.part {
            _ if end > 0 => Ok(end),
            Part::Before | Part::Between => self.probe(bytes, 0, false).map_or(Ok(0), Err),
            Part::Fence => self.fence_line(bytes),
            Part::Tracked => self.track(bytes),
            Part::Scalar => self.scalar(bytes),
            Part::Untracked | Part::Dropped | Part::After => {
                self.search(bytes).map_or(Ok(bytes.len()), Err)
            }
            Part::Closing => Ok(0),
        };
        let text = match stop {
            Ok(end) => {
                let (text, rest) = input.split_at(end);
                *input = rest;
                text
            }
            Err(found) => self.split(input, found),
        };
        if text.is_empty() {
            return self.resume(input);
        }
        self.pass(text);
        Some(self.body.token(text))
    }

    /// Passes white space before a body, and what stands between the items of a list.
    fn glue(&mut self, bytes: &[u8]) -> usize {
        let list = self.table().bodies == Bodies::List;
        for (at, &byte) in bytes.iter().enumerate() {
            match (self.body.part, byte) {
                (Part::Before | Part::Between, b' ' | b'\t' | b'\r' | b'\n') => {}
                (Part::Before, b'[') if list => self.body.part = Part::Between,
                (Part::Between, b',') => {}
                (Part::Between, b']') => {
                    self.body.part = Part::After;
                    return at + 1;
                }
                _ => return at,
            }
        }
        match self.body.part {
            Part::Before | Part::Between => bytes.len(),
            _ => 0,
        }
    }

    /// Enters the part that begins with the first of `bytes`, which is no glue; a marker begins
    /// none.
    fn begin_item(&mut self, bytes: &[u8]) {
        let part = match (self.body.part, bytes[0]) {
            (Part::Before | Part::Between, _)
                if self.probe(bytes, 0, false).is_ok_and(|found| found.at == 0) =>
            {
                return;
            }
            (Part::Before, b'`') if !self.body.fenced => {
                self.body.ticks = 1;
                return;
            }
            (Part::Before | Part::Between, b'{' | b'[') | (Part::Between, b'"') => Part::Tracked,
            (Part::Before, _) => Part::Untracked,
            // The fence closes, with or without the list's bracket.
            (Part::Between, b'`') if self.body.fenced => Part::After,
            (Part::Between, _) => Part::Scalar,
            _ => return,
        };
        self.body = Body { fenced: self.body.fenced, ..Body::at(part) };
    }

    /// Follows strings and brackets to the item's last bracket, or to a marker that counts.
    fn track(&mut self, bytes: &[u8]) -> Result<usize, Found> {
        let first = self.dialect.first_byte();
        let mut body = self.body;
        let mut at = 0;
        loop {
            if body.is_in_plain_string() {
                at += plain(&bytes[at..]);
            }
            let Some(&byte) = bytes.get(at) else {
                self.body = body;
                return Ok(at);
            };
            // In a string a marker counts only at a line's start behind a raw line break.
            if byte == first && (!body.in_string || body.broken) {
                self.body = body;
                match self.probe(bytes, at, false) {
                    Ok(found) => return Err(found),
                    Err(behind) => at = behind,
                }
                body.escaped = false;
                continue;
            }
            at += 1;
            match byte {
                b'\n' if body.in_string => {
                    body.broken = true;
                    body.escaped = false;
                }
                _ if body.escaped => body.escaped = false,
                b'"' => body.in_string = !body.in_string,
                b'\\' if body.in_string => body.escaped = true,
                b'{' | b'[' if !body.in_string => body.depth = body.depth.saturating_add(1),
                b'}' | b']' if !body.in_string => body.depth = body.depth.saturating_sub(1),
                _ => {}
            }
            if body.depth == 0 && !body.in_string {
                body.part = Part::Closing;
                self.body = body;
                return Ok(at);
            }
        }
    }

    fn scalar(&mut self, bytes: &[u8]) -> Result<usize, Found> {
        let first = self.table().first.as_bytes()[0];
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b',' | b'[' | b']' | b'{' | b'"' => {
                    self.body.part = Part::Closing;
                    return Ok(at);
                }
                _ if byte == first => match self.probe(bytes, at, false) {
                    Ok(found) => return Err(found),
                    Err(behind) => at = behind,
                },
                _ => at += 1,
            }
        }
        Ok(at)
    }

    /// The rest of the line that opens a fence.
    fn fence_line(&mut self, bytes: &[u8]) -> Result<usize, Found> {
        let line = memchr(b'\n', bytes).map_or(bytes, |newline| &bytes[..=newline]);
        if let Some(found) = self.search(line) {
            return Err(found);
        }
        if line.ends_with(b"\n") {
            self.body.part = Part::Before;
        }
        Ok(line.len())
    }

    /// Gives out that an item is complete, and goes on with what may become a fence.
    pub(crate) fn resume_body(&mut self, input: &mut &str) -> Option<Token<'static>> {
        if self.body.part == Part::Closing {
            match self.table().bodies {
                Bodies::Lone => {
                    self.mode = Mode::Text;
                    self.line = Line::After;
                    self.body = Body::START;
                }
                Bodies::List => {
                    let fenced = self.body.fenced;
                    self.body = Body { fenced, ..Body::at(Part::Between) };
                }
                Bodies::Tagged => self.body = Body::at(Part::After),
            }
            return Some(Token::Close(Close::Complete));
        }
        while let Some(&next) = input.as_bytes().first() {
            if next != b'`' {
                return self.release_ticks();
            }
            *input = &input[1..];
            self.body.ticks += 1;
            if usize::from(self.body.ticks) == FENCE.len() {
                self.body = Body { fenced: true, ..Body::at(Part::Fence) };
                self.line = Line::Middle;
                return Some(Token::Glue(FENCE));
            }
        }
        None
    }

    /// Backticks that are too few for a fence are content.
    pub(crate) fn release_ticks(&mut self) -> Option<Token<'static>> {
        let ticks = usize::from(self.body.ticks);
        if ticks == 0 {
            return None;
        }
        self.body = Body::at(Part::Untracked);
        self.line = Line::Middle;
        Some(Token::Body(&FENCE[..ticks]))
    }
}

const FENCE: &str = "```";
