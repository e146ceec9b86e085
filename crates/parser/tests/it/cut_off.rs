//! The end of an input that was cut off: no half delimiter is content (P-6).

use proptest::prelude::*;
use silcrow_parser::{Dialect, Event, Parser};
use silcrow_testkit::{Joined, Unit, cuts, wire_text};

use crate::surface::FORMS;

fn cut_off(pieces: &[&str], dialect: Dialect) -> Joined {
    let mut joined = Joined::default();
    let mut parser = Parser::new(dialect);
    for piece in pieces {
        parser.push(piece, &mut |fragment| joined.push(fragment));
    }
    parser.finish_cut(&mut |fragment| joined.push(fragment));
    joined.finish()
}

fn texts(wire: &str, dialect: Dialect) -> Vec<String> {
    let units = cut_off(&[wire], dialect).units.into_iter();
    let texts = units.filter_map(|unit| match unit {
        Unit::Text { text, .. } => Some(text),
        _ => None,
    });
    texts.collect()
}

#[test]
fn half_a_delimiter_is_dropped() {
    for (dialect, wire) in [
        (Dialect::Sigil, "hello\n§en"),
        (Dialect::Sigil, "hello\n§"),
        (Dialect::Phase, "hello<execut"),
        (Dialect::Phase, "<think>hello\n</think"),
        (Dialect::Action, "<response>hello</respon"),
        (Dialect::Action, "<response>hello</"),
        (Dialect::Action, "hello\n<action"),
        (Dialect::Action, "hello\n<action type=\"tool\" id=\"a"),
        (Dialect::Action, "<thought>hello<action depends_on=[\"a1\""),
    ] {
        let text = texts(wire, dialect).concat();
        assert_eq!(text, "hello", "{wire:?}");
    }
}

#[test]
fn whole_delimiters_and_other_text_stay() {
    assert_eq!(texts("1 < 2", Dialect::Phase), ["1 < 2"]);
    assert_eq!(texts("a §en", Dialect::Sigil), ["a §en"]);
    assert_eq!(texts("a\n§ende", Dialect::Sigil), ["a\n§ende"]);
    let ended = cut_off(&["a\n§end"], Dialect::Sigil);
    assert_eq!(ended, crate::parse::parse(["a\n§end"], Dialect::Sigil));
}

#[test]
fn calls_that_wait_are_not_executed() {
    for (dialect, wire) in [
        (Dialect::Sigil, "§call: {\"name\": \"pay\"}\n"),
        (Dialect::Sigil, "§call: {\"name\": \"pay\"}\n§execut"),
        (Dialect::Phase, "<execute>[{\"name\": \"pay\"}, {\"na"),
    ] {
        let units = cut_off(&[wire], dialect).units;
        assert!(
            units.iter().any(|unit| matches!(unit, Unit::Event(Event::Call(_)))),
            "{wire:?}: {units:?}"
        );
        assert!(!units.contains(&Unit::Event(Event::Execute)), "{wire:?}: {units:?}");
    }
}

proptest! {
    /// L-1 of a text that was cut off.
    #[test]
    fn fragments_do_not_depend_on_cuts(text in wire_text()) {
        for (_, options) in FORMS {
            let whole = cut_off(&[&text], options.dialect);
            for (left, right) in cuts(&text) {
                prop_assert_eq!(&cut_off(&[left, right], options.dialect), &whole);
            }
        }
    }
}
