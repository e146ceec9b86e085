//! Hidden characters in text for a terminal.

use std::borrow::Cow;

use proptest::prelude::*;
use silcrow_sanitize::{Sanitizer, is_hidden, sanitize, sanitize_line};

#[test]
fn each_hidden_character_shows_its_number() {
    for char in ('\0'..=char::MAX).filter(|&char| is_hidden(char) && !matches!(char, '\t' | '\n')) {
        let code = u32::from(char);
        let number =
            if code < 0x80 { format!("\\x{code:02x}") } else { format!("\\u{{{code:x}}}") };
        assert_eq!(sanitize(&format!("a{char}b")), format!("a{number}b"));
    }
}

#[test]
fn hostile_text_becomes_readable() {
    for (text, shown) in [
        ("a\x1b[2Jb\x07", r"a\x1b[2Jb\x07"),
        ("\u{9b}31mred", r"\u{9b}31mred"),
        ("\u{202e}cod.exe", r"\u{202e}cod.exe"),
        ("x\u{200b}y\u{e0041}z\u{7f}\0", r"x\u{200b}y\u{e0041}z\x7f\x00"),
        ("a\rb\r", r"a\x0db\x0d"),
        // Fillers, which look like blanks.
        ("rm\u{3164}\u{115f}\u{1160}\u{ffa0}\u{2800}x", {
            r"rm\u{3164}\u{115f}\u{1160}\u{ffa0}\u{2800}x"
        }),
        ("a\u{ad}\u{34f}\u{17b4}\u{180b}\u{180f}b", r"a\u{ad}\u{34f}\u{17b4}\u{180b}\u{180f}b"),
        // Bytes that are encoded in the selectors after one visible character.
        ("☀\u{fe0f}\u{fe0e}\u{fe0f}", "☀\u{fe0f}\\u{fe0e}\\u{fe0f}"),
        ("a\u{fe0f}☀\u{fe00}\u{e0100}", "a\\u{fe0f}☀\\u{fe00}\\u{e0100}"),
        // Joiners that join nothing.
        ("a\u{200d}b\u{200c}", r"a\u{200d}b\u{200c}"),
        ("é\u{200d}\u{200d}", "é\u{200d}\\u{200d}"),
        ("1\u{200d}", r"1\u{200d}"),
        ("\u{200d}", r"\u{200d}"),
    ] {
        assert_eq!(sanitize(text), shown, "{text:?}");
    }
}

#[test]
fn a_line_has_neither_break_nor_tab() {
    assert_eq!(sanitize_line("a\tb\r\nc\rd\x1be"), r"a\x09b\x0ac\x0dd\x1be");
    assert!(matches!(sanitize_line("naïve 東京"), Cow::Borrowed(_)));
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "",
        "plain\ttext\n",
        "naïve 東京 ✓ §call",
        "👩‍👩‍👧 ☀️ ☀︎ ❤️‍🔥 1️⃣ #️⃣ 👍🏽",
        "می‌خواهم क्‍ष",
        "العربية עברית",
        "a\u{a0}b\u{3000}c",
    ] {
        assert!(matches!(sanitize(text), Cow::Borrowed(same) if same == text), "{text:?}");
    }
    assert_eq!(sanitize("one\r\ntwo\r\n"), "one\ntwo\n");
}

proptest! {
    #[test]
    fn the_result_is_the_same_for_every_cut(text in text()) {
        let whole = sanitize(&text);
        let ends = || text.char_indices().map(|(at, _)| at).chain([text.len()]);
        for (first, second) in ends().flat_map(|first| ends().map(move |second| (first, second))) {
            let (first, second) = (first.min(second), first.max(second));
            let mut out = String::new();
            let mut sanitizer = Sanitizer::default();
            for piece in [&text[..first], &text[first..second], &text[second..]] {
                sanitizer.push(piece, &mut out);
            }
            sanitizer.finish(&mut out);
            prop_assert_eq!(&out, &whole);
        }
        // Sanitized text has no hidden characters left.
        let again = sanitize(&whole).into_owned();
        prop_assert_eq!(again, whole);
    }
}

/// Generates text of characters that depend on their neighbours.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let char = prop_oneof![
        3 => prop::sample::select(vec![
            '\r', '\n', '\t', 'a', '1', '#', 'é', '☀', '👩', '\u{200c}', '\u{200d}', '\u{fe0e}',
            '\u{fe0f}', '\u{202e}', '\u{3164}', '\u{e0041}', '\u{9b}', '\x1b', '"', '\\',
        ]),
        1 => any::<char>(),
    ];
    prop::collection::vec(char, 0..12).prop_map(String::from_iter)
}
