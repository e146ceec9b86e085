use silcrow_lex::{Delimiter, Dialect};

use super::regex::{Re, Regexes};
use super::set::Set;

/// The fences that can be opened: their lengths, and names. A longer one cannot: a regular grammar
/// counts no further than it is written out.
const FENCES: [(u32, [&str; 2]); 4] = [
    (3, ["TICKS_3", "TILDES_3"]),
    (4, ["TICKS_4", "TILDES_4"]),
    (5, ["TICKS_5", "TILDES_5"]),
    (6, ["TICKS_6", "TILDES_6"]),
];

/// The text of a thought, as [`write`](crate::write) writes it.
pub(super) fn thought(regexes: &Regexes, dialect: Dialect) -> Re {
    let r = regexes;
    let text = match dialect {
        Dialect::Sigil => {
            let first = r.many(r.but("\n"));
            let line = unmarked_line(r, dialect);
            r.seq(&[first, r.many(r.seq(&[r.text("\n"), line]))])
        }
        Dialect::Phase | Dialect::Action => tagged_thought(r, dialect),
    };
    r.name("THOUGHT_TEXT", r.all(&[trimmed(r), text]))
}

/// A text between its tags: on lines of its own, or right behind or before one, if it does not end
/// with a `<`, which would escape the tag (P-3, P-4).
pub(super) fn between_tags(r: &Regexes, dialect: Dialect, text: Re) -> Re {
    let newline = r.text("\n");
    let escaping = r.seq(&[r.many(r.but("")), r.text(dialect.first())]);
    let closed = r.any(&[r.seq(&[text, newline]), r.all(&[text, r.not(escaping)])]);
    r.seq(&[r.maybe(newline), closed])
}

/// The text of an answer, as [`write`](crate::write) writes it; but a fence may be escaped also
/// where it need not be (P-34).
pub(super) fn answer(regexes: &Regexes, dialect: Dialect) -> Re {
    let r = regexes;
    let rest = r.many(r.but("\n"));
    let indent = r.repeat(r.text(" "), 0, Some(3));
    let (tick, tilde) = (r.text("`"), r.text("~"));
    let opening = |tick: Re, info: Re| r.seq(&[indent, r.repeat(tick, 3, None), info]);
    let no_tick = r.but("`\n");
    let unmarked = r.name("UNMARKED", unmarked_line(r, dialect));
    let line = match dialect {
        Dialect::Sigil => {
            let opener = r.any(&[opening(tick, r.many(no_tick)), opening(tilde, rest)]);
            r.all(&[rest, r.not(r.name("OPENER", opener))])
        }
        Dialect::Phase | Dialect::Action => {
            // What looks like a delimiter in the info of a fence is content, also where a backtick
            // behind it undoes the fence.
            let undone = opening(tick, r.seq(&[r.repeat(no_tick, 1, None), tick, unmarked]));
            let likely = r.any(&[opening(tick, rest), opening(tilde, rest)]);
            r.any(&[r.all(&[unmarked, r.not(likely)]), undone])
        }
    };
    let mut fences = Vec::new();
    for (length, names) in FENCES {
        let info = r.maybe(r.seq(&[r.but("~\n"), rest]));
        fences.push(r.name(names[0], fence(r, dialect, tick, length, r.many(no_tick))));
        fences.push(r.name(names[1], fence(r, dialect, tilde, length, info)));
    }
    let fenced = r.name("FENCED", r.any(&fences));
    let (first, more) = match dialect {
        // Behind its delimiter, text stands in the middle of a line.
        Dialect::Sigil => (line, r.all(&[line, unmarked])),
        Dialect::Phase | Dialect::Action => (line, line),
    };
    let more = r.seq(&[r.text("\n"), r.any(&[more, fenced])]);
    let text = r.seq(&[r.any(&[first, fenced]), r.many(more)]);
    r.name("ANSWER_TEXT", r.all(&[trimmed(r), text]))
}

/// From the run that opens a fence to the run that closes it.
fn fence(r: &Regexes, dialect: Dialect, tick: Re, length: u32, info: Re) -> Re {
    let rest = r.many(r.but("\n"));
    let indent = r.repeat(r.text(" "), 0, Some(3));
    let run = r.repeat(tick, length, Some(length));
    let close = r.seq(&[indent, r.repeat(tick, length, None), r.many(r.of(" \t\r"))]);
    let ended = match dialect {
        Dialect::Sigil => close,
        // A delimiter behind a closing run closes the fence, and counts.
        Dialect::Phase | Dialect::Action => {
            r.seq(&[close, r.maybe(r.seq(&[markers(r, dialect), rest]))])
        }
    };
    let code = r.all(&[rest, r.not(ended)]);
    let newline = r.text("\n");
    r.seq(&[indent, run, info, newline, r.many(r.seq(&[code, newline])), close])
}

/// A line in which no delimiter counts (P-2, P-3).
fn unmarked_line(r: &Regexes, dialect: Dialect) -> Re {
    let rest = r.many(r.but("\n"));
    let marked = match dialect {
        Dialect::Sigil => markers(r, dialect),
        Dialect::Phase | Dialect::Action => {
            let before = r.maybe(r.seq(&[rest, r.but(&format!("\n{}", dialect.first()))]));
            r.seq(&[before, markers(r, dialect), rest])
        }
    };
    r.all(&[rest, r.not(marked)])
}

/// Text in which nothing ends a tagged thought: what stands between two runs of `<` is held against
/// the tags on its own, which is far cheaper than to hold all of the text against them.
fn tagged_thought(r: &Regexes, dialect: Dialect) -> Re {
    let first = dialect.first();
    let piece = r.many(r.but(first));
    let mut tags = vec![r.text(&dialect.literal(Delimiter::ThinkEnd)[first.len()..])];
    if dialect == Dialect::Action {
        // An action may stand in a thought (P-19).
        tags.push(r.name("ACTION_TAG", tag(r, &dialect.literal(Delimiter::Call)[first.len()..])));
    }
    let harmless = r.all(&[piece, r.not(r.seq(&[r.any(&tags), piece]))]);
    let run = r.any(&[harmless, r.seq(&[r.repeat(r.text(first), 1, None), piece])]);
    r.seq(&[piece, r.many(r.seq(&[r.text(first), run]))])
}

/// Text of `action` without an answer at a line's start, which would close the thought that it
/// stands in (P-19).
pub(super) fn unclosed(r: &Regexes) -> Re {
    let anything = r.many(r.but(""));
    let respond = Dialect::Action.literal(Delimiter::Respond);
    let response = r.name("RESPONSE_TAG", tag(r, respond));
    r.not(r.seq(&[anything, r.text("\n"), response, anything]))
}

/// What begins as a tag with attributes and ends with `>`. More than P-19 calls a tag: to follow
/// attributes costs an engine more than it may spend on a step.
fn tag(r: &Regexes, literal: &str) -> Re {
    let attributes = r.seq(&[r.of(" \t\r\n"), r.many(r.but("<"))]);
    r.seq(&[r.text(literal.trim_end_matches('>')), r.maybe(attributes), r.text(">")])
}

/// A delimiter that counts in an answer; in `sigil`, with the rest of its line.
fn markers(r: &Regexes, dialect: Dialect) -> Re {
    let rest = r.many(r.but("\n"));
    let word = [('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_'), ('\n', '\n')];
    let no_word = r.set(word.into_iter().collect::<Set>().inverse());
    let is_none = |marker| match dialect {
        Dialect::Sigil => false,
        // A stray closing tag is content (P-16).
        Dialect::Phase => {
            matches!(marker, Delimiter::ThinkEnd | Delimiter::Execute | Delimiter::ResultsEnd)
        }
        Dialect::Action => marker != Delimiter::RespondEnd,
    };
    let whole = |literal: &str| {
        let text = r.text(literal);
        match dialect {
            Dialect::Phase | Dialect::Action => text,
            Dialect::Sigil if literal.ends_with(':') => r.seq(&[text, rest]),
            // A control delimiter must end as a word does (P-11).
            Dialect::Sigil => r.seq(&[text, r.maybe(r.seq(&[no_word, rest]))]),
        }
    };
    let markers = dialect.delimiters().filter(|(marker, _)| !is_none(*marker));
    r.any(&markers.map(|(_, literal)| whole(literal)).collect::<Vec<_>>())
}

/// Text that neither begins nor ends with white space (P-4).
fn trimmed(r: &Regexes) -> Re {
    let solid = r.but(" \t\r\n");
    r.name("TRIMMED", r.seq(&[solid, r.maybe(r.seq(&[r.many(r.but("")), solid]))]))
}
