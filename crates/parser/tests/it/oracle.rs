//! The parser agrees with the slow reference, and the corpus satisfies every law.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use silcrow_cases::{Case, CaseFile};
use silcrow_parser::{Dialect, Options};
use silcrow_testkit::{Form, action_text, oracle, random_chars, wire_text};

use crate::cases;
use crate::parse::{parse, parse_bytes};
use crate::surface::{self, FORMS};

proptest! {
    #[test]
    fn parser_matches_the_clause_oracle(text in wire_text(), seed: u64) {
        for (form, options) in FORMS {
            let expected = oracle(&text, form);
            prop_assert_eq!(parse([&*text], options).essence(), &*expected, "{:?}", form);
            let pieces = random_chars(&text, seed);
            prop_assert_eq!(parse(pieces, options).essence(), expected, "{:?}", form);
        }
    }

    #[test]
    fn actions_are_read_as_the_clauses_say(text in action_text(), seed: u64) {
        let (form, options) = FORMS[3];
        let expected = oracle(&text, form);
        prop_assert_eq!(parse([&*text], options).essence(), &*expected);
        let pieces = random_chars(&text, seed);
        prop_assert_eq!(parse(pieces, options).essence(), expected);
    }

    #[test]
    fn calls_are_read_as_the_clauses_say(text in wire_text()) {
        for (form, options) in FORMS {
            let opening = match form {
                Form::Sigil | Form::Inline => "§call: ",
                Form::Phase => "<execute>[",
                Form::Action => "<action>",
            };
            let text = format!("{opening}{text}");
            prop_assert_eq!(parse([&*text], options).essence(), oracle(&text, form), "{:?}", form);
        }
    }

    #[test]
    fn any_bytes_are_fine(bytes: Vec<u8>, text in wire_text()) {
        let all = [text.as_bytes(), &bytes, text.as_bytes()].concat();
        for bytes in [&bytes, text.as_bytes(), &all] {
            every_surface(bytes);
        }
    }
}

/// The limits of P-19 and P-21: 1 KiB for a tag, 64 KiB for text outside of sections.
#[test]
fn bounds_match_the_clauses() {
    let (form, options) = FORMS[3];
    for over in [-1, 0, 1] {
        let up_to = |bound: i32, around: &str| "x".repeat((bound + over) as usize - around.len());
        let (tag, outside) = (up_to(1024, "<action id=''>"), up_to(64 << 10, "so\n"));
        for text in [
            format!("<action id='{tag}'>{{\"name\":\"t\"}}</action>"),
            format!("<<action id='{tag}'>"),
            format!("so<!---->{outside}<thought>a</thought>b"),
            format!("so\n\n<!---->{outside}\n<response>a</response>b"),
            format!("so\n{outside}\n\n<action>{{\"name\":\"t\"}}</action>b"),
        ] {
            let expected = oracle(&text, form);
            assert_eq!(parse([&*text], options).essence(), expected);
            assert_eq!(parse(random_chars(&text, 1), options).essence(), expected);
        }
    }
}

#[test]
fn every_case_is_read_as_the_clauses_say() {
    for case in cases::read(include_str!("../cases/parse.cases")) {
        let named = cases::options(&case);
        let is_named = |(_, options): &(Form, Options)| *options == named;
        let (form, options) = FORMS.into_iter().find(is_named).unwrap();
        let wire = case.wire.as_str().unwrap();
        assert_eq!(parse([wire], options).essence(), oracle(wire, form), "{}", case.id);
    }
}

/// The files of the corpus.
fn corpus() -> Vec<CaseFile> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/corpus");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.map(|path| CaseFile::open(path).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// The texts of the corpus for one dialect.
fn texts(dialect: Dialect) -> Vec<Case> {
    let all = corpus().into_iter().flat_map(|file| file.cases);
    all.filter(|case| case.value("dialect") == Some(dialect.as_str())).collect()
}

/// The corpus contains every input that failed once.
#[test]
fn the_corpus_holds_in_every_surface() {
    let texts = || corpus().into_iter().flat_map(|file| file.cases);
    let held = texts().inspect(|case| every_surface(case.wire.as_bytes())).count();
    assert!(held > 450, "{held} texts are too few");
}

fn every_surface(bytes: &[u8]) {
    surface::lex(bytes);
    surface::bytes(bytes);
    surface::parse_sigil(bytes);
    surface::parse_phase(bytes);
    surface::parse_action(bytes);
    surface::round_trip(bytes);
    surface::call_json(bytes);
}

#[test]
fn the_corpus_shows_every_clause() {
    let all = ["p01", "p02", "p03", "p04", "p05", "p06", "p07", "p08", "p09", "p10", "p34"];
    let own = [
        (Dialect::Sigil, &["p11", "p12", "p13", "p14", "p15"][..]),
        (Dialect::Phase, &["p16", "p17", "p18"]),
        (Dialect::Action, &["p19", "p20", "p21", "p22", "p43"]),
    ];
    for (dialect, own) in own {
        let texts = texts(dialect);
        for clause in all.iter().chain(own) {
            let shown = texts.iter().filter(|case| case.id.starts_with(clause)).count();
            assert!(shown >= 3, "{shown} texts of {dialect:?} show {clause}");
        }
    }
}

/// The maximal length of a text that is cut at every pair of positions.
const SHORT: usize = 48;

/// L-1 and P-7: two and three pieces, cut between bytes.
#[test]
fn corpus_does_not_depend_on_two_cuts() {
    for (form, options) in FORMS {
        for case in texts(options.dialect) {
            let (name, bytes) = (&case.id, case.wire.as_bytes());
            if bytes.len() > SHORT && !name.starts_with("crash") {
                panic!("{name} has {} bytes: a corpus text is short", bytes.len());
            }
            let whole = parse_bytes([bytes], options);
            for second in 0..=bytes.len().min(SHORT) {
                for first in 0..=second {
                    let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                    let cut = parse_bytes(pieces, options);
                    assert_eq!(cut, whole, "{form:?} {name} {first} {second}");
                }
            }
        }
    }
}
