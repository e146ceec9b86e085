//! L-1, L-4, L-7: the laws, over generated text and turns.

use std::collections::HashSet;

use proptest::prelude::*;
use silcrow_event::Event;
use silcrow_parser::{Dialect, Options, read_results, write, write_results};
use silcrow_testkit::{Unit, action_turn, by_bytes, content, cuts, random_chars, turn, wire_text};

use crate::parse::{parse, parse_bytes};
use crate::surface;

fn options() -> impl Strategy<Value = Options> {
    prop_oneof![
        Just(Options { dialect: Dialect::Sigil, inline: false }),
        Just(Options { dialect: Dialect::Sigil, inline: true }),
        Just(Options { dialect: Dialect::Phase, inline: false }),
        Just(Options { dialect: Dialect::Action, inline: false }),
    ]
}

/// A turn in canonical form.
fn written() -> impl Strategy<Value = (Options, Vec<Event>)> {
    options().prop_flat_map(|options| match options.dialect {
        Dialect::Sigil | Dialect::Phase => (Just(options), turn().boxed()),
        Dialect::Action => (Just(options), action_turn().boxed()),
    })
}

proptest! {
    /// L-1 and L-2 of the lexer alone.
    #[test]
    fn tokens_are_the_input_however_it_is_cut(text in wire_text()) {
        surface::lex(text.as_bytes());
    }

    /// L-1, notes included; L-7 on the way.
    #[test]
    fn fragments_are_the_same_however_the_input_is_cut(
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

    /// L-4.
    #[test]
    fn what_is_written_reads_as_itself((options, events) in written(), seed: u64) {
        let wire = write(&events, options);
        let joined = parse(random_chars(&wire, seed), options);
        prop_assert_eq!(joined.events(), events, "{}", wire);
        prop_assert_eq!(joined.notes().count(), 0, "{}\n{:?}", wire, joined);
    }

    /// P-3 of reliability: what was read, written and read again is the same.
    #[test]
    fn reading_settles(text in wire_text(), options in options()) {
        let mut events = parse([&*text], options).events();
        // A turn with calls executes them once, behind the last.
        let canonical = write(&events, options);
        events = parse([&*canonical], options).events();
        let again = parse([&*write(&events, options)], options).events();
        prop_assert_eq!(again, events, "{}", canonical);
    }

    /// L-6: no result comes from the model, and every place in a batch has an id of its own: the
    /// next one, unless the model may say another.
    #[test]
    fn nothing_is_forged(text in wire_text(), options in options()) {
        let joined = parse([&*text], options);
        let mut taken = HashSet::new();
        for unit in &joined.units {
            let id = match unit {
                Unit::Event(Event::Call(call)) => call.id(),
                Unit::Event(Event::Execute | Event::End) | Unit::Text { .. } | Unit::Note(_) => continue,
                Unit::Event(other) => panic!("{other:?} from the model"),
                Unit::Bad { id, .. } => id,
            };
            prop_assert!(taken.insert(id), "{} twice", id);
            if options.dialect != Dialect::Action {
                prop_assert_eq!(id, &format!("a{}", taken.len()));
            }
        }
    }

    /// No content of a result is a marker.
    #[test]
    fn results_come_back_by_position(contents in prop::collection::vec(content(), 1..4), options in options()) {
        let outcomes: Vec<_> = contents
            .iter()
            .map(|content| silcrow_event::Outcome::success("a1", "t", "", content.clone()))
            .collect();
        let message = write_results(&outcomes, options);
        prop_assert_eq!(read_results(&message, options), contents, "{}", message);
    }
}
