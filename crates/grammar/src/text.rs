//! The text of thoughts and answers: which text needs no escape, and which fences are closed.
//!
//! This module defines the text that a parser reads as one section.

use silcrow_lex::{Delimiter, Dialect};

use crate::char_set::CharSet;
use crate::regex::{RegexId, Regexes};

/// The lengths of fences that can be opened, and the names of their expressions. A regular grammar
/// needs an expression for each length, so longer fences cannot be opened.
const FENCES: [(u32, [&str; 2]); 4] = [
    (3, ["TICKS_3", "TILDES_3"]),
    (4, ["TICKS_4", "TILDES_4"]),
    (5, ["TICKS_5", "TILDES_5"]),
    (6, ["TICKS_6", "TILDES_6"]),
];

/// Returns the text of a thought, as `silcrow_parser::write` spells it. No line of it opens a code
/// fence: a draft in a thought has no use, and a fence that stays open would hide the thought's end.
pub(crate) fn thought(regexes: &Regexes, dialect: Dialect) -> RegexId {
    let r = regexes;
    let line = r.name("UNFENCED", r.all(&[r.many(r.none_of("\n")), r.not(any_fence(r))]));
    let text = match dialect {
        Dialect::Sigil => {
            let more = r.all(&[line, plain_line(r, dialect)]);
            r.seq(&[line, r.many(r.seq(&[r.text("\n"), more]))])
        }
        Dialect::Phase | Dialect::Action => {
            let lines = r.seq(&[line, r.many(r.seq(&[r.text("\n"), line]))]);
            r.all(&[tagged_thought(r, dialect), lines])
        }
    };
    r.name("THOUGHT_TEXT", r.all(&[trimmed(r), text]))
}

/// Returns a line that may open or close a fence.
fn any_fence(r: &Regexes) -> RegexId {
    let indent = r.repeat(r.text(" "), 0, Some(3));
    let run = r.any(&[r.repeat(r.text("`"), 3, None), r.repeat(r.text("~"), 3, None)]);
    r.seq(&[indent, run, r.many(r.none_of("\n"))])
}

/// Returns a text between its tags, with optional line breaks. Right before a tag, the text must
/// not end with `<`, which would escape the tag (P-3, P-4).
pub(crate) fn between_tags(r: &Regexes, dialect: Dialect, text: RegexId) -> RegexId {
    let newline = r.text("\n");
    let escaping = r.seq(&[r.many(r.none_of("")), r.text(dialect.first_char())]);
    let closed = r.any(&[r.seq(&[text, newline]), r.all(&[text, r.not(escaping)])]);
    r.seq(&[r.optional(newline), closed])
}

/// Returns the text of an answer, as `silcrow_parser::write` spells it, except that an unnecessary
/// escape of a fence is allowed (P-34).
pub(crate) fn answer(regexes: &Regexes, dialect: Dialect) -> RegexId {
    let r = regexes;
    let rest = r.many(r.none_of("\n"));
    let indent = r.repeat(r.text(" "), 0, Some(3));
    let (tick, tilde) = (r.text("`"), r.text("~"));
    let opening = |tick: RegexId, info: RegexId| r.seq(&[indent, r.repeat(tick, 3, None), info]);
    let no_tick = r.none_of("`\n");
    let plain = r.name("UNMARKED", plain_line(r, dialect));
    let line = match dialect {
        Dialect::Sigil => {
            let opener = r.any(&[opening(tick, r.many(no_tick)), opening(tilde, rest)]);
            r.all(&[rest, r.not(r.name("OPENER", opener))])
        }
        Dialect::Phase | Dialect::Action => {
            // A delimiter in the info string of a fence is content, even if a later backtick makes
            // the line an ordinary one.
            let invalid = opening(tick, r.seq(&[r.repeat(no_tick, 1, None), tick, plain]));
            let likely = r.any(&[opening(tick, rest), opening(tilde, rest)]);
            r.any(&[r.all(&[plain, r.not(likely)]), invalid])
        }
    };
    let mut fences = Vec::new();
    for (length, names) in FENCES {
        let info = r.optional(r.seq(&[r.none_of("~\n"), rest]));
        fences.push(r.name(names[0], fence(r, dialect, tick, length, r.many(no_tick))));
        fences.push(r.name(names[1], fence(r, dialect, tilde, length, info)));
    }
    let fenced = r.name("FENCED", r.any(&fences));
    let (first, more) = match dialect {
        // The first line follows a delimiter, so it does not begin at a line's start.
        Dialect::Sigil => (line, r.all(&[line, plain])),
        Dialect::Phase | Dialect::Action => (line, line),
    };
    let more = r.seq(&[r.text("\n"), r.any(&[more, fenced])]);
    let text = r.seq(&[r.any(&[first, fenced]), r.many(more)]);
    r.name("ANSWER_TEXT", r.all(&[trimmed(r), text]))
}

/// Returns a fence from its opening run to its closing run.
fn fence(r: &Regexes, dialect: Dialect, tick: RegexId, length: u32, info: RegexId) -> RegexId {
    let rest = r.many(r.none_of("\n"));
    let indent = r.repeat(r.text(" "), 0, Some(3));
    let run = r.repeat(tick, length, Some(length));
    let close = r.seq(&[indent, r.repeat(tick, length, None), r.many(r.one_of(" \t\r"))]);
    // A delimiter after a closing run counts, and the run closes the fence.
    let ended = r.seq(&[close, r.optional(r.seq(&[delimiters(r, dialect), rest]))]);
    let code = r.all(&[rest, r.not(ended)]);
    let newline = r.text("\n");
    r.seq(&[indent, run, info, newline, r.many(r.seq(&[code, newline])), close])
}

/// Returns a line without a delimiter that counts (P-2, P-3).
fn plain_line(r: &Regexes, dialect: Dialect) -> RegexId {
    let rest = r.many(r.none_of("\n"));
    let marked = match dialect {
        Dialect::Sigil => r.seq(&[r.repeat(r.text(" "), 0, Some(3)), delimiters(r, dialect)]),
        Dialect::Phase | Dialect::Action => {
            let before =
                r.optional(r.seq(&[rest, r.none_of(&format!("\n{}", dialect.first_char()))]));
            r.seq(&[before, delimiters(r, dialect), rest])
        }
    };
    r.all(&[rest, r.not(marked)])
}

/// Returns a text in which nothing ends a tagged thought. Each piece between two runs of `<` is
/// compared with the tags separately, which is far cheaper than a comparison of the whole text.
fn tagged_thought(r: &Regexes, dialect: Dialect) -> RegexId {
    let first = dialect.first_char();
    let piece = r.many(r.none_of(first));
    let mut tags = vec![r.text(&dialect.literal(Delimiter::ThinkEnd)[first.len()..])];
    if dialect == Dialect::Action {
        // An action may be inside a thought (P-19).
        tags.push(r.name("ACTION_TAG", tag(r, &dialect.literal(Delimiter::Call)[first.len()..])));
    }
    let harmless = r.all(&[piece, r.not(r.seq(&[r.any(&tags), piece]))]);
    let run = r.any(&[harmless, r.seq(&[r.repeat(r.text(first), 1, None), piece])]);
    r.seq(&[piece, r.many(r.seq(&[r.text(first), run]))])
}

/// Returns a text of `action` without a response tag at a line's start, which would close the
/// thought around it (P-19).
pub(crate) fn unclosed(r: &Regexes) -> RegexId {
    let anything = r.many(r.none_of(""));
    let respond = Dialect::Action.literal(Delimiter::Respond);
    let response = r.name("RESPONSE_TAG", tag(r, respond));
    r.not(r.seq(&[anything, r.text("\n"), response, anything]))
}

/// Returns everything that begins like a tag with attributes and ends with `>`. This is more than a
/// tag (P-19), because an engine may not spend the time to follow attributes.
fn tag(r: &Regexes, literal: &str) -> RegexId {
    let attributes = r.seq(&[r.one_of(" \t\r\n"), r.many(r.none_of("<"))]);
    r.seq(&[r.text(literal.trim_end_matches('>')), r.optional(attributes), r.text(">")])
}

/// Returns the delimiters that count in an answer; in `sigil`, with the rest of their line.
fn delimiters(r: &Regexes, dialect: Dialect) -> RegexId {
    let rest = r.many(r.none_of("\n"));
    let word = [('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_'), ('\n', '\n')];
    let non_word = r.set(word.into_iter().collect::<CharSet>().complement());
    let is_text = |delimiter| match dialect {
        Dialect::Sigil => false,
        // A stray closing tag is content (P-16).
        Dialect::Phase => {
            matches!(delimiter, Delimiter::ThinkEnd | Delimiter::Execute | Delimiter::ResultsEnd)
        }
        Dialect::Action => delimiter != Delimiter::RespondEnd,
    };
    let whole = |literal: &str| {
        let text = r.text(literal);
        match dialect {
            Dialect::Phase | Dialect::Action => text,
            Dialect::Sigil if literal.ends_with(':') => r.seq(&[text, rest]),
            // A control delimiter must end as a word does (P-11).
            Dialect::Sigil => r.seq(&[text, r.optional(r.seq(&[non_word, rest]))]),
        }
    };
    let delimiters = dialect.delimiters().filter(|(delimiter, _)| !is_text(*delimiter));
    r.any(&delimiters.map(|(_, literal)| whole(literal)).collect::<Vec<_>>())
}

/// Returns a text that neither begins nor ends with white space (P-4).
fn trimmed(r: &Regexes) -> RegexId {
    let solid = r.none_of(" \t\r\n");
    // A byte-order mark at the start of the input is dropped (P-4).
    let first = r.none_of(" \t\r\n\u{feff}");
    r.name("TRIMMED", r.seq(&[first, r.optional(r.seq(&[r.many(r.none_of("")), solid]))]))
}
