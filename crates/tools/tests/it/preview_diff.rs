//! A person's view of a change before it happens: the lines that differ, and their number.

use serde_json::json;
use silcrow_tool::{Preview, Tool};
use silcrow_tools::{FileEdit, FileReplace};

use crate::{Place, call_approved, preview_of, writer_that_read};

/// Returns the preview of writing a text over a file with these bytes.
async fn written(old: impl AsRef<[u8]>, new: &str) -> Preview {
    let place = Place::new();
    place.put("a.txt", old);
    let tool = writer_that_read(&place.root, "a.txt").await;
    let args = json!({"file": "a.txt", "content": new}).to_string();
    preview_of(&tool, &args).await.unwrap()
}

fn hunks(preview: &Preview) -> &str {
    let diff = preview.diff.as_ref().expect("there is a difference");
    assert_eq!((diff.files.len(), &*diff.files[0].path), (1, "a.txt"));
    &diff.files[0].hunks
}

fn effect(preview: &Preview) -> &str {
    preview.effect.as_deref().unwrap()
}

fn numbers(count: u32) -> String {
    (1..=count).map(|number| format!("{number}\n")).collect()
}

#[tokio::test]
async fn overwriting_shows_differing_lines() {
    let old = numbers(40);
    let new = old.replace("20\n21\n", "twenty\n").replace("40\n", "");
    let preview = written(&old, &new).await;
    assert_eq!(effect(&preview), "replaces 3 of 40 lines with 1 line");
    assert_eq!(preview.diff.as_ref().unwrap().args, ["content"]);
    assert_eq!(
        hunks(&preview),
        "@@ -17,8 +17,7 @@\n 17\n 18\n 19\n-20\n-21\n+twenty\n 22\n 23\n 24\n@@ -37,4 +36,3 @@\n 37\n 38\n \
         39\n-40\n"
    );
}

#[tokio::test]
async fn the_effect_counts_lines() {
    for (old, new, expected) in [
        ("a\nb\n", "a\nb\nc\n", "adds 1 line to 2 lines"),
        ("a\nb\n", "b\n", "removes 1 of 2 lines"),
        ("a\nb\n", "", "empties the file of 2 lines"),
        ("", "a\nb", "adds 2 lines to an empty file"),
        ("a\n", "b\nc\n", "replaces 1 of 1 line with 2 lines"),
        ("a\n", "a\n", "changes nothing, because the file has this text already"),
    ] {
        let preview = written(old, new).await;
        assert_eq!(effect(&preview), expected);
        let diff = preview.diff.unwrap();
        assert_eq!(diff.files.is_empty(), old == new, "{old:?} {new:?}");
        assert_eq!(diff.args.is_empty(), old == new, "the text is shown in one way or the other");
    }
}

#[tokio::test]
async fn missing_final_newline_is_shown() {
    let preview = written("a\nb", "a\nb\n").await;
    assert_eq!(hunks(&preview), "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
}

#[tokio::test]
async fn differing_line_ends_are_shown() {
    // The tool keeps the line ends of the file.
    let preview = written("a\r\nb\r\n", "a\nc\n").await;
    assert_eq!(hunks(&preview), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    let preview = written("a\nb\n", "a\r\nb\r\n").await;
    assert_eq!(hunks(&preview), "@@ -1,2 +1,2 @@\n-a\n-b\n+a\r\n+b\r\n");
    assert_eq!(effect(&preview), "replaces 2 of 2 lines with 2 lines");
}

#[tokio::test]
async fn other_encodings_are_compared_as_text() {
    let wide = |text: &str| [&[0xff, 0xfe][..], &utf16(text)].concat();
    let preview = written(wide("a\nb\n"), "a\nc\n").await;
    assert_eq!(hunks(&preview), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    // The encoding does not have the arrow.
    let preview = written(b"caf\xe9 au lait\n", "café → lait\n").await;
    assert_eq!(effect(&preview), "replaces 1 of 1 line with 1 line, and makes windows-1252 UTF-8");
    assert_eq!(hunks(&preview), "@@ -1 +1 @@\n-café au lait\n+café → lait\n");
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[tokio::test]
async fn incomparable_files_are_named() {
    let preview = written(b"\xff\xfea\0\n\0b", "a\n").await;
    assert!(preview.diff.is_none());
    let expected = "replaces 7 bytes with 2 bytes, 1 line; what is there is not all text";
    assert_eq!(effect(&preview), expected);

    let preview = written(numbers(2_000_000), "a\n").await;
    assert!(preview.diff.is_none());
    assert!(effect(&preview).ends_with("; what is there is too long to compare"));

    let preview = written(numbers(60_000), "a\n").await;
    assert!(preview.diff.is_none(), "nobody reads that");
    let expected = "replaces 60000 of 60000 lines with 1 line; the difference is too long to show";
    assert_eq!(effect(&preview), expected);
}

#[tokio::test]
async fn all_lines_of_a_new_file_are_added() {
    let place = Place::new();
    let tool = writer_that_read(&place.root, "a.txt").await;
    let args = json!({"file": "a.txt", "content": "one\ntwo\n"}).to_string();
    let preview = preview_of(&tool, &args).await.unwrap();
    assert_eq!(effect(&preview), "creates a file of 8 bytes, 2 lines");
    let diff = preview.diff.unwrap();
    assert_eq!(diff.files[0].hunks, "@@ -0,0 +1,2 @@\n+one\n+two\n");
    assert_eq!(diff.args, ["content"]);
}

#[tokio::test]
async fn lines_around_secrets_are_not_shown() {
    let place = Place::new();
    place.put(".env", "A=1\nB=2\n");
    let args = json!({"file": ".env", "edits": [{"old": "A=1", "new": "A=3"}]}).to_string();
    let preview = preview_of(&FileEdit::new(&place.root), &args).await.unwrap();
    assert!(preview.diff.is_none());
    assert!(effect(&preview).ends_with("because the file may hold secrets"), "{preview:?}");
}

/// The difference of a preview is the same as the output's, and the same as the file's.
#[tokio::test]
async fn edits_and_replacements_match_their_preview() {
    let place = Place::new();
    place.put("a.txt", "one\r\ntwo\r\nthree\r\n").put("b.txt", "one\n");
    let edit = FileEdit::new(&place.root);
    let args = json!({"file": "a.txt", "edits": [{"old": "two\nthree", "new": "2"}]}).to_string();
    let preview = preview_of(&edit, &args).await.unwrap();
    assert_eq!(hunks(&preview), "@@ -1,3 +1,2 @@\n one\n-two\n-three\n+2\n");
    assert_eq!(effect(&preview), "changes 1 place: replaces 2 of 3 lines with 1 line");
    assert_eq!(preview.diff.as_ref().unwrap().args, ["edits"]);
    let done = call_approved(&edit, &args).await.unwrap().content.into_text();
    assert!(done.ends_with(hunks(&preview)), "{done}");
    assert_eq!(place.get("a.txt"), "one\r\n2\r\n");

    let replace = FileReplace::new(&place.root);
    let args = json!({"find": "one", "replace": "1", "files": ["*.txt"]});
    let preview = preview_of(&replace, &args.to_string()).await.unwrap();
    let diff = preview.diff.as_ref().unwrap();
    let files: Vec<_> = diff.files.iter().map(|file| (&*file.path, &*file.hunks)).collect();
    let expected =
        [("a.txt", "@@ -1,2 +1,2 @@\n-one\n+1\n 2\n"), ("b.txt", "@@ -1 +1 @@\n-one\n+1\n")];
    assert_eq!(files, expected);
    assert!(diff.args.is_empty(), "the arguments say which files are looked through");
    let mut dry = args.clone();
    dry["dry_run"] = true.into();
    let preview = preview_of(&replace, &dry.to_string()).await.unwrap();
    assert!(preview.diff.is_none(), "nothing changes");
}

#[tokio::test]
async fn a_preview_changes_nothing() {
    let place = Place::new();
    place.put("a.txt", "one\n");
    let tools: [(&dyn Tool, _); 2] = [
        (&writer_that_read(&place.root, "a.txt").await, json!({"file": "a.txt", "content": "2\n"})),
        (
            &FileEdit::new(&place.root),
            json!({"file": "a.txt", "edits": [{"old": "one", "new": "2"}]}),
        ),
    ];
    for (tool, args) in tools {
        let preview = preview_of(tool, &args.to_string()).await.unwrap();
        assert_eq!(hunks(&preview), "@@ -1 +1 @@\n-one\n+2\n");
    }
    assert_eq!(place.get("a.txt"), "one\n");
}
