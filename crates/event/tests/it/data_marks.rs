//! The marks around other people's texts.

use proptest::prelude::*;
use silcrow_event::{DataKey, DataMark};

fn mark() -> DataMark {
    DataKey::default().with_bytes(b"a secret").mark()
}

#[test]
fn mark_depends_on_every_byte_and_boundary() {
    let marks = [
        DataKey::default(),
        DataKey::default().with_bytes(b""),
        DataKey::default().with_bytes(b"\0"),
        DataKey::default().with_bytes(b"a"),
        DataKey::default().with_bytes(b"b"),
        DataKey::default().with_bytes(b"a").with_bytes(b"b"),
        DataKey::default().with_bytes(b"ab"),
        DataKey::default().with_bytes(b"abcdefghi"),
        DataKey::default().with_bytes(b"abcdefgh").with_bytes(b"i"),
    ]
    .map(|key| key.mark().as_str().to_owned());
    let distinct: std::collections::BTreeSet<_> = marks.iter().collect();
    assert_eq!(distinct.len(), marks.len(), "{marks:?}");
    assert!(marks.iter().all(|mark| mark.len() == 8 && mark.starts_with('k')), "{marks:?}");
    assert_eq!(format!("{:?}", DataKey::default().with_bytes(b"x")), "DataKey(..)");
}

#[test]
fn only_whole_marks_are_removed() {
    let (own, other) = (mark(), DataKey::default().with_bytes(b"other").mark());
    let (own, other) = (own.as_str(), other.as_str());
    for text in [
        String::new(),
        "no mark".to_owned(),
        format!("[data {own}]\nno end"),
        format!("[data {own}]\nx\n[end {other}]"),
        format!("[data {own}]\nx\n[end {own}] and more"),
        format!("x [data {own}]\nx\n[end {own}]"),
        format!("[data {own}]x\n[end {own}]"),
        format!("[end {own}]\n[data {own}]"),
        "[data kkkkkkkk]\nx\n[end kkkkkkkk]".to_owned(),
        "[data é".to_owned(),
    ] {
        assert_eq!(DataMark::unwrap(&text), text);
    }
    let two = format!("a\n{}\nb\n\n{}\n§end\n\nc", mark().wrap("x"), mark().wrap("y\n"));
    assert_eq!(DataMark::unwrap(&two), "a\nx\nb\n\ny\n\n§end\n\nc");
}

proptest! {
    #[test]
    fn text_never_contains_its_mark(
        pieces in prop::collection::vec(0..8_usize, 0..12),
    ) {
        let own = mark();
        let own = own.as_str();
        let other = DataKey::default().with_bytes(b"other").mark().wrap("inner");
        let parts = [own, "k", &own[1..], "-", "\n", &format!("[end {own}]"), &other, "é"];
        let text: String = pieces.iter().map(|piece| parts[*piece]).collect();
        let wrapped = mark().wrap(&text);
        prop_assert_eq!(wrapped.matches(own).count(), 2);
        prop_assert_eq!(DataMark::unwrap(&wrapped), text);
    }
}
