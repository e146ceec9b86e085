//! Edits that do not apply, and the model's error messages about them.

use std::fs;

use serde_json::json;
use silcrow_tools::FileEdit;

use crate::edit::{args, edit};
use crate::{Place, call, call_approved, preview_of, why};

/// A place with a file of several lines.
fn place() -> Place {
    let place = Place::new();
    let text = "fn main() {\n    let total = 0;\n    for number in numbers {\n        total += \
                number;\n    }\n    println!(\"{total}\");\n}\n\nfn other() {\n    let total = 1;\n}\n";
    place.put("a.rs", text);
    place
}

async fn refused(place: &Place, old: &str, new: &str) -> String {
    let before = place.get("a.rs");
    let why = why(edit(place, "a.rs", &[(old, new)]).await);
    assert_eq!(place.get("a.rs"), before);
    let why = why.strip_prefix("`a.rs`: nothing was changed, because ").unwrap_or(&why);
    why.to_owned()
}

#[tokio::test]
async fn ambiguous_text_is_refused_with_its_lines() {
    let place = place();
    assert_eq!(
        refused(&place, "let total = ", "let sum = ").await,
        "`old` is in the file 2 times, in lines 2, 10; add lines around it until it is there once, \
         or set `all`"
    );
    place.put("a.rs", "aaa");
    let why = refused(&place, "aa", "b").await;
    assert!(why.starts_with("`old` is in the file 2 times, in line 1;"), "{why}");
    place.put("a.rs", "x\n".repeat(50));
    let why = refused(&place, "x", "y").await;
    assert!(why.contains("50 times, in lines 1, 2, 3,") && why.contains("and 38 others"), "{why}");
}

#[tokio::test]
async fn missing_text_is_refused_with_the_nearest() {
    let place = place();
    let why = refused(&place, "    for number in items {\n        total += item;\n", "").await;
    let expected = "`old` is not in the file; the nearest text is:\nlines 3-4 (";
    assert!(why.starts_with(expected), "{why}");
    assert!(why.contains("% alike):\n3\t    for number in numbers {\n4\t        total"), "{why}");
}

#[tokio::test]
async fn invisible_differences_are_explained() {
    let place = place();
    for (old, only, first) in [
        ("fn main() {\nlet total = 0;", "indentation", "lines 1-2"),
        ("fn main() {\n\tlet total = 0;", "indentation", "lines 1-2"),
        (
            "    let total = 0;  \n    for number in numbers {",
            "white space at the ends of lines",
            "lines 2-3",
        ),
        ("    let  total =  0;", "white space", "line 2"),
        ("Fn Main() {", "upper and lower case", "line 1"),
        (
            "    println!(“{total}”);",
            "quotation marks, dashes or other signs that look alike",
            "line 6",
        ),
        (
            "    println!(\u{200b}\"{total}\");",
            "quotation marks, dashes or other signs that look alike",
            "line 6",
        ),
    ] {
        let why = refused(&place, old, "x").await;
        let expected = format!("{first} (differs only in {only}):");
        assert!(why.contains(&expected), "{old:?}: {why}");
    }
}

#[tokio::test]
async fn line_numbers_of_file_read_are_recognized() {
    let place = place();
    let why = refused(&place, "1\tfn main() {\n2\t    let total = 0;", "x").await;
    let expected = "`old` is not in the file; it begins its lines with the numbers that file_read \
                    adds: leave them out";
    assert_eq!(why, expected);
}

#[tokio::test]
async fn applied_edit_is_recognized() {
    let place = place();
    let why = refused(&place, "let sum = 1;", "let total = 1;").await;
    let expected = "`old` is not in the file; but `new` is, in line 10, so the edit may be done \
                    already";
    assert!(why.starts_with(expected), "{why}");
}

#[tokio::test]
async fn text_unlike_the_file_is_reported() {
    let place = place();
    let why = refused(&place, "§§§§ zzzz qqqq", "x").await;
    let expected = "`old` is not in the file, nor anything like it; read the file and copy the text \
                    from it";
    assert_eq!(why, expected);
}

#[tokio::test]
async fn three_places_at_most_are_shown() {
    let place = place();
    let line = format!("let value = {};\n", "1 + ".repeat(200));
    place.put("a.rs", line.repeat(20));
    let why = refused(&place, &format!("let valve = {};", "1 + ".repeat(200)), "x").await;
    assert_eq!(why.matches("differs only").count() + why.matches("% alike").count(), 3, "{why}");
    assert!(why.len() < 1500 && why.contains('…'), "{why}");
    let long: String = (0..40).map(|n| format!("line number {n}\n")).collect();
    place.put("a.rs", &long);
    let why = refused(&place, &long.replace("line number 39", "line number x"), "").await;
    assert!(why.contains("12\tline number 11\n…") && !why.contains("13\t"), "{why}");
}

#[tokio::test]
async fn meaningless_edits_are_refused() {
    let place = place();
    let empty = "`old` is empty; write the text before or after the place to add to";
    assert_eq!(refused(&place, "", "x").await, empty);
    assert_eq!(refused(&place, "fn", "fn").await, "`old` and `new` are the same");
    let tool = FileEdit::new(&place.root);
    let none = call(&tool, &args("a.rs", &[])).await;
    assert_eq!(why(none), "`a.rs`: `edits` is empty; write at least one edit");
    let back = edit(&place, "a.rs", &[("fn main", "fn x"), ("fn x", "fn main")]).await;
    let expected = "`a.rs`: nothing was changed, because the edits undo each other";
    assert_eq!(why(back), expected);
}

#[tokio::test]
async fn missing_and_binary_files_are_refused() {
    let place = place();
    place.put("logo.png", b"\x89PNG\r\n\x1a\n\0").put("half.txt", b"\xff\xfea\0b");
    let missing = why(edit(&place, "b.rs", &[("a", "b")]).await);
    assert_eq!(missing, "`b.rs` does not exist; did you mean `a.rs`?");
    let binary = why(edit(&place, "logo.png", &[("a", "b")]).await);
    assert_eq!(binary, "`logo.png` is a PNG image, not text to edit");
    let half = why(edit(&place, "half.txt", &[("a", "b")]).await);
    assert!(half.starts_with("`half.txt` is not clean text: 1 byte is not text"), "{half}");
    place.put("long.txt", "x".repeat(9 << 20));
    let long = why(edit(&place, "long.txt", &[("x", "b")]).await);
    assert_eq!(long, "`long.txt` is too long to be edited: it has more than 8 MiB");
    fs::create_dir(place.path().join("folder")).unwrap();
    let folder = why(edit(&place, "folder", &[("x", "b")]).await);
    assert!(folder.starts_with("`folder` is a folder, not a regular file"), "{folder}");
}

#[tokio::test]
async fn escaping_and_final_symlinks_are_refused() {
    let place = place();
    place.link("../secret.txt", "out").link("a.rs", "link").link("..", "up");
    for file in ["out", "../secret.txt", "up/secret.txt"] {
        let why = why(edit(&place, file, &[("SECRET", "x")]).await);
        assert!(why.contains("leads out of the folder"), "{why}");
    }
    let link = why(edit(&place, "link", &[("main", "x")]).await);
    assert!(link.starts_with("`link` is a link to `a.rs`"), "{link}");
    assert_eq!(fs::read_to_string(place.outer.path().join("secret.txt")).unwrap(), "SECRET");
}

#[tokio::test]
async fn risk_needs_approval_before_access() {
    let place = Place::new();
    let tool = FileEdit::new(&place.root);
    for (file, risk) in [
        (".env", "it usually holds secrets"),
        (
            ".envrc",
            "shells, editors or tools run what it says by themselves, or agents obey it; it usually \
                    holds secrets",
        ),
        (".git/config", "it belongs to git, whose files name commands that git runs"),
    ] {
        place.put(file, "KEY=1");
        let edits = args(file, &[("KEY=1", "KEY=2")]);
        let denied = why(call(&tool, &edits).await);
        let expected = format!("`{file}` needs a person's own approval, which is missing: {risk}");
        assert_eq!(denied, expected);
        // Without an approval, the error says nothing of the content either.
        let wrong = why(call(&tool, &args(file, &[("KEY=0", "KEY=2")])).await);
        assert_eq!(wrong, expected);
        assert_eq!(preview_of(&tool, &edits).await.unwrap().risk.as_deref(), Some(risk));
        call_approved(&tool, &edits).await.unwrap();
        assert_eq!(place.get(file), "KEY=2");
    }
}

#[tokio::test]
async fn a_large_file_is_compared_in_time() {
    let place = Place::new();
    let text: String =
        (0..60_000).map(|n| format!("let value_{n} = compute({n}, {n});\n")).collect();
    place.put("a.rs", &text);
    let old: String =
        (500..560).map(|n| format!("let value_{n} = computed({n}, {n});\n")).collect();
    let why = refused(&place, &old, "x").await;
    assert!(why.contains("the nearest text is:"), "{why}");
    let args = json!({"file": "a.rs", "edits": [{"old": "value_", "new": "v", "all": true}]});
    let output = call(&FileEdit::new(&place.root), &args.to_string()).await.unwrap();
    assert_eq!(output.summary, "60000 places changed, +60000 -60000 lines");
}
