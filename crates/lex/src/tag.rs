use crate::index::RuleSet;
use crate::lexer::{Lexer, Token};
use crate::table::Mode;

/// The longest tag, in bytes, from its `<` to its `>` (P-19).
pub const MAX_TAG: usize = 1 << 10;

/// Why what began with a tag's name counts for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a tag is none, or it is escaped")]
pub enum TagEnd {
    /// It is no tag: all of it is text, and what disproves it comes next.
    Broken,
    /// It is a whole tag behind a doubled first character: its own first character is dropped, the
    /// rest is text, and its `>` comes next (P-3).
    Escaped,
}

/// Where in a tag the next character stands. Attributes are followed, not read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    rules: RuleSet,
    /// Another first character stands before it.
    doubled: bool,
    /// Bytes so far.
    len: u16,
    part: Part,
    /// Brackets open in an array.
    depth: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// White space, an attribute, or the end.
    Between,
    Name,
    /// White space, or `=`.
    Named,
    /// White space, or a value.
    Equals,
    /// A bare word.
    Word,
    DoubleQuoted,
    SingleQuoted,
    /// A bare JSON array.
    Array,
    /// A string of it.
    String,
    /// Behind a backslash of it.
    Escaped,
}

/// What a character of a tag is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    Value,
    Glue,
}

impl Tag {
    pub(crate) const START: Self =
        Self { rules: 0, doubled: false, len: 0, part: Part::Between, depth: 0 };

    /// What the next character is, and the tag behind it; `None` if it ends the tag or disproves
    /// it. Another `<` always does, also in quotes.
    fn step(self, next: char) -> Option<(Kind, Self)> {
        let len = self.len + next.len_utf8() as u16;
        if next == '<' || usize::from(len) > MAX_TAG {
            return None;
        }
        let mut depth = self.depth;
        let (kind, part) = match (self.part, next) {
            (Part::DoubleQuoted, '"') | (Part::SingleQuoted, '\'') => (Kind::Glue, Part::Between),
            (Part::DoubleQuoted | Part::SingleQuoted, _) => (Kind::Value, self.part),
            (Part::Escaped, _) | (Part::Array, '"') => (Kind::Value, Part::String),
            (Part::String, '"') => (Kind::Value, Part::Array),
            (Part::String, '\\') => (Kind::Value, Part::Escaped),
            (Part::String, _) => (Kind::Value, Part::String),
            (Part::Array | Part::Equals, '[') => {
                depth += 1;
                (Kind::Value, Part::Array)
            }
            (Part::Array, ']') => {
                depth -= 1;
                (Kind::Value, if depth == 0 { Part::Between } else { Part::Array })
            }
            (Part::Array, _) => (Kind::Value, Part::Array),
            (Part::Between | Part::Word, _) if is_space(next) => (Kind::Glue, Part::Between),
            (Part::Name | Part::Named, _) if is_space(next) => (Kind::Glue, Part::Named),
            (Part::Name | Part::Named, '=') => (Kind::Glue, Part::Equals),
            (Part::Equals, _) if is_space(next) => (Kind::Glue, Part::Equals),
            (Part::Equals, '"') => (Kind::Glue, Part::DoubleQuoted),
            (Part::Equals, '\'') => (Kind::Glue, Part::SingleQuoted),
            (Part::Between | Part::Name, _) if is_word(next) => (Kind::Name, Part::Name),
            (Part::Equals | Part::Word, _) if is_word(next) => (Kind::Value, Part::Word),
            _ => return None,
        };
        Some((kind, Self { len, part, depth, ..self }))
    }

    /// Passes what goes on as a name or a value does, as `step` would, and says how much it is.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        let goes_on = |byte: u8| match self.part {
            Part::Name | Part::Word => is_word(char::from(byte)),
            Part::DoubleQuoted => !matches!(byte, b'"' | b'<'),
            Part::SingleQuoted => !matches!(byte, b'\'' | b'<'),
            Part::String => !matches!(byte, b'"' | b'\\' | b'<'),
            _ => false,
        };
        let room = MAX_TAG - usize::from(self.len);
        let same = bytes.iter().take(room).take_while(|byte| byte.is_ascii() && goes_on(**byte));
        let passed = same.count();
        self.len += passed as u16;
        passed
    }

    /// Whether a `>` that comes now ends the tag.
    fn may_end(self) -> bool {
        matches!(self.part, Part::Between | Part::Word) && usize::from(self.len) < MAX_TAG
    }
}

impl Lexer {
    /// Gives out a tag's name and enters its attributes.
    pub(crate) fn begin_tag(&mut self, rules: RuleSet, doubled: bool) -> Token<'static> {
        let rule = self.table().rule(rules);
        let name = rule.stem();
        self.tag = Tag { rules, doubled, len: name.len() as u16, ..Tag::START };
        self.before = self.mode;
        self.mode = Mode::Tag;
        Token::Tag(rule.marker, name)
    }

    /// The next token of a tag, behind its name.
    #[cold]
    pub(crate) fn tag<'a>(&mut self, input: &mut &'a str) -> Option<Token<'a>> {
        let mut run = None;
        let mut end = 0;
        while let Some(next) = input[end..].chars().next()
            && let Some((kind, tag)) = self.tag.step(next)
            && *run.get_or_insert(kind) == kind
        {
            self.tag = tag;
            end += next.len_utf8();
            if kind != Kind::Glue {
                end += self.tag.pass(&input.as_bytes()[end..]);
            }
        }
        let Some(kind) = run else { return Some(self.decide_tag(input)) };
        let (text, rest) = input.split_at(end);
        *input = rest;
        self.pass(text);
        Some(match kind {
            Kind::Name => Token::Name(text),
            Kind::Value => Token::Value(text),
            Kind::Glue => Token::Glue(text),
        })
    }

    /// The tag ends before the character that comes next, or with it.
    fn decide_tag(&mut self, input: &mut &str) -> Token<'static> {
        if !(input.starts_with('>') && self.tag.may_end()) {
            return self.end_tag(TagEnd::Broken);
        }
        if self.tag.doubled {
            return self.end_tag(TagEnd::Escaped);
        }
        *input = &input[1..];
        let rule = self.table().rule(self.tag.rules);
        self.mode = self.before;
        self.enter(rule);
        Token::Delimiter(rule.marker, ">")
    }

    /// There is no tag: what was before it goes on.
    pub(crate) fn end_tag(&mut self, end: TagEnd) -> Token<'static> {
        self.mode = self.before;
        Token::TagEnd(end)
    }
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n')
}

fn is_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '-')
}
