//! The exported grammars, held against the parser: the Lark form in a real engine, the GBNF form in
//! a recogniser of its own.

mod engine;
mod gbnf;
mod listed;

use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use silcrow_event::{Event, Oddity};
use silcrow_parser::{Dialect, Form, grammar, write};
use silcrow_testkit::{action_turn, turn, wire_text};

use self::engine::Engine;
use self::gbnf::Gbnf;
use crate::parse::parse;

/// Both forms of one grammar.
struct Both {
    engine: Engine,
    gbnf: Gbnf,
}

impl Both {
    fn new(dialect: Dialect, tools: Option<&[&str]>) -> Self {
        let gbnf = Gbnf::new(&grammar(dialect, Form::Gbnf, tools));
        Self { engine: Engine::new(dialect, tools), gbnf }
    }

    /// What both forms say.
    #[track_caller]
    fn accept(&mut self, text: &str) -> bool {
        let (engine, gbnf) = (self.engine.accepts(text), self.gbnf.accepts(text));
        assert_eq!(engine, gbnf, "the forms differ: {text:?}");
        engine
    }
}

fn events(dialect: Dialect) -> BoxedStrategy<Vec<Event>> {
    match dialect {
        Dialect::Sigil | Dialect::Phase => turn().boxed(),
        Dialect::Action => action_turn().boxed(),
    }
}

/// The model stops at the execution point, and goes on when it has the results.
fn answers(events: &[Event]) -> impl Iterator<Item = &[Event]> {
    events.split_inclusive(|event| matches!(event, Event::Execute))
}

/// Where the grammar is less than the protocol: it counts fences, names and ids so far and no
/// further, and in a thought takes every `<action …>` for a tag.
fn is_beyond(wire: &str, dialect: Dialect) -> bool {
    let long = |text: &str, most: usize| text.chars().count() > most;
    let is_beyond = |event: &Event| match event {
        Event::Call(call) => long(call.name(), 256) || long(call.id(), 240),
        Event::Think(_) if dialect == Dialect::Action => {
            let wire = write([event], dialect);
            let text = wire.trim_start_matches("<thought>").replace("<<action", "");
            let text = text.replace("<<response", "");
            text.contains("<action") || text.contains("<response")
        }
        _ => false,
    };
    wire.contains("```````")
        || wire.contains("~~~~~~~")
        || parse([wire], dialect).events().iter().any(is_beyond)
}

/// Nothing is odd. An id that is given twice is beyond any grammar (P-20).
#[track_caller]
fn reads_without_notes(wire: &str, dialect: Dialect) {
    let joined = parse([wire], dialect);
    for note in joined.notes() {
        let twice = note.oddity == Oddity::MalformedCall && note.content.contains("id");
        assert!(dialect == Dialect::Action && twice, "{note:?} in {wire:?}");
    }
    assert_eq!(answers(&joined.events()).count(), 1, "{wire:?}");
    let again = write(&joined.events(), dialect);
    assert_eq!(parse([&*again], dialect).events(), joined.events(), "{wire:?}");
}

#[test]
fn the_grammars_look_like_this() {
    for dialect in Dialect::ALL {
        let name = dialect.as_str();
        let tools = Some(&["file_list", "file_read"][..]);
        insta::assert_snapshot!(format!("{name}_lark"), grammar(dialect, Form::Lark, tools));
        insta::assert_snapshot!(format!("{name}_gbnf"), grammar(dialect, Form::Gbnf, tools));
    }
}

#[test]
fn written_turns_are_accepted() {
    for dialect in Dialect::ALL {
        let both = RefCell::new(Both::new(dialect, None));
        proptest!(ProptestConfig::with_cases(200), |(events in events(dialect))| {
            for answer in answers(&events) {
                let wire = write(answer, dialect);
                if !is_beyond(&wire, dialect) {
                    prop_assert!(both.borrow_mut().accept(&wire), "{wire:?}");
                }
            }
        });
    }
}

/// One answer, nothing odd, and written as it stands. What the grammar says of calls is narrower.
fn is_well_formed(wire: &str, dialect: Dialect) -> bool {
    let joined = parse([wire], dialect);
    let events = joined.events();
    let is_text = |event: &Event| !matches!(event, Event::Call(_) | Event::Execute);
    !wire.is_empty()
        && joined.notes().count() == 0
        && events.iter().all(is_text)
        && write(&events, dialect) == wire
}

/// A written answer, at most once changed in one place.
fn changed(dialect: Dialect) -> impl Strategy<Value = String> {
    let piece = prop_oneof![Just(String::new()), wire_text(), "[\n\r §<`~\"{}:,a]"];
    (events(dialect), any::<prop::sample::Index>(), 0..12_usize, piece).prop_map(
        move |(events, at, dropped, piece)| {
            let wire = write(answers(&events).next().unwrap_or_default(), dialect);
            let at = wire.floor_char_boundary(at.index(wire.len() + 1));
            let end = wire.ceil_char_boundary(at + dropped);
            format!("{}{piece}{}", &wire[..at], &wire[end..])
        },
    )
}

/// Text of sections.
fn text(dialect: Dialect) -> impl Strategy<Value = String> {
    let around = match dialect {
        Dialect::Sigil => [("", ""), ("§respond: ", ""), ("§think: ", "\n§respond: a")],
        Dialect::Phase => [("", ""), ("<think>", "\n</think>"), ("a\n", "\n<end>")],
        Dialect::Action => {
            let answer = ("<response>", "\n</response>");
            [("", ""), ("<thought>", "\n</thought>"), answer]
        }
    };
    (prop::sample::select(around.to_vec()), wire_text()).prop_map(|((before, behind), text)| {
        format!("{before}{}{behind}", text.trim_matches([' ', '\t', '\r', '\n']))
    })
}

#[test]
fn the_grammar_is_what_the_parser_reads_without_notes() {
    for dialect in Dialect::ALL {
        let both = RefCell::new(Both::new(dialect, None));
        let counts = Cell::new([0; 2]);
        let wire = prop_oneof![text(dialect), changed(dialect)];
        proptest!(ProptestConfig::with_cases(1000), |(wire in wire)| {
            let accepted = both.borrow_mut().accept(&wire);
            let mut count = counts.get();
            count[usize::from(accepted)] += 1;
            counts.set(count);
            if accepted {
                reads_without_notes(&wire, dialect);
            } else {
                let refused = !is_well_formed(&wire, dialect) || is_beyond(&wire, dialect);
                prop_assert!(refused, "well-formed, but refused: {wire:?}");
            }
        });
        assert!(counts.get().iter().all(|&count| count > 200), "{dialect:?} {counts:?}");
    }
}

#[test]
fn what_the_engine_lets_a_model_write_reads_without_notes() {
    let markers = |dialect: Dialect| dialect.markers().map(|(_, literal)| literal);
    for dialect in Dialect::ALL {
        let both = RefCell::new(Both::new(dialect, None));
        let mut pieces: Vec<&str> = markers(dialect).collect();
        pieces.extend(PIECES);
        let ended = Cell::new(0);
        proptest!(ProptestConfig::with_cases(200), |(seed: u64)| {
            let mut random = seed;
            let choice = |of: usize| {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (random >> 33) as usize % of
            };
            let walked = both.borrow_mut().engine.walk(&pieces, choice);
            if let Some(wire) = walked {
                prop_assert!(both.borrow_mut().accept(&wire), "{wire:?}");
                reads_without_notes(&wire, dialect);
                ended.set(ended.get() + 1);
            }
        });
        assert!(ended.get() > 150, "only {} walks of {dialect:?} ended", ended.get());
    }
}

const PIECES: &[&str] = &[
    "\n§",
    "\n§think: ",
    "\n§respond: ",
    "\n§call: ",
    "\n§execute",
    "\n§end",
    "\n§§end",
    "\n§§§end",
    "\n§endpoint",
    "\n```",
    "\n```\n",
    "\n````\n",
    "\n~~~ a\n",
    "\n   ~~~~\n",
    "\n§```",
    "\n<<```",
    "<",
    "<<",
    "\n<",
    "\n<think>",
    "\n</think>",
    "<<end>",
    "\n<end>",
    "\n<execute>\n[\n  ",
    "\n]\n</execute>",
    ",\n  {\"name\": \"t\", \"args\": {",
    "{\"name\": \"t\", \"args\": {}}",
    "{\"name\": \"t\", \"args\": {\"a\": \"§end\\n\"",
    "\n</thought>",
    "<<action id=",
    "<<action>",
    "<action type=\"tool\" mode=\"sync\" id=\"x",
    "\n<<response>",
    "\n</response>",
    "a",
    "x y",
    "\n",
];
