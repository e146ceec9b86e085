//! The list of hidden characters beside Unicode's own data.

use icu_properties::props::{
    BidiControl, DefaultIgnorableCodePoint, GeneralCategory, PrependedConcatenationMark,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use silcrow_sanitize::{is_hidden, is_other_blank, sanitize, sanitize_exact};

#[test]
fn hidden_list_matches_unicode_except_three_blanks() {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let bidi = CodePointSetData::new::<BidiControl>();
    // Format characters with a glyph, such as the Arabic end of a verse.
    let shown = CodePointSetData::new::<PrependedConcatenationMark>();
    let categories = CodePointMapData::<GeneralCategory>::new();
    for char in '\0'..=char::MAX {
        let by_category = match categories.get(char) {
            GeneralCategory::Control
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator => true,
            GeneralCategory::Format => !shown.contains(char),
            _ => false,
        };
        let hidden = by_category
            || ignorable.contains(char)
            || bidi.contains(char)
            || matches!(char, '\u{2800}' | '\u{16fe4}' | '\u{1d159}');
        assert_eq!(is_hidden(char), hidden, "U+{:04X}", u32::from(char));
    }
}

#[test]
fn the_list_of_marks_agrees_with_unicode() {
    let categories = CodePointMapData::<GeneralCategory>::new();
    for char in ('\0'..=char::MAX).filter(|&char| !is_hidden(char)) {
        let category = categories.get(char);
        let is_mark =
            matches!(category, GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark);
        let text = String::from(char);
        // No mark stays at the start of a text, and up to 8 stay after a letter.
        assert_eq!(sanitize(&text) != text, is_mark, "U+{:04X}", u32::from(char));
        if !is_mark {
            continue;
        }
        let text = format!("a{}", text.repeat(9));
        let shown = sanitize(&text);
        assert_ne!(shown, text, "U+{:04X}", u32::from(char));
        assert!(shown.starts_with(&text[..1 + 8 * char.len_utf8()]), "U+{:04X}", u32::from(char));
    }
}

#[test]
fn other_blanks_match_unicode() {
    for char in '\0'..=char::MAX {
        let expected = char.is_whitespace() && char != ' ' && !is_hidden(char);
        assert_eq!(is_other_blank(char), expected, "U+{:04X}", u32::from(char));
        if expected {
            let exact = format!("a\\u{{{:x}}}b", u32::from(char));
            assert_eq!(sanitize_exact(&format!("a{char}b")), exact);
        }
    }
    assert_eq!(sanitize_exact("a b\tc\n\x1b"), "a b\tc\n\\x1b");
}
