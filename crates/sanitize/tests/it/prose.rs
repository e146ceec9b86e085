//! Marks of direction, which prose keeps.

use proptest::prelude::*;
use silcrow_sanitize::{
    Sanitizer, is_direction_mark, is_hidden, sanitize, sanitize_line, sanitize_prose,
    sanitize_prose_line,
};

use crate::sanitize::text;

#[test]
fn prose_keeps_only_directional_marks() {
    for char in ('\0'..=char::MAX).filter(|&char| is_hidden(char)) {
        let text = format!("a{char}b");
        if is_direction_mark(char) {
            assert_eq!(sanitize_prose(&text), text);
            assert_ne!(sanitize(&text), text, "{text:?}");
            assert_ne!(sanitize_line(&text), text, "{text:?}");
        } else {
            assert_eq!(sanitize_prose(&text), sanitize(&text));
        }
    }
}

#[test]
fn overrides_embeddings_and_isolates_are_shown() {
    for char in ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}') {
        let text = format!("\u{200f}{char}שלום\u{200f}");
        let number = format!("\\u{{{:x}}}", u32::from(char));
        assert_eq!(sanitize_prose(&text), format!("\u{200f}{number}שלום\u{200f}"));
    }
}

#[test]
fn hebrew_and_arabic_paragraphs_stay_unchanged() {
    for text in [
        "\u{200f}שלום, ‎Rust 1.95\u{200e}! זה עובד (כן).\u{200f}",
        "\u{200f}يستعمل C++\u{200e}، و\u{61c}12% من الملفات.\u{200f}\nمی‌خواهم 👩‍👩‍👧",
    ] {
        assert_eq!(sanitize_prose(text), text);
    }
    assert_eq!(sanitize_prose_line("\u{200f}a\tb\nc"), "\u{200f}a\\x09b\\x0ac");
    // A mark of direction is nothing that an accent is drawn over.
    assert_eq!(sanitize_prose("\u{200f}\u{301}"), "\u{200f}\\u{301}");
}

fn prose() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec!["\u{200e}", "\u{200f}", "\u{61c}", "א", "ع", "\u{202b}"]);
    prop::collection::vec((text(), mark), 0..4)
        .prop_map(|parts| parts.into_iter().map(|(text, mark)| text + mark).collect())
}

proptest! {
    #[test]
    fn the_result_is_the_same_for_every_cut(text in prose()) {
        let whole = sanitize_prose(&text).into_owned();
        for (at, _) in text.char_indices() {
            let (mut sanitizer, mut out) = (Sanitizer::of_prose(), String::new());
            sanitizer.push(&text[..at], &mut out);
            sanitizer.push(&text[at..], &mut out);
            sanitizer.finish(&mut out);
            prop_assert_eq!(&out, &whole);
        }
        let again = sanitize_prose(&whole).into_owned();
        prop_assert_eq!(again, whole);
    }

    /// The two forms differ in the marks alone.
    #[test]
    fn prose_without_marks_equals_plain_sanitizing(text in prose()) {
        let shown = sanitize_prose(&text);
        let escaped = ["\u{200e}", "\u{200f}", "\u{61c}"].into_iter().fold(
            shown.into_owned(),
            |shown, mark| shown.replace(mark, &sanitize(mark)),
        );
        prop_assert_eq!(escaped, sanitize(&text).into_owned());
    }
}
