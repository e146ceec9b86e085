//! Files in encodings from before Unicode: decoded correctly, and changed without touching other
//! bytes.

use std::fs;

use serde_json::json;
use silcrow_tools::{FileEdit, FileRead, FileReplace, FileSearch, FileWrite};

use crate::edit::{args, edit};
use crate::{Place, call, content, why};

/// Texts with an edit of their ASCII, as bytes.
const TEXTS: &[(&str, &str, &str)] = &[
    (
        "windows-1252",
        "/* \u{201c}quoted\u{201d} \u{2013} 5 \u{20ac}, caf\u{e9} */\nint x = 1;\n\u{2026}\n",
        "caf\u{e9}",
    ),
    ("shift_jis", "[設定]\nint x = 1;\n; コメント\n", "コメント"),
    ("windows-1251", "Привет, мир!\nint x = 1;\nЭто обычный текстовый файл.\n", "обычный"),
    ("euc-jp", "設定の説明です。\nint x = 1;\n日本語のコメント\n", "日本語"),
    ("gbk", "这是中文说明文件。\nint x = 1;\n简体中文\n", "简体"),
    ("big5", "這是繁體中文的說明。\nint x = 1;\n中文字\n", "繁體"),
    ("euc-kr", "이것은 한국어 설명입니다.\nint x = 1;\n한국어\n", "설명"),
    ("koi8-r", "# -*- coding: koi8-r -*-\nint x = 1;\nпривет\n", "привет"),
];

fn bytes(label: &str, text: &str) -> Vec<u8> {
    encoding_rs::Encoding::for_label(label.as_bytes()).unwrap().encode(text).0.into_owned()
}

#[tokio::test]
async fn encoding_is_kept_in_all_tools() {
    for (label, text, word) in TEXTS {
        let place = Place::new();
        place.put("a.txt", bytes(label, text));
        let read = place.read("a.txt").await.unwrap();
        assert_eq!(read.content, *text, "{label}");
        assert!(read.notices[0].contains("shown in UTF-8 (`encoding` sets another one)"));
        let query = json!({"query": word}).to_string();
        let found = content(call(&FileSearch::new(&place.root), &query).await);
        assert!(found.starts_with("a.txt:"), "{label}: {found}");

        let output = edit(&place, "a.txt", &[("int x = 1;", "int x = 2;")]).await.unwrap();
        let expected = text.replace("x = 1", "x = 2");
        assert_eq!(fs::read(place.path().join("a.txt")).unwrap(), bytes(label, &expected));
        assert!(output.notices[0].ends_with(", and stays in it"), "{output:?}");
        edit(&place, "a.txt", &[(word, "")]).await.unwrap();
        let expected = expected.replace(word, "");
        assert_eq!(fs::read(place.path().join("a.txt")).unwrap(), bytes(label, &expected));
    }
}

#[tokio::test]
async fn invalid_bytes_survive_other_edits() {
    for (before, after) in [
        (&b"one \xff \xe2\x82\xac \x80\n\xc3"[..], &b"two \xff \xe2\x82\xac \x80\n\xc3"[..]),
        (b"one \xff\xe2\x82\xac\xe2\x82", b"two \xff\xe2\x82\xac\xe2\x82"),
        // As good as no encoding.
        (b"one \x83R\x83\x81 \xa0\xff\n", b"two \x83R\x83\x81 \xa0\xff\n"),
    ] {
        let place = Place::new();
        place.put("a.txt", before);
        let output = edit(&place, "a.txt", &[("one", "two")]).await.unwrap();
        assert_eq!(fs::read(place.path().join("a.txt")).unwrap(), after);
        let is_shown = output.content.text().contains('\u{fffd}');
        assert_eq!(is_shown, before.contains(&0xe2), "{output:?}");
        let args = json!({"find": "two", "replace": "one", "files": ["*"]}).to_string();
        call(&FileReplace::new(&place.root), &args).await.unwrap();
        assert_eq!(fs::read(place.path().join("a.txt")).unwrap(), before);
    }
}

#[tokio::test]
async fn unencodable_text_is_refused_by_character() {
    let place = Place::new();
    place.put("a.txt", bytes("shift_jis", "[設定]\nname=value\n"));
    let why = why(edit(&place, "a.txt", &[("value", "caf\u{e9}")]).await);
    assert!(why.contains("Shift_JIS, which does not have `\u{e9}`"), "{why}");
    assert_eq!(
        fs::read(place.path().join("a.txt")).unwrap(),
        bytes("shift_jis", "[設定]\nname=value\n")
    );
}

#[tokio::test]
async fn named_encoding_wins() {
    let place = Place::new();
    place.put("a.txt", b"\xb1=1\n");
    let named = json!({"file": "a.txt", "encoding": "iso-8859-2"}).to_string();
    let read = call(&FileRead::new(&place.root), &named).await.unwrap();
    assert_eq!(read.content, "ą=1\n");
    assert_eq!(read.notices, ["the file is text in ISO-8859-2, shown in UTF-8"]);
    let mut change: serde_json::Value =
        serde_json::from_str(&args("a.txt", &[("1", "ę")])).unwrap();
    change["encoding"] = json!("latin2");
    call(&FileEdit::new(&place.root), &change.to_string()).await.unwrap();
    assert_eq!(fs::read(place.path().join("a.txt")).unwrap(), b"\xb1=\xea\n");

    let write = FileWrite::new(&place.root);
    let named =
        |encoding| json!({"file": "b.txt", "content": "дом\n", "encoding": encoding}).to_string();
    let lost = why(call(&write, &named("windows-1252")).await);
    assert!(lost.starts_with("windows-1252 does not have `д`"), "{lost}");
    let unknown = why(call(&write, &named("klingon")).await);
    assert!(unknown.contains("is \"klingon\", which is not a known encoding"), "{unknown}");
    call(&write, &named("koi8-r")).await.unwrap();
    assert_eq!(fs::read(place.path().join("b.txt")).unwrap(), b"\xc4\xcf\xcd\n");
    call(&write, &named("utf-16le")).await.unwrap();
    assert_eq!(fs::read(place.path().join("b.txt")).unwrap(), b"4\x04>\x04<\x04\n\0");
    let new = json!({"file": "c.txt", "content": "a", "encoding": "utf-16le"}).to_string();
    call(&write, &new).await.unwrap();
    assert_eq!(fs::read(place.path().join("c.txt")).unwrap(), b"\xff\xfea\0");
}

#[tokio::test]
async fn long_legacy_file_is_read_in_parts() {
    let place = Place::new();
    // Mostly ASCII, which is decoded quickly also without optimization.
    let line = format!("café{}", "x".repeat(95));
    place.put("long.txt", bytes("windows-1252", &format!("{line}\n").repeat(90_000)));
    let args = json!({"file": "long.txt", "offset": 80_000, "limit": 2}).to_string();
    let shown = content(call(&FileRead::new(&place.root), &args).await);
    assert_eq!(shown, format!("80000\t{line}\n80001\t{line}"));
}
