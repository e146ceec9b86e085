//! The laws over generated text and turns, by the functions of the fuzz targets.

use proptest::prelude::*;
use silcrow_event::Event;
use silcrow_parser::{Dialect, Options};
use silcrow_testkit::{action_turn, by_bytes, content, cuts, random_chars, turn, wire_text};

use crate::parse::{parse, parse_bytes};
use crate::surface;

fn options() -> impl Strategy<Value = Options> {
    prop_oneof![
        Just(Options::new(Dialect::Sigil)),
        Just(Options::new(Dialect::Sigil).with_inline(true)),
        Just(Options::new(Dialect::Phase)),
        Just(Options::new(Dialect::Action)),
    ]
}

/// A turn in canonical form.
fn written() -> impl Strategy<Value = (Options, Vec<Event>)> {
    options().prop_flat_map(|options| match options.dialect {
        Dialect::Sigil | Dialect::Phase => (Just(options), turn().boxed()),
        Dialect::Action => (Just(options), action_turn().boxed()),
    })
}

/// The same turn with blanks around its contents.
fn padded(events: &[Event], blanks: &[(String, String)]) -> Vec<Event> {
    let mut blanks = blanks.iter().cycle();
    let mut pad = |content: &mut String| {
        if let Some((before, behind)) = blanks.next() {
            *content = format!("{before}{content}{behind}");
        }
    };
    let mut events = events.to_vec();
    for event in &mut events {
        match event {
            Event::Think(think) => pad(&mut think.content),
            Event::Respond(respond) => pad(&mut respond.content),
            _ => {}
        }
    }
    events
}

proptest! {
    /// L-1 and L-2 of the lexer alone.
    #[test]
    fn tokens_cover_input_under_any_chunking(text in wire_text()) {
        surface::lex(text.as_bytes());
    }

    /// L-1, including diagnostics, and L-7.
    #[test]
    fn fragments_do_not_depend_on_cuts(
        text in wire_text(), options in options(), seed: u64,
    ) {
        let whole = parse([&*text], options);
        prop_assert_eq!(&parse_bytes(by_bytes(&text, 1), options), &whole);
        prop_assert_eq!(&parse_bytes(by_bytes(&text, 4), options), &whole);
        prop_assert_eq!(&parse(random_chars(&text, seed), options), &whole);
        for (left, right) in cuts(&text) {
            prop_assert_eq!(&parse([left, right], options), &whole);
        }
    }

    /// The law L-4 of turns in canonical form.
    #[test]
    fn written_events_round_trip((options, events) in written(), seed: u64) {
        surface::reads_back(&events, options, seed);
    }

    /// L-4 if contents are not trimmed: blanks before a fence do not hide it.
    #[test]
    fn written_text_round_trips_without_outer_blanks(
        (options, events) in written(),
        blanks in prop::collection::vec(("[ \t\r\n]{0,6}", "[ \t\r\n]{0,3}"), 1..4),
        seed: u64,
    ) {
        surface::reads_back_as(&padded(&events, &blanks), &events, options, seed);
    }

    /// L-6 of results and of the text of a person.
    #[test]
    fn results_come_back_by_position(
        contents in prop::collection::vec(content(), 1..4), options in options(),
    ) {
        surface::results_read_back(&contents, options);
    }

    /// L-4 of turns that are made of bytes.
    #[test]
    fn turns_of_bytes_read_as_themselves(
        contents in prop::collection::vec((any::<u8>(), content()), 0..6), bytes: Vec<u8>,
    ) {
        let record = |(kind, content): &(u8, String)| [&[*kind], content.as_bytes(), &[0xff]].concat();
        let turn: Vec<u8> = contents.iter().flat_map(record).collect();
        surface::round_trip(&turn);
        surface::round_trip(&bytes);
    }
}
