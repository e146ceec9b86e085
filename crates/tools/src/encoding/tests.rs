use super::*;

#[test]
fn encodings_are_recognized_and_written_back() {
    for (bytes, name, text) in [
        (&b"plain"[..], None, "plain"),
        ("gr\u{fc}n".as_bytes(), None, "gr\u{fc}n"),
        (b"\xef\xbb\xbfmarked", Some("UTF-8 with a byte order mark"), "marked"),
        (b"\xff\xfea\0\n\0", Some("UTF-16 (little endian)"), "a\n"),
        (b"\xfe\xff\0a\0\n", Some("UTF-16 (big endian)"), "a\n"),
        (b"a\0b\0c\0d\0", Some("UTF-16 (little endian)"), "abcd"),
        (b"\0a\0b\0c\0d", Some("UTF-16 (big endian)"), "abcd"),
        (b"caf\xe9 au lait", Some("windows-1252"), "caf\u{e9} au lait"),
        (b"\xdcbergr\xf6\xdfe", Some("windows-1252"), "\u{dc}bergr\u{f6}\u{df}e"),
        (b"\x93quoted\x94 \x96 5 \x80", Some("windows-1252"), "\u{201c}quoted\u{201d} – 5 €"),
        (b"\x83R\x83\x81\x83\x93\x83g\n", Some("Shift_JIS"), "コメント\n"),
        (b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0!\n", Some("windows-1251"), "Привет, мир!\n"),
        (
            b"# -*- coding: koi8-r -*-\n\xf0\xd2\xc9",
            Some("KOI8-R"),
            "# -*- coding: koi8-r -*-\nПри",
        ),
        (
            b"<?xml version='1.0' encoding='iso-8859-2'?>\xb1",
            Some("ISO-8859-2"),
            "<?xml version='1.0' encoding='iso-8859-2'?>ą",
        ),
        (
            b"<meta charset=\"windows-1253\">\xe1",
            Some("windows-1253"),
            "<meta charset=\"windows-1253\">α",
        ),
        (b"", None, ""),
    ] {
        let encoding = TextEncoding::detect(bytes, false).unwrap();
        assert_eq!(encoding.name(), name, "{text:?}");
        assert_eq!(encoding.decode(bytes), (text.to_owned(), 0));
        assert_eq!(encoding.encode(text).unwrap(), bytes);
    }
    assert_eq!(Legacy(encoding_rs::WINDOWS_1252).encode("a\u{2192}"), Err('\u{2192}'));
}

#[test]
fn non_text_files_are_described() {
    for (bytes, kind) in [
        (&b"a\0b"[..], "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
        (b"%PDF-1.7\n\xe2\xe3\xcf\xd3\n", "a PDF document"),
        (b"\xff\xfe\0\0a\0\0\0", "text in UTF-32"),
        (b"\x01\x02\xf0\xd2\xc9\xd7\xc5\xd4\x03", "binary"),
        (&[0; 64], "binary"),
    ] {
        assert_eq!(TextEncoding::detect(bytes, false), Err(kind));
    }
}

#[test]
fn truncated_character_is_not_invalid() {
    let bytes = "x\u{20ac}".as_bytes();
    assert_eq!(TextEncoding::detect(&bytes[..3], true), Ok(Utf8 { mark: false }));
    assert_eq!(Utf8 { mark: false }.decode(b"caf\xc3"), ("caf\u{fffd}".to_owned(), 1));
}

#[test]
fn encodings_have_the_names_of_the_web() {
    for (label, name) in
        [("UTF-8", None), ("cp1252", Some("windows-1252")), ("latin1", Some("windows-1252"))]
    {
        assert_eq!(TextEncoding::named(label).unwrap().name(), name);
    }
    assert!(TextEncoding::named("utf-7").unwrap_err().contains("not a known encoding"));
    let wide = TextEncoding::named("utf-16le").unwrap();
    assert_eq!(wide.with_mark_of(b"a\0").encode("a").unwrap(), b"a\0");
    assert_eq!(wide.encode("a").unwrap(), b"\xff\xfea\0");
}
