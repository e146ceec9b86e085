//! Answers that begin inside a thought (P-38).

use proptest::prelude::*;
use silcrow_event::Event;
use silcrow_parser::{Dialect, Options, Parser};
use silcrow_testkit::{Joined, Unit, random_chars, wire_text};

use crate::parse::parse;
use crate::surface::FORMS;

fn parse_in_thought<'a>(pieces: impl IntoIterator<Item = &'a str>, options: Options) -> Joined {
    let mut joined = Joined::default();
    let mut parser = Parser::new(options).with_call_text().with_open_thought();
    for piece in pieces {
        parser.push(piece, &mut |fragment| joined.push(fragment));
    }
    parser.finish(&mut |fragment| joined.push(fragment));
    joined.finish()
}

/// Returns the fragments with positions of a text that begins `len` bytes later.
fn shifted(joined: &Joined, len: u64) -> Vec<Unit> {
    let shift = |unit: &Unit| match unit.clone() {
        Unit::Diagnostic(mut note) => {
            note.at = note.at.map(|at| at + len);
            Unit::Diagnostic(note)
        }
        unit => unit,
    };
    joined.units.iter().map(shift).collect()
}

#[test]
fn a_thought_is_open_in_every_dialect() {
    for dialect in Dialect::ALL {
        for wire in ["a\n</think>\n", "<think>a</think>", "\u{feff}\n<think> a</think>"] {
            let joined = parse_in_thought([wire], dialect.into());
            assert_eq!(joined.units.len(), 1, "{dialect}: {wire:?}");
            assert_eq!(joined.events(), [Event::think("a")], "{dialect}: {wire:?}");
        }
        let joined = parse_in_thought(["<thin"], dialect.into());
        assert_eq!(joined.events(), [Event::think("<thin")]);
        assert_eq!(joined.diagnostics().count(), 1);
    }
}

proptest! {
    #[test]
    fn it_reads_like_a_text_with_the_opening_tag(text in wire_text(), seed: u64) {
        for (_, options) in FORMS {
            let whole = parse_in_thought([&*text], options);
            prop_assert_eq!(&parse_in_thought(random_chars(&text, seed), options), &whole);
            let plain = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
            if options.dialect != Dialect::Phase && !plain.starts_with("<think>") && plain == text {
                let opened = parse([&*format!("<think>{text}")], options);
                prop_assert_eq!(opened.units, shifted(&whole, 7));
            }
        }
    }
}
