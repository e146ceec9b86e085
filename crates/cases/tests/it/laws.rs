//! Laws of all files of cases.

use proptest::prelude::*;
use serde_json::{Value, json};
use silcrow_cases::{Case, CaseFile, CaseSection, CaseText};

proptest! {
    #[test]
    fn written_cases_round_trip(file in file()) {
        let written = file.to_string();
        let read = CaseFile::read(&written).map_err(|why| TestCaseError::fail(format!("{why}:\n{written}")))?;
        prop_assert_eq!(read, file, "{}", written);
    }

    /// An editor that strips white space or shows bytes as text loses nothing.
    #[test]
    fn written_cases_contain_only_visible_characters(file in file()) {
        let written = file.to_string();
        for line in written.lines() {
            prop_assert_eq!(line.trim_end(), line);
            prop_assert!(!line.contains(|char: char| char.is_control()), "{:?}", line);
        }
    }
}

/// The expectation of a section is written as the same section.
#[test]
fn events_and_sections_round_trip() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../parser/tests/cases/own");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = CaseFile::open(entry.unwrap().path()).unwrap();
        for section in file.cases.iter().flat_map(|case| &case.sections) {
            let Some(event) = section.to_event() else { continue };
            let again = CaseSection::from_event(&event).unwrap();
            assert_eq!(again.to_event(), Some(event));
            assert_eq!(
                (again.name, again.subject),
                (section.name.clone(), section.subject.clone())
            );
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
    assert_eq!(CaseSection::from_event(&json!({"type": "idle"})), None);
}

fn file() -> impl Strategy<Value = CaseFile> {
    let cases = prop::collection::vec((header(), wire(), sections()), 0..4);
    (header(), cases).prop_map(|(header, cases)| {
        let mut file = CaseFile { header, cases: Vec::new() };
        for (index, (mut own, wire, sections)) in cases.into_iter().enumerate() {
            let keys: Vec<_> = own.iter().map(|(key, _)| key.clone()).collect();
            // Values of the file's header are not written again, and come last when they are read.
            own.retain(|pair| !file.header.contains(pair));
            let inherited = file.header.iter().filter(|(key, value)| {
                !keys.contains(key) || !own.contains(&(key.clone(), value.clone()))
            });
            let inherited: Vec<_> = inherited
                .filter(|(key, _)| own.iter().all(|(other, _)| other != key))
                .cloned()
                .collect();
            own.extend(inherited);
            let id = format!("case {index}");
            file.cases.push(Case { id, header: own, wire, sections });
        }
        file
    })
}

fn header() -> impl Strategy<Value = Vec<(String, String)>> {
    let pair =
        (prop::sample::select(&["clauses", "dialect", "flags"][..]), "[a-z§-]( ?[a-z:]){0,4}");
    prop::collection::vec(pair, 0..3).prop_map(|pairs| {
        let mut header: Vec<(String, String)> = Vec::new();
        for (key, value) in pairs {
            if header.iter().all(|(other, _)| other != key) {
                header.push((key.to_owned(), value));
            }
        }
        header
    })
}

fn sections() -> impl Strategy<Value = Vec<CaseSection>> {
    prop::collection::vec(section(), 0..4)
}

fn section() -> impl Strategy<Value = CaseSection> {
    let section = |name: &str, subject: Option<String>, attributes, text| CaseSection {
        name: name.to_owned(),
        subject,
        attributes,
        text,
    };
    prop_oneof![
        text().prop_map(move |text| section("think", None, Vec::new(), text)),
        (attributes(), text()).prop_map(move |(all, text)| section("respond", None, all, text)),
        (prop::option::of(word()), attributes(), text())
            .prop_map(move |(id, all, text)| section("call", id, all, text)),
        (word(), attributes()).prop_map(move |(id, all)| section(
            "invalid_call",
            Some(id),
            all,
            CaseText::default()
        )),
        wire().prop_map(move |given| section("emitted", None, Vec::new(), given)),
        Just(section("end", None, Vec::new(), CaseText::default())),
    ]
}

fn attributes() -> impl Strategy<Value = Vec<(String, Value)>> {
    let value = prop_oneof![
        word().prop_map(Value::String),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        word().prop_map(|word| json!([word, {"a b": word}])),
    ];
    prop::collection::btree_map("[a-z_]{1,4}", value, 0..3)
        .prop_map(|attributes| attributes.into_iter().collect())
}

/// A word that may look like a number, like JSON or like an attribute.
fn word() -> impl Strategy<Value = String> {
    let parts =
        prop::sample::select(&["a", "=", " ", "\"", "1", "null", "é", "\u{200b}", "[", "\n"][..]);
    prop::collection::vec(parts, 0..5).prop_map(|parts| parts.concat())
}

fn text() -> impl Strategy<Value = CaseText> {
    pieces().prop_map(|pieces| (&*String::from_utf8_lossy(&pieces.concat())).into())
}

fn wire() -> impl Strategy<Value = CaseText> {
    pieces().prop_map(|pieces| CaseText::from_pieces(&pieces))
}

/// Bytes that the notation treats as special, and any others.
fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let special = [
        "\n", "\n", " ", "\t", "\r", "---", "===", "--- end", "=== a", "a", "§", "␠", "␉", "␍",
        "␊", "┊", "⟨", "⟩", "\u{feff}", "\u{a0}", "\0", "",
    ];
    let part = prop_oneof![
        4 => prop::sample::select(special.to_vec()).prop_map(|part| part.as_bytes().to_vec()),
        1 => any::<Vec<u8>>(),
    ];
    let piece = prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat());
    prop::collection::vec(piece, 1..4)
}
