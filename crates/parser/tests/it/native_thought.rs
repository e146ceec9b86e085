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

fn parse_with_tags<'a>(pieces: impl IntoIterator<Item = &'a str>, options: Dialect) -> Joined {
    let mut joined = Joined::default();
    let mut parser = Parser::new(options).with_reasoning_tags();
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
    fn it_reads_as_with_opening_tag(text in wire_text(), seed: u64) {
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

#[test]
fn lone_closing_tag_ends_thought() {
    let answers = [
        (Dialect::Sigil, "hm\n</think>\n\n§respond: Hello.\n§end"),
        (Dialect::Sigil, "hm\n</think>\n\nHello.\n§end"),
        (Dialect::Phase, "hm\n</think>\n\nHello.\n<end>"),
        (Dialect::Action, "hm\n</think>\n<response>Hello.</response>"),
        (Dialect::Action, "hm</think>Hello."),
        (Dialect::Sigil, "hm[/THINK]Hello."),
        (Dialect::Phase, "hm</seed:think>\nHello."),
        (Dialect::Sigil, "```\nhm\n```\n</mm:think>\n§respond: Hello."),
        (Dialect::Sigil, "`</think>` hm </think> Hello."),
        (Dialect::Sigil, "§§```hm</think>Hello."),
        (Dialect::Phase, "hm\r</think>Hello."),
    ];
    for (dialect, wire) in answers {
        let joined = parse_with_tags([wire], dialect);
        let events = joined.events();
        assert!(
            matches!(&events[0], Event::Think(think) if think.content.contains("hm")),
            "{wire:?}: {events:?}"
        );
        assert_eq!(events[1], Event::respond("Hello."), "{wire:?}");
        for size in 1..4 {
            let pieces = wire.as_bytes().chunks(size).map(|piece| str::from_utf8(piece).ok());
            if let Some(pieces) = pieces.collect::<Option<Vec<_>>>() {
                assert_eq!(
                    parse_with_tags(pieces, dialect),
                    joined,
                    "{wire:?} in pieces of {size}"
                );
            }
        }
    }
}

#[test]
fn quoted_or_paired_closing_tag_is_text() {
    let answers = [
        (Dialect::Sigil, "§respond: It ends with </think>, as I said."),
        (Dialect::Sigil, "Models write <think> and </think> around it."),
        (Dialect::Sigil, "It ends with `</think>`."),
        (Dialect::Sigil, "```\n</think>\n```\nAs above."),
        (Dialect::Phase, "It ends with `</think>`."),
        (Dialect::Action, "<response>hm</think></response>"),
        (Dialect::Action, "<!-- </think> -->\n<response>hm</response>"),
    ];
    for (dialect, wire) in answers {
        let events = parse_with_tags([wire], dialect).events();
        assert!(
            !events.iter().any(|event| matches!(event, Event::Think(_))),
            "{wire:?}: {events:?}"
        );
    }
}

#[test]
fn ten_kinds_of_tags_begin_a_thought() {
    let tags = [
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<reasoning>", "</reasoning>"),
        ("<seed:think>", "</seed:think>"),
        ("<mm:think>", "</mm:think>"),
        ("[THINK]", "[/THINK]"),
        ("<|channel>thought", "<channel|>"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("<|inner_prefix|>", "<|inner_suffix|>"),
        ("◁think▷", "◁/think▷"),
    ];
    for dialect in Dialect::ALL {
        for (open, close) in tags {
            let wire = format!("{open}\nhm <x> [y] ’◁▷ \n{close}\nHello.");
            let expected = [Event::think("hm <x> [y] ’◁▷"), Event::respond("Hello.")];
            assert_eq!(parse_with_tags([&*wire], dialect).events(), expected, "{dialect}: {wire}");
        }
        // Another closing tag does not end it.
        let joined = parse_with_tags(["<thinking>a</think>b</thinking>Hello."], dialect);
        assert_eq!(joined.events(), [Event::think("a</think>b"), Event::respond("Hello.")]);
    }
}

proptest! {
    #[test]
    fn tags_are_read_wherever_the_input_is_cut(text in wire_text(), seed: u64) {
        for dialect in Dialect::ALL {
            let text = text.replace("<end>", "</think>");
            let whole = parse_with_tags([&*text], dialect);
            prop_assert_eq!(parse_with_tags(random_chars(&text, seed), dialect), whole, "{}: {:?}", dialect, text);
        }
    }
}
