use crate::dialect::Dialect;
use crate::find::find;
use crate::index::{Index, RuleSet};

/// What a delimiter means. The closing ones and comments exist in tag dialects only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delimiter {
    /// A thought begins.
    Think,
    /// A thought ends.
    ThinkEnd,
    /// One call begins (`sigil`, `action`).
    Call,
    /// One call ends (`action`).
    CallEnd,
    /// A list of calls begins (`phase`).
    Calls,
    /// The calls so far are to be run: `§execute`, `</execute>`.
    Execute,
    /// An answer begins.
    Respond,
    /// An answer ends (`action`).
    RespondEnd,
    /// What claims to be results begins (P-10).
    Results,
    /// What claims to be results ends.
    ResultsEnd,
    /// A comment begins (P-21).
    Comment,
    /// A comment ends.
    CommentEnd,
    /// The model is done.
    End,
}

/// What the text after a delimiter is, and with it which delimiters count there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Mode {
    /// Text outside tags, or of any `§` section.
    Text = 1,
    /// Inside `<think>` or `<thought>`.
    Think = 2,
    /// Inside `<results>`.
    Results = 4,
    /// A call body, or a list of them.
    Body = 8,
    /// Inside `<response …>`.
    Respond = 16,
    /// Inside `<!-- … -->`.
    Comment = 32,
    /// Behind the name of a tag that may hold attributes.
    Tag = 64,
    /// After the end: nothing counts (P-6).
    Done = 128,
}

/// One literal of a dialect.
pub(crate) struct Rule {
    /// The delimiter; of a tag that may hold attributes, the one that holds none.
    pub(crate) literal: &'static str,
    pub(crate) marker: Delimiter,
    /// The modes it counts in, as a set of [`Mode`] bits.
    pub(crate) counts_in: u8,
    /// Those of them in which it counts at a line's start only.
    pub(crate) at_line_start_in: u8,
    /// What it opens; `None` for what the call body stood in.
    pub(crate) opens: Option<Mode>,
    pub(crate) ends: Ends,
}

/// What settles a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Its last byte.
    Itself,
    /// A byte that goes on no word: `§endpoint` is not `§end` (P-11).
    Word,
    /// White space or `>` behind the name of a tag: `<actions>` is no `<action>` (P-19).
    Name,
}

impl Rule {
    /// What is recognised, and withheld until it is settled: of a tag with attributes the name.
    pub(crate) const fn stem(&self) -> &'static str {
        match self.ends {
            Ends::Itself | Ends::Word => self.literal,
            Ends::Name => self.literal.split_at(self.literal.len() - 1).0,
        }
    }

    /// Whether the whole stem is settled with this byte behind it.
    #[inline]
    pub(crate) const fn ends_before(&self, next: u8) -> bool {
        match self.ends {
            Ends::Itself => true,
            Ends::Word => !(next.is_ascii_alphanumeric() || next == b'_'),
            Ends::Name => matches!(next, b' ' | b'\t' | b'\r' | b'\n' | b'>'),
        }
    }
}

/// What a call body is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// One item, complete at its last bracket (P-12).
    Lone,
    /// A list of items, up to the closing tag (P-17).
    List,
    /// One item, and what stands behind it up to the closing tag (P-21).
    Tagged,
}

/// A dialect as data.
pub(crate) struct Table {
    /// The first character of every literal but `-->`. It occurs nowhere else in any of them, so a
    /// mismatch needs no second look at what was withheld.
    pub(crate) first: &'static str,
    /// Delimiters count at a line's start only (P-2), unless told otherwise.
    pub(crate) at_line_start: bool,
    pub(crate) bodies: Bodies,
    pub(crate) rules: &'static [Rule],
    /// Made of the rules.
    pub(crate) index: Index,
}

impl Table {
    const fn indexed(self) -> Self {
        Self { index: Index::new(self.first, self.rules), ..self }
    }

    /// The first rule of a set.
    #[inline]
    pub(crate) fn rule(&self, rules: RuleSet) -> &'static Rule {
        &self.rules[rules.trailing_zeros() as usize]
    }
}

impl Dialect {
    pub(crate) const fn table(self) -> &'static Table {
        match self {
            Self::Sigil => &SIGIL,
            Self::Phase => &PHASE,
            Self::Action => &ACTION,
        }
    }

    /// Where the first character of its delimiters next stands.
    #[inline]
    pub(crate) fn find_first(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Sigil => find(SIGN, bytes),
            Self::Phase | Self::Action => find(ANGLE, bytes),
        }
    }

    /// Its first byte.
    pub(crate) const fn first_byte(self) -> u8 {
        match self {
            Self::Sigil => SIGN[0],
            Self::Phase | Self::Action => ANGLE[0],
        }
    }

    /// What stands behind that character, if `bytes` begin with it.
    #[inline]
    pub(crate) fn strip_first(self, bytes: &[u8]) -> Option<&[u8]> {
        match self {
            Self::Sigil => bytes.strip_prefix(&SIGN),
            Self::Phase | Self::Action => bytes.strip_prefix(&ANGLE),
        }
    }

    /// The first character of every delimiter: the one that is doubled to escape (P-3).
    pub const fn first(self) -> &'static str {
        self.table().first
    }

    /// Every delimiter and its literal.
    pub fn delimiters(self) -> impl Iterator<Item = (Delimiter, &'static str)> {
        self.table().rules.iter().map(|rule| (rule.marker, rule.literal))
    }

    /// The literal of a delimiter; empty where the dialect has none.
    pub fn literal(self, marker: Delimiter) -> &'static str {
        self.delimiters().find(|(one, _)| *one == marker).map_or("", |(_, literal)| literal)
    }
}

const TEXT: u8 = Mode::Text as u8;
const THINK: u8 = Mode::Think as u8;
const RESULTS: u8 = Mode::Results as u8;
const BODY: u8 = Mode::Body as u8;
const RESPOND: u8 = Mode::Respond as u8;
const COMMENT: u8 = Mode::Comment as u8;

const fn rule(literal: &'static str, marker: Delimiter, counts_in: u8, opens: Mode) -> Rule {
    let (opens, ends) = (Some(opens), Ends::Itself);
    Rule { literal, marker, counts_in, at_line_start_in: 0, opens, ends }
}

const fn section(literal: &'static str, marker: Delimiter, opens: Mode) -> Rule {
    rule(literal, marker, TEXT | BODY, opens)
}

const fn control(literal: &'static str, marker: Delimiter, opens: Mode) -> Rule {
    Rule { ends: Ends::Word, ..section(literal, marker, opens) }
}

/// A tag that may hold attributes.
const fn tag(literal: &'static str, marker: Delimiter, counts_in: u8, opens: Mode) -> Rule {
    Rule { ends: Ends::Name, ..rule(literal, marker, counts_in, opens) }
}

/// P-11.
static SIGIL: Table = Table {
    first: "§",
    at_line_start: true,
    bodies: Bodies::Lone,
    rules: &[
        section("§think:", Delimiter::Think, Mode::Text),
        section("§call:", Delimiter::Call, Mode::Body),
        section("§respond:", Delimiter::Respond, Mode::Text),
        section("§result:", Delimiter::Results, Mode::Text),
        control("§execute", Delimiter::Execute, Mode::Text),
        control("§end", Delimiter::End, Mode::Done),
    ],
    index: Index::EMPTY,
}
.indexed();

/// P-16.
static PHASE: Table = Table {
    first: "<",
    at_line_start: false,
    bodies: Bodies::List,
    rules: &[
        rule("<think>", Delimiter::Think, TEXT, Mode::Think),
        rule("</think>", Delimiter::ThinkEnd, THINK, Mode::Text),
        rule("<execute>", Delimiter::Calls, TEXT, Mode::Body),
        rule("</execute>", Delimiter::Execute, BODY, Mode::Text),
        rule("<results>", Delimiter::Results, TEXT, Mode::Results),
        rule("</results>", Delimiter::ResultsEnd, RESULTS, Mode::Text),
        rule("<end>", Delimiter::End, TEXT, Mode::Done),
    ],
    index: Index::EMPTY,
}
.indexed();

/// P-19, P-21.
static ACTION: Table = Table {
    first: "<",
    at_line_start: false,
    bodies: Bodies::Tagged,
    rules: &[
        rule("<thought>", Delimiter::Think, TEXT, Mode::Think),
        rule("</thought>", Delimiter::ThinkEnd, THINK, Mode::Text),
        tag("<action>", Delimiter::Call, TEXT | THINK, Mode::Body),
        Rule { opens: None, ..rule("</action>", Delimiter::CallEnd, BODY, Mode::Text) },
        // In a thought it closes a forgotten one.
        Rule {
            at_line_start_in: THINK,
            ..tag("<response>", Delimiter::Respond, TEXT | THINK, Mode::Respond)
        },
        rule("</response>", Delimiter::RespondEnd, RESPOND, Mode::Text),
        rule("<!--", Delimiter::Comment, TEXT, Mode::Comment),
        rule("-->", Delimiter::CommentEnd, COMMENT, Mode::Text),
    ],
    index: Index::EMPTY,
}
.indexed();

const SIGN: [u8; 2] = [SIGIL.first.as_bytes()[0], SIGIL.first.as_bytes()[1]];
const ANGLE: [u8; 1] = [PHASE.first.as_bytes()[0]];

/// What the lexer rests on, held at compile time.
const _: () = {
    let tables = [&SIGIL, &PHASE, &ACTION];
    assert!(begins_with(ACTION.first, PHASE.first), "tags begin alike");
    let mut t = 0;
    while t < tables.len() {
        let first = tables[t].first.as_bytes();
        let mut r = 0;
        while r < tables[t].rules.len() {
            let rule = &tables[t].rules[r];
            let literal = rule.literal.as_bytes();
            let withheld = match rule.ends {
                Ends::Itself | Ends::Name => literal.len() - 1,
                Ends::Word => literal.len(),
            };
            assert!(withheld <= 10, "at most 10 bytes are ever withheld");
            let mut other = 0;
            while other < tables[t].rules.len() {
                let begins = begins_with(rule.stem(), tables[t].rules[other].stem());
                assert!(other == r || !begins, "no stem begins with another");
                other += 1;
            }
            let mut i = 0;
            // The end of a comment is searched for in its own way.
            while i < literal.len() && rule.counts_in != COMMENT {
                if i < first.len() {
                    assert!(literal[i] == first[i], "every literal begins with the first");
                } else {
                    assert!(literal[i] != first[0], "the first occurs nowhere else");
                }
                i += 1;
            }
            r += 1;
        }
        t += 1;
    }
};

const fn begins_with(text: &str, prefix: &str) -> bool {
    let (text, prefix) = (text.as_bytes(), prefix.as_bytes());
    let mut at = 0;
    while at < prefix.len() && at < text.len() && text[at] == prefix[at] {
        at += 1;
    }
    at == prefix.len()
}
