use crate::dialect::Dialect;

/// What a marker means. The closing ones exist in tag dialects only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Marker {
    /// A thought begins.
    Think,
    /// A thought ends.
    ThinkEnd,
    /// One call begins (`sigil`).
    Call,
    /// A list of calls begins (`phase`).
    Calls,
    /// The calls so far are to be run: `§execute`, `</execute>`.
    Execute,
    /// An answer begins.
    Respond,
    /// What claims to be results begins (P-10).
    Results,
    /// What claims to be results ends.
    ResultsEnd,
    /// The model is done.
    End,
}

/// What the text after a marker is, and with it which markers count there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Mode {
    /// Text outside tags, or of any `§` section.
    Text = 1,
    /// Inside `<think>`.
    Think = 2,
    /// Inside `<results>`.
    Results = 4,
    /// A call body, or a list of them.
    Body = 8,
    /// After the end: nothing counts (P-6).
    Done = 16,
}

/// One literal of a dialect.
pub(crate) struct Rule {
    pub(crate) literal: &'static str,
    pub(crate) marker: Marker,
    /// The modes it counts in, as a set of [`Mode`] bits.
    counts_in: u8,
    /// What it opens.
    pub(crate) opens: Mode,
    /// A word that ends where a word ends: `§endpoint` is not `§end` (P-11).
    pub(crate) whole_word: bool,
}

impl Rule {
    pub(crate) const fn counts_in(&self, mode: Mode) -> bool {
        self.counts_in & mode as u8 != 0
    }
}

/// A dialect as data.
pub(crate) struct Table {
    /// The first character of every literal. It occurs nowhere else in any of them, so a mismatch
    /// needs no second look at what was withheld.
    pub(crate) first: &'static str,
    /// Markers count at a line's start only (P-2), unless told otherwise.
    pub(crate) at_line_start: bool,
    /// A call body is a list of items (P-17).
    pub(crate) list: bool,
    pub(crate) rules: &'static [Rule],
}

impl Dialect {
    pub(crate) const fn table(self) -> &'static Table {
        match self {
            Self::Sigil => &SIGIL,
            Self::Phase => &PHASE,
            Self::Action => &ACTION,
        }
    }

    /// The first character of every marker: the one that is doubled to escape (P-3).
    pub const fn first(self) -> &'static str {
        self.table().first
    }

    /// Every marker and its literal.
    pub fn markers(self) -> impl Iterator<Item = (Marker, &'static str)> {
        self.table().rules.iter().map(|rule| (rule.marker, rule.literal))
    }

    /// The literal of a marker; empty where the dialect has none.
    pub fn literal(self, marker: Marker) -> &'static str {
        self.markers().find(|(one, _)| *one == marker).map_or("", |(_, literal)| literal)
    }
}

const TEXT: u8 = Mode::Text as u8;
const THINK: u8 = Mode::Think as u8;
const RESULTS: u8 = Mode::Results as u8;
const BODY: u8 = Mode::Body as u8;

const fn section(literal: &'static str, marker: Marker, opens: Mode) -> Rule {
    Rule { literal, marker, counts_in: TEXT | BODY, opens, whole_word: false }
}

const fn control(literal: &'static str, marker: Marker, opens: Mode) -> Rule {
    Rule { literal, marker, counts_in: TEXT | BODY, opens, whole_word: true }
}

const fn tag(literal: &'static str, marker: Marker, counts_in: u8, opens: Mode) -> Rule {
    Rule { literal, marker, counts_in, opens, whole_word: false }
}

/// P-11.
static SIGIL: Table = Table {
    first: "§",
    at_line_start: true,
    list: false,
    rules: &[
        section("§think:", Marker::Think, Mode::Text),
        section("§call:", Marker::Call, Mode::Body),
        section("§respond:", Marker::Respond, Mode::Text),
        section("§result:", Marker::Results, Mode::Text),
        control("§execute", Marker::Execute, Mode::Text),
        control("§end", Marker::End, Mode::Done),
    ],
};

/// P-16.
static PHASE: Table = Table {
    first: "<",
    at_line_start: false,
    list: true,
    rules: &[
        tag("<think>", Marker::Think, TEXT, Mode::Think),
        tag("</think>", Marker::ThinkEnd, THINK, Mode::Text),
        tag("<execute>", Marker::Calls, TEXT, Mode::Body),
        tag("</execute>", Marker::Execute, BODY, Mode::Text),
        tag("<results>", Marker::Results, TEXT, Mode::Results),
        tag("</results>", Marker::ResultsEnd, RESULTS, Mode::Text),
        tag("<end>", Marker::End, TEXT, Mode::Done),
    ],
};

/// P-19. Its tags carry attributes, which the lexer does not read yet: all its text is content.
static ACTION: Table = Table { first: "<", at_line_start: false, list: false, rules: &[] };

/// What the lexer rests on, held at compile time.
const _: () = {
    let tables = [&SIGIL, &PHASE];
    let mut t = 0;
    while t < tables.len() {
        let first = tables[t].first.as_bytes();
        let mut r = 0;
        while r < tables[t].rules.len() {
            let literal = tables[t].rules[r].literal.as_bytes();
            assert!(literal.len() <= 10, "at most 10 bytes are ever withheld");
            let mut i = 0;
            while i < literal.len() {
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
