//! A file is replaced only if the conversation knows its present contents.

use std::fs;

use serde_json::json;
use silcrow_tool::{CallContext, Tool as _, ToolArgs, ToolError, ToolOutput};
use silcrow_tools::{ChangeJournal, FileRead, FileSearch, FileWrite, Root};

use crate::{Place, call, call_approved, preview_of, why};

const UNREAD: &str = "`a.txt` exists, and this conversation has not read it; nothing was written; \
                      read it with file_read first, then write it, or change a part of it with \
                      file_edit";

async fn write_in(place: &Place, conversation: &str, text: &str) -> Result<ToolOutput, ToolError> {
    let args = json!({"file": "a.txt", "content": text}).to_string();
    let context = CallContext::new(conversation, "a1");
    FileWrite::new(&place.root).call(ToolArgs::new(&args), &context).await
}

#[tokio::test]
async fn unread_file_is_not_replaced() {
    let place = Place::new();
    place.put("a.txt", "old");
    assert_eq!(why(place.write_unread("a.txt", "new").await), UNREAD);
    assert_eq!(place.get("a.txt"), "old");
    let args = json!({"file": "a.txt", "content": "new"}).to_string();
    let refused = preview_of(&FileWrite::new(&place.root), &args).await.unwrap_err();
    assert_eq!(refused.to_string(), UNREAD, "nobody is asked in vain");
    place.read("a.txt").await.unwrap();
    place.write_unread("a.txt", "new").await.unwrap();
    assert_eq!(place.get("a.txt"), "new");
}

#[tokio::test]
async fn partial_reads_and_own_writes_are_known() {
    let place = Place::new();
    place.put("a.txt", "one\ntwo\n");
    let args = r#"{"file":"a.txt","offset":2,"limit":1}"#;
    call(&FileRead::new(&place.root), args).await.unwrap();
    place.write_unread("a.txt", "1").await.unwrap();
    place.write_unread("a.txt", "2").await.unwrap();
    place.write_unread("b.txt", "1").await.unwrap();
    place.write_unread("b.txt", "2").await.unwrap();
    assert_eq!((place.get("a.txt"), place.get("b.txt")), ("2".into(), "2".into()));
}

#[tokio::test]
async fn externally_changed_file_must_be_reread() {
    let place = Place::new();
    place.put("a.txt", "old");
    place.read("a.txt").await.unwrap();
    // Of the same length, and at the same moment within the precision of a clock.
    place.put("a.txt", "odd");
    let changed = why(place.write_unread("a.txt", "new").await);
    let expected = "`a.txt` has changed since this conversation last read or wrote it; nothing";
    assert!(changed.starts_with(expected), "{changed}");
    assert_eq!(place.get("a.txt"), "odd");
    place.put("a.txt", "old");
    place.write_unread("a.txt", "new").await.unwrap();
}

#[tokio::test]
async fn each_conversation_knows_its_own() {
    let place = Place::new();
    place.put("a.txt", "old");
    place.read("a.txt").await.unwrap();
    assert_eq!(why(write_in(&place, "other", "new").await), UNREAD);
    write_in(&place, "c", "new").await.unwrap();
    let changed = why(write_in(&place, "c/1/a1", "newer").await);
    assert_eq!(changed, UNREAD, "nor does an agent know what its caller read");
}

#[tokio::test]
async fn searches_and_failed_reads_are_not_known() {
    let place = Place::new();
    place.put("a.txt", "old\0");
    call(&FileSearch::new(&place.root), r#"{"query":"old"}"#).await.unwrap();
    place.read("a.txt").await.unwrap_err();
    assert_eq!(why(place.write_unread("a.txt", "new").await), UNREAD);
}

#[tokio::test]
async fn the_same_text_may_be_written_again() {
    let place = Place::new();
    place.put("a.txt", "same");
    // As an interrupted run does that repeats its call.
    let output = place.write_unread("a.txt", "same").await.unwrap();
    assert_eq!(output.summary, "replaced, 4 bytes");
}

#[tokio::test]
async fn file_is_known_by_any_path() {
    let place = Place::new();
    place.put("docs/a.txt", "old").link("docs", "link");
    place.read("link/../docs/./a.txt").await.unwrap();
    place.write_unread("docs/a.txt", "new").await.unwrap();
    place.write_unread("link/a.txt", "newer").await.unwrap();
    assert_eq!(place.get("docs/a.txt"), "newer");
}

#[tokio::test]
async fn another_file_in_its_place_is_not_known() {
    let place = Place::new();
    place.put("a.txt", "old").put("b.txt", "other");
    place.read("a.txt").await.unwrap();
    fs::rename(place.path().join("b.txt"), place.path().join("a.txt")).unwrap();
    assert!(why(place.write_unread("a.txt", "new").await).contains("has changed since"));
    fs::remove_file(place.path().join("a.txt")).unwrap();
    assert_eq!(place.write_unread("a.txt", "new").await.unwrap().summary, "created, 3 bytes");
}

#[tokio::test]
async fn very_long_file_is_known_by_timestamps() {
    let place = Place::new();
    let text = "x".repeat(9 << 20);
    place.put("a.txt", &text);
    assert_eq!(why(place.write_unread("a.txt", "new").await), UNREAD);
    place.read("a.txt").await.unwrap();
    place.write_unread("a.txt", "new").await.unwrap();
    place.put("a.txt", &text);
    place.read("a.txt").await.unwrap();
    place.put("a.txt", format!("{text}x"));
    assert!(why(place.write_unread("a.txt", "new").await).contains("has changed since"));
}

#[tokio::test]
async fn clones_of_a_root_share_known_files() {
    let place = Place::new();
    place.put("a.txt", "old");
    place.read("a.txt").await.unwrap();
    let args = json!({"file": "a.txt", "content": "new"}).to_string();
    let other = FileWrite::new(&Root::open(place.path()).unwrap());
    assert_eq!(why(call(&other, &args).await), UNREAD);
    let clone = FileWrite::new(&place.root.clone());
    call_approved(&clone, &args).await.unwrap();
}

#[tokio::test]
async fn line_endings_and_encodings_are_kept() {
    let place = Place::new();
    let wide = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    for (before, text, after) in [
        (b"a\r\nb\r\n".to_vec(), "c\nd\n", b"c\r\nd\r\n".to_vec()),
        (b"a\r\nb\r\n".to_vec(), "c\r\nd\n", b"c\r\nd\r\n".to_vec()),
        (b"a\nb\n".to_vec(), "c\r\n", b"c\r\n".to_vec()),
        (b"a\r\nb\n".to_vec(), "c\n", b"c\n".to_vec()),
        (b"\xef\xbb\xbfa\n".to_vec(), "b\n", b"\xef\xbb\xbfb\n".to_vec()),
        (b"\xef\xbb\xbfa\n".to_vec(), "\u{feff}b\n", b"\xef\xbb\xbfb\n".to_vec()),
        (b"caf\xe9 au lait".to_vec(), "thé", b"th\xe9".to_vec()),
        (b"caf\xe9 au lait".to_vec(), "5 €", b"5 \x80".to_vec()),
        (b"caf\xe9 au lait".to_vec(), "a → b", "a → b".as_bytes().to_vec()),
        (wide("a\r\n"), "é\n", wide("é\r\n")),
        (Vec::new(), "a\n", b"a\n".to_vec()),
    ] {
        fs::write(place.path().join("a.txt"), &before).unwrap();
        place.write("a.txt", text).await.unwrap();
        let written = fs::read(place.path().join("a.txt")).unwrap();
        assert_eq!(written, after, "{before:?} {text:?}");
    }
}

/// A run that ends and another one that continues it, as processes do.
#[tokio::test]
async fn known_files_survive_the_process() {
    let place = Place::new();
    place.put("a.txt", "old").put("b.txt", "old").put("c.txt", "old");
    let journal = ChangeJournal::new(place.outer.path().join("changes"));
    let process = || Root::open(place.path()).unwrap();
    let write = async |root: &Root, file: &str, text: &str| {
        let args = json!({"file": file, "content": text}).to_string();
        call(&FileWrite::new(root).with_journal(&journal), &args).await
    };
    let read = async |root: &Root, file: &str| {
        let args = json!({"file": file}).to_string();
        call(&FileRead::new(root).with_journal(&journal), &args).await.unwrap();
    };
    let first = process();
    read(&first, "a.txt").await;
    read(&first, "b.txt").await;
    write(&first, "new.txt", "one").await.unwrap();
    write(&first, "b.txt", "new").await.unwrap();

    let second = process();
    for file in ["a.txt", "b.txt", "new.txt"] {
        write(&second, file, "newer").await.unwrap_or_else(|why| panic!("{file}: {why}"));
    }
    assert!(why(write(&second, "c.txt", "new").await).contains("has not read it"));
    place.put("a.txt", "odd");
    assert!(why(write(&process(), "a.txt", "new").await).contains("has changed since"));
    // The data of a conversation is removed with it.
    assert!(journal.remove("c").unwrap());
    let changed = why(write(&process(), "b.txt", "new").await);
    assert!(changed.contains("has not read it"), "{changed}");
    // A root elsewhere has other files.
    let other = Place::new();
    other.put("a.txt", "old");
    read(&first, "c.txt").await;
    other.put("c.txt", "old");
    let denied = why(write(&other.root, "c.txt", "new").await);
    assert!(denied.contains("has not read it"), "{denied}");
}
