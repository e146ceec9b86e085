//! Replacements in many files.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use silcrow_tool::{
    BasicValidator, CallContext, CancellationToken, Scope, Tool as _, ToolArgs, ToolError,
    ToolOutput, Validator as _,
};
use silcrow_tools::{ChangeJournal, FileReplace, UndoRequest};

use crate::described::examples;
use crate::{Place, call, call_approved, call_with, preview_of, why};

async fn replace(place: &Place, args: Value) -> Result<ToolOutput, ToolError> {
    call(&FileReplace::new(&place.root), &args.to_string()).await
}

/// A place with a few sources.
fn place() -> Place {
    let place = Place::new();
    place
        .put("src/main.rs", "fn main() {\n    old_name();\n}\n")
        .put("src/lib/a.rs", "pub fn old_name() {}\n// old_name, old_name\n")
        .put("src/notes.md", "old_name\n")
        .put("other.rs", "old_name\n")
        .put("same.rs", "nothing here\n");
    place
}

#[tokio::test]
async fn name_is_replaced_across_a_glob() {
    let place = place();
    let args = json!({"find": "old_name", "replace": "new_name", "files": ["src/**/*.rs"]});
    let output = replace(&place, args).await.unwrap();
    assert_eq!(place.get("src/main.rs"), "fn main() {\n    new_name();\n}\n");
    assert_eq!(place.get("src/lib/a.rs"), "pub fn new_name() {}\n// new_name, new_name\n");
    assert_eq!(place.get("src/notes.md"), "old_name\n");
    assert_eq!(place.get("other.rs"), "old_name\n");
    assert_eq!(output.summary, "changed 4 places in 2 files, +3 -3 lines");
    let expected = "src/lib/a.rs: 3 places\nsrc/main.rs: 1 place\n\n--- a/src/lib/a.rs\n";
    let content = output.content.text();
    assert!(content.starts_with(expected), "{content}");
    assert!(
        content.contains("--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1,3 +1,3 @@\n"),
        "{content}"
    );
    assert!(content.contains("-    old_name();\n+    new_name();\n"), "{content}");
}

#[tokio::test]
async fn files_folders_and_globs_may_be_mixed() {
    for (files, changed) in [
        (json!(["other.rs"]), 1),
        (json!(["./src/../other.rs", "src/main.rs"]), 2),
        (json!(["src"]), 3),
        (json!(["src/"]), 3),
        (json!(["."]), 4),
        (json!(["src/lib", "other.rs", "other.rs"]), 2),
        (json!(["*.rs"]), 3),
        (json!(["*.rs", "!src/lib/**"]), 2),
        (json!(["src/*.{rs,md}"]), 2),
    ] {
        let place = place();
        let args = json!({"find": "old_name", "replace": "x", "files": files});
        let output = replace(&place, args).await.unwrap();
        let noun = if changed == 1 { "file" } else { "files" };
        let expected = format!(" in {changed} {noun}, ");
        assert!(output.summary.contains(&expected), "{files}: {}", output.summary);
    }
}

#[tokio::test]
async fn patterns_have_groups() {
    let place = place();
    let args = json!({
        "find": r"old_(\w+)\b", "replace": "${1}_new", "files": ["src/**"], "regex": true,
    });
    let output = replace(&place, args).await.unwrap();
    assert_eq!(place.get("src/notes.md"), "name_new\n");
    assert_eq!(output.summary, "changed 5 places in 3 files, +4 -4 lines");
}

#[tokio::test]
async fn a_dry_run_shows_everything_and_changes_nothing() {
    let place = place();
    let mut args = json!({"find": "old_name", "replace": "x", "files": ["src"], "dry_run": true});
    let shown = replace(&place, args.clone()).await.unwrap();
    assert_eq!(shown.summary, "would change 5 places in 3 files, +4 -4 lines");
    assert_eq!(place.get("src/notes.md"), "old_name\n");
    args["dry_run"] = json!(false);
    let done = replace(&place, args).await.unwrap();
    assert_eq!(done.content, shown.content);
    assert_eq!(place.get("src/notes.md"), "x\n");
}

#[tokio::test]
async fn text_without_match_is_an_error() {
    let place = place();
    let args = json!({"find": "nowhere", "replace": "x", "files": ["src/**"]});
    assert_eq!(
        why(replace(&place, args).await),
        "nothing was changed, because `find` changes nothing in 3 files; look for it with \
         file_search"
    );
    let args = json!({"find": "old_(name)", "replace": "old_$1", "files": ["src"], "regex": true});
    assert!(why(replace(&place, args).await).contains("changes nothing in 3 files"));
}

#[tokio::test]
async fn meaningless_arguments_are_refused() {
    let place = place();
    for (args, expected) in [
        (json!({"find": "", "replace": "x", "files": ["src"]}), "`find` is empty"),
        (json!({"find": "x", "replace": "x", "files": ["src"]}), "are the same"),
        (json!({"find": "x", "replace": "y", "files": []}), "`files` is empty"),
        (
            json!({"find": "(", "replace": "y", "files": ["src"], "regex": true}),
            "`find` is not a regular expression",
        ),
        (json!({"find": "x", "replace": "y", "files": ["srx"]}), "did you mean `src`?"),
        (json!({"find": "x", "replace": "y", "files": ["a[.rs"]}), "is not a glob"),
        (json!({"find": "x", "replace": "y", "files": ["../secret.txt"]}), "leads out"),
    ] {
        let why = why(replace(&place, args).await);
        assert!(why.contains(expected), "{why}");
    }
}

#[tokio::test]
async fn ignored_and_binary_files_are_left_out() {
    let place = place();
    place
        .put(".gitignore", "*.log\n/built\n")
        .put("a.log", "old_name")
        .put("built/x", "old_name")
        .put("binary", b"old_name\0")
        .put("half.txt", b"caf\xc3\xa9 caf\xc3 old_name");
    let args = json!({"find": "old_name", "replace": "x", "files": ["**"]});
    let output = replace(&place, args).await.unwrap();
    assert_eq!((place.get("a.log"), place.get("built/x")), ("old_name".into(), "old_name".into()));
    assert_eq!(
        output.notices,
        ["1 file that is not clean text is left out", "2 entries that git ignores are left out"]
    );
    // A named file is changed even if git ignores it.
    let args = json!({"find": "old_name", "replace": "x", "files": ["a.log"]});
    replace(&place, args).await.unwrap();
    assert_eq!(place.get("a.log"), "x");
    let args = json!({"find": "old_name", "replace": "x", "files": ["binary"]});
    assert_eq!(why(replace(&place, args).await), "`binary` is binary, not text to edit");
}

#[tokio::test]
async fn risky_files_are_skipped_or_refused() {
    let place = Place::new();
    for file in [".env", ".git/config", ".vscode/tasks.json", "tls/server.key", "a.txt"] {
        place.put(file, "KEY=1");
    }
    let args = json!({"find": "KEY", "replace": "x", "files": ["**", ".vscode/*"]});
    let output = replace(&place, args).await.unwrap();
    assert_eq!(output.notices, ["3 files that need their own approval are left out"]);
    assert_eq!(place.get("a.txt"), "x=1");
    for file in [".env", ".git/config", ".vscode/tasks.json", "tls/server.key"] {
        assert_eq!(place.get(file), "KEY=1");
        let args = json!({"find": "KEY", "replace": "x", "files": [file]});
        let why = why(call_approved(&FileReplace::new(&place.root), &args.to_string()).await);
        assert!(why.contains("needs a person's own approval"), "{why}");
        assert!(why.ends_with("; file_edit asks for it"), "{why}");
        assert_eq!(place.get(file), "KEY=1");
    }
}

#[tokio::test]
async fn no_link_is_followed() {
    let place = place();
    place.link("../secret.txt", "src/out.rs").link("..", "src/up").link("other.rs", "src/in.rs");
    let args = json!({"find": "SECRET", "replace": "x", "files": ["**"]});
    assert!(why(replace(&place, args).await).contains("changes nothing"));
    let args = json!({"find": "old_name", "replace": "x", "files": ["src/**/*.rs"]});
    replace(&place, args).await.unwrap();
    assert_eq!(place.get("other.rs"), "old_name\n");
    assert!(place.path().join("src/in.rs").is_symlink());
    let outside = fs::read_to_string(place.outer.path().join("secret.txt")).unwrap();
    assert_eq!(outside, "SECRET");
}

#[tokio::test]
async fn line_ends_encodings_and_permissions_are_kept() {
    let place = Place::new();
    place.put("windows.txt", "a\r\nb\r\n").put("marked.txt", b"\xef\xbb\xbfa\nb\n");
    place.put("latin.txt", b"caf\xe9\na\nb\n");
    let run = place.path().join("windows.txt");
    fs::set_permissions(&run, Permissions::from_mode(0o751)).unwrap();
    let args = json!({"find": "a\nb", "replace": "c\né", "files": ["*.txt"]});
    replace(&place, args).await.unwrap();
    let bytes = |file: &str| fs::read(place.path().join(file)).unwrap();
    assert_eq!(bytes("windows.txt"), "c\r\né\r\n".as_bytes());
    assert_eq!(bytes("marked.txt"), b"\xef\xbb\xbfc\n\xc3\xa9\n");
    assert_eq!(bytes("latin.txt"), b"caf\xe9\nc\n\xe9\n");
    assert_eq!(fs::metadata(&run).unwrap().permissions().mode() & 0o777, 0o751);
}

#[tokio::test]
async fn one_unwritable_file_changes_none() {
    let place = place();
    let last = place.path().join("src/notes.md");
    fs::set_permissions(&last, Permissions::from_mode(0o444)).unwrap();
    let args =
        json!({"find": "old_name", "replace": "x", "files": ["src/main.rs", "src/notes.md"]});
    let why = why(replace(&place, args).await);
    assert!(why.contains("`src/notes.md` is read-only"), "{why}");
    assert_eq!(place.get("src/main.rs"), "fn main() {\n    old_name();\n}\n");
}

#[tokio::test]
async fn one_undo_reverts_the_whole_replacement() {
    let place = place();
    let journal = ChangeJournal::new(place.outer.path().join("changes"));
    let tool = FileReplace::new(&place.root).with_journal(&journal);
    let before = ["src/main.rs", "src/lib/a.rs", "src/notes.md"].map(|file| place.get(file));
    let args = json!({"find": "old_name", "replace": "x", "files": ["src"]}).to_string();
    let context = CallContext::new(Scope::new("c").with_turn(2), "a1");
    tool.call(ToolArgs::new(&args), &context).await.unwrap();
    let after = ["src/main.rs", "src/lib/a.rs", "src/notes.md"].map(|file| place.get(file));
    assert_ne!(before, after);
    let report = journal.undo(&place.root, &UndoRequest::new("c").with_turns(2..=2)).unwrap();
    assert_eq!((report.files.len(), report.refusals.len()), (3, 0));
    let now = ["src/main.rs", "src/lib/a.rs", "src/notes.md"].map(|file| place.get(file));
    assert_eq!(now, before);
    journal.undo(&place.root, &UndoRequest::redo("c")).unwrap();
    let now = ["src/main.rs", "src/lib/a.rs", "src/notes.md"].map(|file| place.get(file));
    assert_eq!(now, after);
}

#[tokio::test]
async fn undo_refuses_all_if_one_file_changed() {
    let place = place();
    let journal = ChangeJournal::new(place.outer.path().join("changes"));
    let tool = FileReplace::new(&place.root).with_journal(&journal);
    let args = json!({"find": "old_name", "replace": "x", "files": ["src"]}).to_string();
    call(&tool, &args).await.unwrap();
    place.put("src/main.rs", "mine");
    let report = journal.undo(&place.root, &UndoRequest::new("c")).unwrap();
    assert_eq!((report.files.len(), report.refusals.len()), (0, 1));
    assert_eq!(place.get("src/notes.md"), "x\n");
}

#[tokio::test]
async fn preview_covers_only_its_arguments() {
    let place = place();
    let tool = FileReplace::new(&place.root);
    let args = json!({"find": "old_name", "replace": "x", "files": ["src/*.rs", "other.rs"]});
    let args = args.to_string();
    let preview = preview_of(&tool, &args).await.unwrap();
    assert_eq!(preview.target.as_deref(), Some("2 files: other.rs, src/main.rs"));
    assert_eq!(preview.effect.as_deref(), Some("changes 2 places in 2 files, +2 -2 lines"));
    assert_eq!((&*preview.scope, preview.risk.as_deref()), (&*args, None));
    // Another file has it by then.
    place.put("src/new.rs", "old_name");
    let context = CallContext::new("c", "a1").with_approved(Some(preview));
    let done = tool.call(ToolArgs::new(&args), &context).await;
    let expected = "the replacement finds other files now; nothing was changed; call again";
    assert_eq!(why(done), expected);
    assert_eq!(place.get("other.rs"), "old_name\n");
    call_approved(&tool, &args).await.unwrap();
    assert_eq!(place.get("src/new.rs"), "x");
}

#[tokio::test]
async fn a_cancelled_replacement_changes_nothing() {
    let place = place();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let args = json!({"find": "old_name", "replace": "x", "files": ["src"]}).to_string();
    let done = call_with(&FileReplace::new(&place.root), &args, cancel).await;
    assert_eq!(why(done), "the call was cancelled");
    assert_eq!(place.get("src/notes.md"), "old_name\n");
}

#[tokio::test]
async fn replaced_file_stays_known_if_read() {
    let place = place();
    place.read("src/notes.md").await.unwrap();
    let args = json!({"find": "old_name", "replace": "x", "files": ["src"]});
    replace(&place, args).await.unwrap();
    place.write_unread("src/notes.md", "new").await.unwrap();
    let why = why(place.write_unread("src/main.rs", "new").await);
    assert!(why.contains("this conversation has not read it"), "{why}");
}

#[tokio::test]
async fn many_files_are_changed_at_once() {
    let place = Place::new();
    for n in 0..1000 {
        place.put(&format!("{:02}/{n}.txt", n % 30), "old_name\n");
    }
    let args = json!({"find": "old_name", "replace": "x", "files": ["**"]});
    let output = replace(&place, args.clone()).await.unwrap();
    assert_eq!(output.summary, "changed 1000 places in 1000 files, +1000 -1000 lines");
    for n in 0..1001 {
        place.put(&format!("{n}.txt"), "old_name\n");
    }
    let why = why(replace(&place, args).await);
    assert!(why.contains("changes more than 1000 files"), "{why}");
    assert_eq!(place.get("0.txt"), "old_name\n");
}

#[tokio::test]
async fn described_example_fits_the_schema() {
    let place = place();
    let tool = FileReplace::new(&place.root);
    let example = examples(&tool).remove(0);
    BasicValidator.check(tool.schema(), &example).unwrap();
    call(&tool, &example).await.unwrap();
    assert_eq!(place.get("src/main.rs"), "fn main() {\n    new_name();\n}\n");
}
