use memchr::memchr3;

use crate::lexer::{BodyEnd, Lexer, Line, Token};
use crate::pending::{Pending, Stage};
use crate::recognise::Found;
use crate::string::find_stop;
use crate::table::{Bodies, Mode, Table};

/// Where in a call body the next byte stands. JSON is followed, not parsed (P-8).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    part: Part,
    /// Brackets open; it saturates, and a value so deep is refused when it is read.
    pub(crate) depth: u32,
    pub(crate) in_string: bool,
    pub(crate) escaped: bool,
    /// A raw line break stood in a string.
    pub(crate) broken: bool,
    /// The body stands in a code fence.
    fenced: bool,
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
    /// It began with no bracket: it reaches to the next delimiter.
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
        Self { part, depth: 0, in_string: false, escaped: false, broken: false, fenced: false }
    }

    pub(crate) fn is_dropped(&self) -> bool {
        self.part == Part::Dropped
    }

    /// Whether a call is being written: one of a list from its first byte on, any other from its
    /// delimiter on.
    pub(crate) fn is_open(&self, table: &Table) -> bool {
        match self.part {
            Part::Before | Part::Fence => table.bodies != Bodies::List,
            Part::Between | Part::After => false,
            Part::Tracked | Part::Scalar | Part::Untracked | Part::Dropped => true,
        }
    }

    fn is_in_plain_string(&self) -> bool {
        self.in_string && !self.broken
    }

    /// How a delimiter ends it.
    pub(crate) fn cut(&self) -> BodyEnd {
        if self.in_string { BodyEnd::Torn } else { BodyEnd::Unclosed }
    }

    /// How the end of the input ends it.
    pub(crate) fn end(&self) -> BodyEnd {
        match self.part {
            Part::Untracked | Part::Dropped => BodyEnd::Unclosed,
            _ => BodyEnd::Torn,
        }
    }

    /// What was withheld before an item is no delimiter: the item begins with it.
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
        if !self.body.is_in_plain_string() {
            return self.body_from(input, 0);
        }
        // By far the most of a body is in strings.
        match find_stop(input.as_bytes(), &mut self.body.escaped) {
            Some(stop) => self.body_from(input, stop),
            None => {
                self.line = Line::Middle;
                Some(Token::Body(core::mem::take(input)))
            }
        }
    }

    /// As `body`, where what stands before `from` is text of a string.
    fn body_from<'a>(&mut self, input: &mut &'a str, from: usize) -> Option<Token<'a>> {
        let text = match self.follow(input.as_bytes(), from) {
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

    /// Where the part at hand ends: at a delimiter, or at something else.
    fn follow(&mut self, bytes: &[u8], from: usize) -> Result<usize, Found> {
        if self.body.part == Part::Fence && matches!(bytes[0], b'{' | b'[') {
            // The fence stands on one line with what is in it.
            self.body.part = Part::Before;
        }
        if matches!(self.body.part, Part::Before | Part::Between) {
            let end = self.glue(bytes);
            if end > 0 {
                return Ok(end);
            }
            if let Ok(found) = self.probe(bytes, 0)
                && found.at == 0
            {
                return Err(found);
            }
            self.begin_item(bytes[0]);
        }
        match self.body.part {
            // What is withheld comes next.
            Part::Before | Part::Between => Ok(0),
            Part::Fence => self.fence_line(bytes),
            Part::Tracked => self.track(bytes, from),
            Part::Scalar => self.scalar(bytes),
            Part::Untracked | Part::Dropped | Part::After => {
                self.search(bytes).map_or(Ok(bytes.len()), Err)
            }
        }
    }

    /// Passes white space before a body, and what stands between the items of a list.
    fn glue(&mut self, bytes: &[u8]) -> usize {
        let list = self.table().bodies == Bodies::List;
        for (at, &byte) in bytes.iter().enumerate() {
            match (self.body.part, byte) {
                (_, b' ' | b'\t' | b'\r' | b'\n') | (Part::Between, b',') => {}
                (Part::Before, b'[') if list => self.body.part = Part::Between,
                (Part::Between, b']') => {
                    self.body.part = Part::After;
                    return at + 1;
                }
                _ => return at,
            }
        }
        bytes.len()
    }

    /// Enters the part that begins with a byte which is no glue and begins no delimiter.
    fn begin_item(&mut self, byte: u8) {
        let fenced = self.body.fenced;
        let part = match (self.body.part, byte) {
            (Part::Before, b'`') if !fenced => {
                self.held = Pending { stage: Stage::Ticks, ..Pending::EMPTY };
                return;
            }
            (_, b'{' | b'[') | (Part::Between, b'"') => Part::Tracked,
            (Part::Before, _) => Part::Untracked,
            // The fence closes, with or without the list's bracket.
            (_, b'`') if fenced => Part::After,
            _ => Part::Scalar,
        };
        self.body = Body { fenced, ..Body::at(part) };
    }

    /// The rest of the line that opens a fence, before a bracket.
    fn fence_line(&mut self, bytes: &[u8]) -> Result<usize, Found> {
        let end = memchr3(b'\n', b'{', b'[', bytes);
        let end = end.map_or(bytes.len(), |at| at + usize::from(bytes[at] == b'\n'));
        let line = &bytes[..end];
        if let Some(found) = self.search(line) {
            return Err(found);
        }
        if line.ends_with(b"\n") {
            self.body.part = Part::Before;
        }
        Ok(line.len())
    }

    /// Gives out that an item is complete.
    pub(crate) fn complete(&mut self) -> Token<'static> {
        self.held = Pending::EMPTY;
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
        Token::Close(BodyEnd::Complete)
    }

    /// Goes on with what may become a fence. Backticks that are too few for one are content.
    pub(crate) fn resume_ticks(&mut self, input: &mut &str) -> Option<Token<'static>> {
        while let Some(&next) = input.as_bytes().first() {
            if next != b'`' {
                return self.release_pending();
            }
            *input = &input[1..];
            self.held.len += 1;
            if usize::from(self.held.len) == FENCE.len() {
                self.held = Pending::EMPTY;
                self.body = Body { fenced: true, ..Body::at(Part::Fence) };
                self.line = Line::Middle;
                return Some(Token::Glue(FENCE));
            }
        }
        None
    }
}

pub(crate) const FENCE: &str = "```";
