use proptest::prelude::*;

use super::{JsonText, SurrogateJoiner};

/// Joins pieces, each the inside of a JSON string, and returns the text after each and at the end.
fn join(pieces: &[&str]) -> Vec<String> {
    let mut joiner = SurrogateJoiner::default();
    let mut out: Vec<_> = pieces
        .iter()
        .map(|piece| {
            let piece: JsonText = serde_json::from_str(&format!("\"{piece}\"")).unwrap();
            joiner.push(&piece)
        })
        .collect();
    out.push(joiner.finish().to_owned());
    out
}

#[test]
fn halves_find_each_other_over_pieces() {
    assert_eq!(join(&[r"a\ud83d", r"\uddfcb"]), ["a", "🗼b", ""]);
    assert_eq!(join(&[r"\ud83d", "", r"\uddfc"]), ["", "", "🗼", ""]);
    assert_eq!(join(&[r"\ud83d\uddfc§"]), ["🗼§", ""]);
}

#[test]
fn lone_surrogate_is_replaced() {
    assert_eq!(join(&[r"\ud83d", "a"]), ["", "\u{FFFD}a", ""]);
    assert_eq!(join(&[r"\uddfca"]), ["\u{FFFD}a", ""]);
    assert_eq!(join(&[r"\ud83d", r"\ud83d", r"\uddfc"]), ["", "\u{FFFD}", "🗼", ""]);
    assert_eq!(join(&[r"a\ud83d"]), ["a", "\u{FFFD}"]);
    // U+D7FF begins with the same byte as a half but is a character.
    assert_eq!(join(&["\u{D7FF}한"]), ["\u{D7FF}한", ""]);
}

proptest! {
    #[test]
    fn any_cut_of_any_utf16_gives_its_text(
        units in prop::collection::vec(
            prop_oneof![0xD7FEu16..0xE002, 0xD83D..=0xD83Du16, 0xDDFC..=0xDDFCu16, 0x61..0x63u16],
            0..12,
        ),
        length in 1usize..4,
    ) {
        let escape = |units: &[u16]| units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let pieces: Vec<String> = units.chunks(length).map(escape).collect();
        let pieces: Vec<_> = pieces.iter().map(String::as_str).collect();
        prop_assert_eq!(join(&pieces).concat(), String::from_utf16_lossy(&units));
    }
}
