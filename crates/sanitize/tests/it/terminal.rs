//! A table of texts that are hostile to a terminal, and their safe forms.

use proptest::prelude::*;
use silcrow_sanitize::{Sanitizer, escape_json, is_hidden, sanitize, sanitize_line};

#[test]
fn table_texts_are_sanitized_under_any_chunking() {
    let cases = cases();
    assert!(cases.len() >= 70, "{}", cases.len());
    for Case { name, text, shown } in cases {
        assert_eq!(sanitize(&text), shown, "{name}");
        check(&text);
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        for at in ends {
            assert_eq!(pushed([&text[..at], &text[at..]]), shown, "{name}, cut at {at}");
        }
        let chars: Vec<_> = text.chars().map(String::from).collect();
        assert_eq!(pushed(chars.iter().map(|char| &**char)), shown, "{name}, cut everywhere");
    }
}

proptest! {
    #[test]
    fn nothing_hidden_is_shown_of_any_text(text in any::<String>(), at in any::<prop::sample::Index>()) {
        check(&text);
        // A part of the table, cut anywhere, within other text.
        let cases = cases();
        let hostile: Vec<char> = at.get(&cases).text.chars().collect();
        let part: String = hostile[at.index(hostile.len())..].iter().collect();
        check(&format!("{text}{part}{text}"));
    }
}

/// Checks that nothing forbidden is shown of a text.
#[track_caller]
fn check(text: &str) {
    let forbidden = |char: char| match char {
        '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}' => true,
        // Joiners and selectors stay if they join or select something.
        '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => false,
        '\n' | '\t' => false,
        _ => is_hidden(char),
    };
    for shown in [sanitize(text), escape_json(&serde_json::to_string(text).unwrap())] {
        assert_eq!(shown.chars().find(|char| forbidden(*char)), None, "{text:?} {shown:?}");
    }
    let line = sanitize_line(text);
    assert!(!line.chars().any(|char| forbidden(char) || matches!(char, '\n' | '\t')), "{line:?}");
}

fn pushed<'a>(pieces: impl IntoIterator<Item = &'a str>) -> String {
    let (mut sanitizer, mut out) = (Sanitizer::default(), String::new());
    for piece in pieces {
        sanitizer.push(piece, &mut out);
    }
    sanitizer.finish(&mut out);
    out
}

struct Case {
    name: String,
    text: String,
    shown: String,
}

fn cases() -> Vec<Case> {
    let read = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| case[name].as_str().unwrap().to_owned();
        Case { name: field("name"), text: field("text"), shown: field("shown") }
    };
    include_str!("../cases/terminal.jsonl").lines().map(read).collect()
}
