//! Writes the parser's results for our own cases into their files, if they differ from the expected
//! ones.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use silcrow_cases::{Case, CaseFile, CaseSection};

use crate::cases::options;
use crate::own::{emitted, free, read};

/// Blesses the files, and prints each difference.
#[test]
#[ignore = "run by `cargo xtask cases bless`"]
#[expect(clippy::print_stdout, reason = "a person reads what changes")]
fn write_what_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/own");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "cases"));
    files.sort();
    for path in files {
        let mut file = CaseFile::open(&path).unwrap_or_else(|why| panic!("{why}"));
        let differences = bless(&mut file);
        for difference in &differences {
            println!("@ {}: {difference}", path.display());
        }
        if !differences.is_empty() {
            fs::write(&path, file.to_string()).unwrap();
        }
    }
}

/// Replaces the expectations of cases by the parser's results, and returns the changes, case by
/// case.
fn bless(file: &mut CaseFile) -> Vec<String> {
    let mut differences = Vec::new();
    for case in &mut file.cases {
        // A case of writing has its results from elsewhere.
        if case.sections("result").next().is_some() {
            continue;
        }
        let before = case.sections.clone();
        bless_case(case);
        if case.sections != before {
            let mut difference = format!("{}\n", case.id);
            let after = case.sections.clone();
            for (sign, sections, others) in [('-', &before, &after), ('+', &after, &before)] {
                for section in sections.iter().filter(|section| !others.contains(section)) {
                    let one = Case { sections: vec![section.clone()], ..Case::default() };
                    // The lines before are the title and the empty wire.
                    for line in one.to_string().lines().skip(2) {
                        writeln!(difference, "{sign} {line}").unwrap();
                    }
                }
            }
            differences.push(difference);
        }
    }
    differences
}

fn bless_case(case: &mut Case) {
    let expected = case.events();
    let mut events = case.sections.iter().filter(|section| section.to_event().is_some());
    let got = read(vec![case.wire.as_bytes()], options(case));
    let got = got.into_iter().enumerate().map(|(index, mut event)| {
        if let Some(expected) = expected.get(index) {
            free(&mut event, expected);
        } else {
            // A new diagnostic is compared without its words, as most are.
            free(&mut event, &serde_json::Value::Null);
        }
        let old = events.next().filter(|_| expected.get(index) == Some(&event)).cloned();
        old.unwrap_or_else(|| CaseSection::from_event(&event).expect("a parser gives no other"))
    });
    let got: Vec<_> = got.collect();
    let is_emitted = case.sections("emitted").next().is_some();
    let text = is_emitted.then(|| emitted(case));
    case.sections.retain(|section| section.to_event().is_none());
    for section in &mut case.sections {
        if let Some(text) = text.as_ref().filter(|_| section.name == "emitted") {
            section.text.clone_from(text);
        }
    }
    case.sections.extend(got);
}

#[test]
fn blessing_keeps_correct_cases_unchanged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/own");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let mut file = CaseFile::open(&path).unwrap();
        assert_eq!(bless(&mut file), [""; 0]);
        assert_eq!(file.to_string(), fs::read_to_string(&path).unwrap(), "{}", path.display());
        count += file.cases.len();
    }
    assert!(count > 100, "{count}");
}

#[test]
fn blessing_writes_and_shows_differences() {
    let wrong = "\
dialect: sigil

=== stray
clauses: P-12
---
§call: {\"name\":\"t\"} so }
§execute
--- call a1
{\"name\":\"u\"}
--- error stray_text at=3
so }
--- execute
--- respond
more

=== chunks
clauses: L-3
---
§th┊ink: a┊ b
--- emitted
┊b┊ a
--- think
a b
";
    let right = "\
dialect: sigil

=== stray
clauses: P-12
---
§call: {\"name\":\"t\"} so }
§execute
--- call a1
{\"name\":\"t\"}
--- error stray_text at=21
so }
--- execute

=== chunks
clauses: L-3
---
§th┊ink: a┊ b
--- emitted
┊a┊ b
--- think
a b
";
    let mut file = CaseFile::read(wrong).unwrap();
    let differences = bless(&mut file).join("");
    assert_eq!(file.to_string(), right);
    assert_eq!(
        differences,
        "stray\n\
         - --- call a1\n- {\"name\":\"u\"}\n- --- error stray_text at=3\n- so }\n\
         - --- respond\n- more\n\
         + --- call a1\n+ {\"name\":\"t\"}\n+ --- error stray_text at=21\n+ so }\n\
         chunks\n- --- emitted\n- ┊b┊ a\n+ --- emitted\n+ ┊a┊ b\n"
    );
    assert_eq!(bless(&mut file), [""; 0]);
}
