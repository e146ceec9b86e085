//! Generated turns, turns with a change in one place, and random walks through the engine.

use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use serde_json::Value;
use silcrow_event::{Call, Event, Json};
use silcrow_grammar::Dialect;
use silcrow_parser::write;
use silcrow_testkit::{action_turn, content, turn, wire_text};

use crate::agreement::{Both, TOOLS};
use crate::judge::is_one_answer;
use crate::parse::parse;

/// The events of a turn. Some of its calls name a tool, or have arguments of any shape.
fn events(dialect: Dialect) -> impl Strategy<Value = Vec<Event>> {
    let turn = match dialect {
        Dialect::Sigil | Dialect::Phase => turn().boxed(),
        Dialect::Action => action_turn().boxed(),
    };
    let names = TOOLS.iter().copied().filter(|name| !name.is_empty()).collect::<Vec<_>>();
    let name = prop_oneof![4 => prop::sample::select(names), 1 => Just("rm")];
    let call = (name, prop_oneof![args(), silcrow_testkit::args()]);
    let calls = prop::collection::vec(prop::option::weighted(0.8, call), 4);
    (turn, calls).prop_map(|(mut events, calls)| {
        let mut calls = calls.into_iter().cycle();
        for event in &mut events {
            if let (Event::Call(call), Some(Some((name, args)))) = (&mut *event, calls.next()) {
                let content = format!("{{\"name\": {}, \"args\": {args}}}", Json::string(name));
                let changed = Call::parse(call.id(), content).unwrap();
                *event = Event::Call(match call.action() {
                    Some(action) => changed.with_action(action.clone()),
                    None => changed,
                });
            }
        }
        events
    })
}

/// A JSON object in a common layout.
fn args() -> impl Strategy<Value = String> {
    let plain = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        content().prop_map(Value::from),
    ];
    let key = || prop_oneof!["[a-z]{0,3}".boxed(), content().boxed()];
    let value = plain.prop_recursive(6, 20, 4, move |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from);
        let object = prop::collection::vec((key(), inner), 0..4);
        prop_oneof![list, object.prop_map(|members| members.into_iter().collect::<Value>())]
    });
    (prop::collection::vec(("[a-z]{1,3}", value), 0..3), any::<bool>()).prop_map(
        |(members, pretty)| {
            let value: Value = members.into_iter().collect();
            if pretty { format!("{value:#}") } else { value.to_string() }
        },
    )
}

/// Splits a turn at its execution points, where the model waits for results.
fn answers(events: &[Event]) -> impl Iterator<Item = &[Event]> {
    events.split_inclusive(|event| matches!(event, Event::Execute))
}

#[test]
fn written_turns_are_accepted() {
    for both in Both::all() {
        let dialect = both.dialect;
        let both = RefCell::new(both);
        let rejected = Cell::new(0);
        proptest!(ProptestConfig::with_cases(100), |(events in events(dialect))| {
            let both = &mut *both.borrow_mut();
            for answer in answers(&events) {
                let wire = write(answer, dialect);
                let read = parse(&wire, dialect).events();
                if !both.knows_all(answer) {
                    prop_assert!(!both.accept(&wire), "accepted: {wire:?}");
                    rejected.set(rejected.get() + 1);
                } else if !is_one_answer(&read, dialect) {
                    prop_assert!(!both.accept(&wire), "accepted: {wire:?}");
                } else if !both.is_beyond(&wire, &read) {
                    prop_assert!(both.accept(&wire), "rejected: {wire:?}");
                }
            }
        });
        let with_tools = both.borrow().tools.is_some();
        assert_eq!(rejected.get() > 0, with_tools, "{dialect:?} rejected {}", rejected.get());
    }
}

/// A written answer with at most one change.
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

/// Sections around a text.
fn text(dialect: Dialect) -> impl Strategy<Value = String> {
    let around = match dialect {
        Dialect::Sigil => [("", ""), ("§respond: ", ""), ("§think: ", "\n§respond: a")],
        Dialect::Phase => [("", ""), ("<think>", "\n</think>\na"), ("a\n", "\n<end>")],
        Dialect::Action => {
            let answer = ("<response>", "\n</response>");
            [("", ""), ("<thought>", "\n</thought>\n<response>a\n</response>"), answer]
        }
    };
    (prop::sample::select(around.to_vec()), wire_text()).prop_map(|((before, behind), text)| {
        format!("{before}{}{behind}", text.trim_matches([' ', '\t', '\r', '\n']))
    })
}

#[test]
fn grammar_matches_diagnostic_free_parsing() {
    for both in Both::all() {
        let dialect = both.dialect;
        let both = RefCell::new(both);
        let counts = Cell::new([0; 2]);
        let wire = prop_oneof![text(dialect), changed(dialect)];
        proptest!(ProptestConfig::with_cases(500), |(wire in wire)| {
            let both = &mut *both.borrow_mut();
            let accepted = both.accept(&wire);
            let mut count = counts.get();
            count[usize::from(accepted)] += 1;
            counts.set(count);
            if accepted {
                both.check_accepted(&wire);
            } else {
                prop_assert!(!both.is_well_formed(&wire), "well-formed, but rejected: {wire:?}");
            }
        });
        assert!(counts.get().iter().all(|&count| count > 80), "{dialect:?} {counts:?}");
    }
}

#[test]
fn constrained_output_parses_without_diagnostics() {
    for both in Both::all() {
        let dialect = both.dialect;
        let both = RefCell::new(both);
        let mut pieces: Vec<&str> = dialect.delimiters().map(|(_, literal)| literal).collect();
        pieces.extend(PIECES);
        let ended = Cell::new(0);
        proptest!(ProptestConfig::with_cases(100), |(seed: u64)| {
            let both = &mut *both.borrow_mut();
            let mut random = seed;
            let choice = |of: usize| {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (random >> 33) as usize % of
            };
            let walked = both.engine.walk(&pieces, choice);
            if let Some(wire) = walked {
                prop_assert!(both.accept(&wire), "{wire:?}");
                both.check_accepted(&wire);
                ended.set(ended.get() + 1);
            }
        });
        assert!(ended.get() > 75, "only {} walks of {dialect:?} ended", ended.get());
    }
}

const PIECES: &[&str] = &[
    "\n§",
    "\n§think: ",
    "\n§respond: ",
    "\n§call:",
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
    ",\n  {\"name\": \"ls\", \"args\": {",
    "{\"name\": \"ls\", \"args\": {}}",
    "{\"name\": \"ls\", \"args\": {\"a\": \"§end\\n\"",
    "\n</thought>",
    "<<action id=",
    "<<action>",
    "<action type=\"tool\" mode=\"sync\" id=\"x",
    "<action id='x'>{\"name\": \"ls\", \"parameters\": {",
    "\n<<response>",
    "\n</response>",
    "a",
    "x y",
    "\n",
];
