//! P-7: the pieces that the decoder emits.

use silcrow_lex::Utf8Decoder;

/// Compares the pieces of each chunk and of the end: text, and the number of invalid bytes.
#[track_caller]
fn check(chunks: &[&[u8]], expected: &[&[(&str, u8)]]) {
    let mut utf8 = Utf8Decoder::new();
    let mut given = Vec::new();
    for chunk in chunks {
        let mut pieces = Vec::new();
        utf8.push(chunk, &mut |piece| pieces.push((piece.text.to_owned(), piece.invalid)));
        given.push(pieces);
    }
    let mut pieces = Vec::new();
    utf8.finish(&mut |piece| pieces.push((piece.text.to_owned(), piece.invalid)));
    given.push(pieces);
    utf8.finish(&mut |piece| panic!("{piece:?} behind the end"));
    let given: Vec<Vec<_>> = given
        .iter()
        .map(|pieces| pieces.iter().map(|(text, invalid)| (&**text, *invalid)).collect())
        .collect();
    assert_eq!(given, expected, "{chunks:?}");
}

#[test]
fn text_is_emitted_immediately() {
    check(&[b"ab", b"", "cé".as_bytes()], &[&[("ab", 0)], &[], &[("cé", 0)], &[]]);
}

#[test]
fn cut_character_is_pending_until_whole() {
    check(&[b"a\xc2", b"\xa7b"], &[&[("a", 0)], &[("§", 0), ("b", 0)], &[]]);
    check(&[b"\xf0", b"\x9f\x98", b"\x80"], &[&[], &[], &[("😀", 0)], &[]]);
    check(&[b"\xe2\x82", b"", b"\xac"], &[&[], &[], &[("€", 0)], &[]]);
}

#[test]
fn invalid_bytes_are_replaced() {
    check(&[b"a\xffb"], &[&[("a", 0), ("\u{fffd}", 1), ("b", 0)], &[]]);
    check(&[b"\xf0\x9f\x98x"], &[&[("\u{fffd}", 3), ("x", 0)], &[]]);
    check(&[b"\xf0\x9f", b"\x98x"], &[&[], &[("\u{fffd}", 3), ("x", 0)], &[]]);
    check(&[b"\xe2", b"\xc2", b"\xa7"], &[&[], &[("\u{fffd}", 1)], &[("§", 0)], &[]]);
    check(&[b"\xf0\x9f\x98"], &[&[], &[("\u{fffd}", 3)]]);
    check(&[b"\xc2", b"\xff"], &[&[], &[("\u{fffd}", 1), ("\u{fffd}", 1)], &[]]);
}
