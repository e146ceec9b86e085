//! Edits of files that apply.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;
use silcrow_tool::{
    CallContext, CancellationToken, Scope, Tool as _, ToolArgs, ToolError, ToolOutput,
};
use silcrow_tools::{ChangeJournal, FileEdit, UndoRequest};

use crate::described::examples;
use crate::{Place, call, call_approved, call_with, content, preview_of, why};

pub(crate) fn args(file: &str, edits: &[(&str, &str)]) -> String {
    let edits: Vec<_> = edits.iter().map(|(old, new)| json!({"old": old, "new": new})).collect();
    json!({"file": file, "edits": edits}).to_string()
}

pub(crate) async fn edit(
    place: &Place,
    file: &str,
    edits: &[(&str, &str)],
) -> Result<ToolOutput, ToolError> {
    call(&FileEdit::new(&place.root), &args(file, edits)).await
}

#[tokio::test]
async fn edit_replaces_text_and_returns_diff() {
    let place = Place::new();
    place.put("src/a.rs", "one\ntwo\nthree\nfour\nfive\nsix\n");
    let output = edit(&place, "./src/a.rs", &[("three\n", "3\nand more\n")]).await.unwrap();
    assert_eq!(place.get("src/a.rs"), "one\ntwo\n3\nand more\nfour\nfive\nsix\n");
    assert_eq!(output.summary, "1 place changed, +2 -1 lines");
    let expected = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,6 +1,7 @@\n one\n two\n-three\n+3\n\
                    +and more\n four\n five\n six\n";
    assert_eq!(output.content, expected);
}

#[tokio::test]
async fn several_edits_apply_one_after_the_other() {
    let place = Place::new();
    place.put("a.txt", "a b c");
    edit(&place, "a.txt", &[("a", "x y"), ("y b", "z"), ("c", "")]).await.unwrap();
    assert_eq!(place.get("a.txt"), "x z ");
}

#[tokio::test]
async fn one_failing_edit_applies_none() {
    let place = Place::new();
    place.put("a.txt", "a b c");
    let why = why(edit(&place, "a.txt", &[("a", "x"), ("b", "y"), ("nowhere", "z")]).await);
    let expected = "`a.txt`: edit 3 of 3: nothing was changed, because `old` is not in the file";
    assert!(why.starts_with(expected), "{why}");
    assert_eq!(place.get("a.txt"), "a b c");
}

#[tokio::test]
async fn edit_replaces_all_occurrences_on_request() {
    let place = Place::new();
    place.put("a.txt", "let n = n + n;\n");
    let args = json!({"file": "a.txt", "edits": [{"old": "n", "new": "number", "all": true}]});
    let output = call(&FileEdit::new(&place.root), &args.to_string()).await.unwrap();
    assert_eq!(place.get("a.txt"), "let number = number + number;\n");
    assert_eq!(output.summary, "3 places changed, +1 -1 lines");
}

#[tokio::test]
async fn line_ends_of_windows_are_kept() {
    let place = Place::new();
    for (before, old, new, after) in [
        // The model sees no `\r`.
        ("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n", "a\r\nx\r\ny\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"),
        ("a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n"),
        // Nor does a file without them get any.
        ("a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"),
        // Of both kinds, each line keeps its own.
        ("a\r\nb\nc\r\n", "b\n", "x\ny\n", "a\r\nx\ny\nc\r\n"),
        ("a\r\nb\r\nc\n", "a\nb\n", "x\n", "x\r\nc\n"),
    ] {
        place.put("a.txt", before);
        edit(&place, "a.txt", &[(old, new)]).await.unwrap();
        assert_eq!(place.get("a.txt"), after, "{before:?} {old:?}");
    }
}

#[tokio::test]
async fn encodings_and_byte_order_marks_are_kept() {
    let place = Place::new();
    let wide = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect()
    };
    for (before, after) in [
        (b"\xef\xbb\xbfcaf\xc3\xa9 one".to_vec(), b"\xef\xbb\xbfcaf\xc3\xa9 tw\xc3\xb6".to_vec()),
        (b"caf\xe9 one".to_vec(), b"caf\xe9 tw\xf6".to_vec()),
        (wide("café one"), wide("café twö")),
    ] {
        place.put("a.txt", before);
        edit(&place, "a.txt", &[("café one", "café twö")]).await.unwrap();
        assert_eq!(fs::read(place.path().join("a.txt")).unwrap(), after);
    }
    place.put("a.txt", b"caf\xe9");
    assert_eq!(
        why(edit(&place, "a.txt", &[("café", "5 →")]).await),
        "`a.txt` is in windows-1252, which does not have `→`; nothing was changed: write it without \
         this character"
    );
}

#[tokio::test]
async fn permissions_are_kept() {
    let place = Place::new();
    place.put("run.sh", "#!/bin/sh\necho one\n");
    let path = place.path().join("run.sh");
    fs::set_permissions(&path, Permissions::from_mode(0o750)).unwrap();
    edit(&place, "run.sh", &[("one", "two")]).await.unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
}

#[tokio::test]
async fn missing_last_line_end_stays_missing() {
    let place = Place::new();
    place.put("a.txt", "one\ntwo");
    let output = edit(&place, "a.txt", &[("two", "three")]).await;
    assert!(
        content(output).ends_with(
            "-two\n\\ No newline at end of file\n+three\n\\ No newline at end of file\n"
        )
    );
    assert_eq!(place.get("a.txt"), "one\nthree");
}

#[tokio::test]
async fn preview_states_changes_and_covers_file() {
    let place = Place::new();
    place.put("docs/a.md", "one\ntwo\n").link("docs", "link");
    let tool = FileEdit::new(&place.root);
    let args = args("link/a.md", &[("one\n", ""), ("two", "2\n3")]);
    let preview = preview_of(&tool, &args).await.unwrap();
    assert_eq!(preview.target.as_deref(), Some("docs/a.md"));
    assert_eq!(
        preview.effect.as_deref(),
        Some("changes 2 places: replaces 2 of 2 lines with 2 lines")
    );
    assert_eq!((&*preview.scope, preview.risk), ("file docs/a.md", None));
    assert_eq!(place.get("docs/a.md"), "one\ntwo\n", "looking changes nothing");
    call_approved(&tool, &args).await.unwrap();
    assert_eq!(place.get("docs/a.md"), "2\n3\n");
}

#[tokio::test]
async fn edited_file_may_be_written_again() {
    let place = Place::new();
    place.put("a.txt", "one");
    edit(&place, "a.txt", &[("one", "two")]).await.unwrap();
    place.write_unread("a.txt", "three").await.unwrap();
    edit(&place, "a.txt", &[("three", "four")]).await.unwrap();
    assert_eq!(place.get("a.txt"), "four");
}

#[tokio::test]
async fn concurrent_edits_all_apply() {
    let place = Place::new();
    let words: Vec<_> = (0..16).map(|n| format!("word{n:02}")).collect();
    place.put("a.txt", words.join("\n"));
    let tool = FileEdit::new(&place.root);
    let args: Vec<_> =
        words.iter().map(|word| args("a.txt", &[(word, &word.to_uppercase())])).collect();
    for done in futures_util::future::join_all(args.iter().map(|args| call(&tool, args))).await {
        done.unwrap();
    }
    assert_eq!(place.get("a.txt"), words.join("\n").to_uppercase(), "no edit is lost");
}

#[tokio::test]
async fn edit_is_undone() {
    let place = Place::new();
    place.put("a.txt", "one\r\ntwo\r\n");
    let journal = ChangeJournal::new(place.outer.path().join("changes"));
    let tool = FileEdit::new(&place.root).with_journal(&journal);
    let context = CallContext::new(Scope::new("c").with_turn(3), "a1");
    let args = args("a.txt", &[("one\ntwo", "three")]);
    tool.call(ToolArgs::new(&args), &context).await.unwrap();
    assert_eq!(place.get("a.txt"), "three\r\n");
    let report = journal.undo(&place.root, &UndoRequest::new("c").with_turns(3..=3)).unwrap();
    assert_eq!((report.files.len(), report.refusals.len()), (1, 0));
    assert_eq!(place.get("a.txt"), "one\r\ntwo\r\n");
    journal.undo(&place.root, &UndoRequest::redo("c")).unwrap();
    assert_eq!(place.get("a.txt"), "three\r\n");
}

#[tokio::test]
async fn a_cancelled_edit_changes_nothing() {
    let place = Place::new();
    place.put("a.txt", "old");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let (tool, args) = (FileEdit::new(&place.root), args("a.txt", &[("old", "new")]));
    assert_eq!(why(call_with(&tool, &args, cancel).await), "cancelled: `a.txt` is as it was");
    assert_eq!(place.get("a.txt"), "old");
}

#[tokio::test]
async fn the_example_of_the_description_applies() {
    let place = Place::new();
    place.put("src/main.rs", "let n = 1;\n");
    let tool = FileEdit::new(&place.root);
    call(&tool, &examples(&tool)[0]).await.unwrap();
    assert_eq!(place.get("src/main.rs"), "let n = 2;\n");
}
