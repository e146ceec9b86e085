//! Generators of wire text and of turns.

use proptest::prelude::*;
use silcrow_event::{Call, Event};

use crate::pieces::{ATTRIBUTES, CLOSERS, LINES, LISTS, MEMBERS, PIECES, SECTIONS, TAGS};

/// Generates text that looks like wire text of any dialect, valid or not.
///
/// Each text has few kinds of pieces, so that the same kinds are often next to each other.
pub fn wire_text() -> impl Strategy<Value = String> {
    let few = prop_oneof![
        1 => prop::sample::subsequence(PIECES, PIECES.len()),
        3 => prop::sample::subsequence(PIECES, 3..9),
        1 => Just(LINES.to_vec()),
        1 => Just(LISTS.to_vec()),
        1 => Just(TAGS.to_vec()),
        1 => Just(SECTIONS.to_vec()),
        1 => prop::sample::subsequence(SECTIONS, 4..10),
    ];
    few.prop_flat_map(|pieces| prop::collection::vec(prop::sample::select(pieces), 0..24))
        .prop_map(|pieces| pieces.concat())
        .prop_flat_map(|text| {
            (prop::sample::select(BEGINNINGS), Just(text))
                .prop_map(|(before, text)| before.to_owned() + &text)
        })
}

/// The beginnings of wire text, most of them empty.
const BEGINNINGS: &[&str] = &[
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "\u{feff}",
    "\u{feff} ",
    "<think>",
    "<think>",
    " \n<think>",
    "\u{feff}<think>",
];

/// Generates actions, most of them whole, with valid and invalid attributes (P-20).
pub fn action_text() -> impl Strategy<Value = String> {
    let attributes = prop::collection::vec(prop::sample::select(ATTRIBUTES), 0..3);
    let members = prop::collection::vec(prop::sample::select(MEMBERS), 0..5);
    let closer = prop::sample::select(CLOSERS);
    let action = (attributes, members, any::<bool>(), closer).prop_map(
        |(attributes, mut members, named, closer)| {
            members.extend(named.then_some("\"name\":\"t\""));
            format!("<action {}>{{{}{closer}", attributes.join(" "), members.join(", "))
        },
    );
    let between = prop::sample::select(SECTIONS).prop_map(str::to_owned);
    let either = prop_oneof![3 => action, 1 => between];
    prop::collection::vec(either, 1..5).prop_map(|pieces| pieces.concat())
}

/// Generates the content of a section: trimmed and not empty, but otherwise arbitrary.
pub fn content() -> impl Strategy<Value = String> {
    let mixed = prop_oneof![
        4 => wire_text(),
        1 => "[ -~]{1,12}",
        1 => any::<String>(),
    ];
    mixed
        .prop_map(|text| text.trim_matches([' ', '\t', '\r', '\n']).to_owned())
        .prop_filter("empty", |text| !text.is_empty())
}

/// Generates arguments: a JSON object with arbitrary strings.
pub fn args() -> impl Strategy<Value = String> {
    prop::collection::vec(("[a-z]{1,4}", content()), 0..3).prop_map(|members| {
        let members = members.iter().map(|(key, value)| {
            let value = silcrow_event::Json::string(value);
            format!("\"{key}\": {value}")
        });
        format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
    })
}

/// Generates a model's events of one turn in canonical form (L-4, P-15), with the ids of a parser.
pub fn turn() -> impl Strategy<Value = Vec<Event>> {
    let calls = prop::collection::vec(("[a-z_]{1,8}", args()), 1..4).prop_map(|calls| {
        let calls = calls.into_iter().map(|(name, args)| {
            let content = format!("{{\"name\": \"{name}\", \"args\": {args}}}");
            Event::Call(Call::parse("", content).expect("it is a call"))
        });
        calls.chain([Event::Execute]).collect::<Vec<_>>()
    });
    let unit = prop_oneof![
        2 => content().prop_map(|text| vec![Event::think(text)]),
        2 => content().prop_map(|text| vec![Event::respond(text)]),
        1 => calls,
    ];
    (prop::collection::vec(unit, 0..5), any::<bool>()).prop_map(|(units, end)| {
        let mut events: Vec<Event> = units.into_iter().flatten().collect();
        let mut taken = 0;
        for event in &mut events {
            if let Event::Call(call) = event {
                taken += 1;
                *call = call.clone().with_id(format!("a{taken}"));
            }
        }
        if end {
            events.push(Event::End);
        }
        events
    })
}
