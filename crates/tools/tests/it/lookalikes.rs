//! Files are found by names that look like theirs, and a result names other names of a file.

use std::fs;

use silcrow_tools::FileRead;

use crate::edit::edit;
use crate::{Place, call, why};

#[tokio::test]
async fn lookalike_name_finds_the_file() {
    for (real, asked) in [
        ("Abscha\u{308}tzung.txt", "Absch\u{e4}tzung.txt"),
        ("Absch\u{e4}tzung.txt", "Abscha\u{308}tzung.txt"),
        ("at 3.00\u{202f}PM.txt", "at 3.00 PM.txt"),
        ("it\u{2019}s \u{201c}a\u{201d}.txt", "it's \"a\".txt"),
        ("fo\u{301}lder\u{a0}1/a.txt", "f\u{f3}lder 1/a.txt"),
    ] {
        let place = Place::new();
        place.put(real, "inside\n");
        let output = place.read(asked).await.unwrap();
        assert_eq!(output.content, "inside\n");
        let notice = output.notices.last().unwrap();
        assert!(notice.starts_with("nothing has exactly this name; `"), "{notice}");
        let output = edit(&place, asked, &[("inside", "changed")]).await.unwrap();
        assert!(output.notices[0].contains("looks like it and was used"), "{output:?}");
        assert_eq!(place.get(real), "changed\n");
        place.write(asked, "written\n").await.unwrap();
        assert_eq!(place.get(real), "written\n");
    }
}

#[tokio::test]
async fn exact_name_comes_first() {
    let place = Place::new();
    place.put("a\u{a0}b", "nbsp").put("a\u{202f}b", "narrow").put("a\u{2003}b", "em");
    assert_eq!(place.read("a\u{202f}b").await.unwrap().content, "narrow");
    let error = why(place.read("a b").await);
    assert!(
        error.contains("several names look like it: `a\\u{a0}b`, `a\\u{2003}b`, `a\\u{202f}b`"),
        "{error}"
    );
    // No file is made beside them by mistake.
    assert!(place.write_unread("a b", "new").await.is_err());
    place.put("a b", "space");
    assert_eq!(place.read("a b").await.unwrap().content, "space");
    assert!(place.read("a b").await.unwrap().notices.is_empty());
}

#[tokio::test]
async fn distinct_name_is_a_new_file() {
    let place = Place::new();
    place.put("caf\u{e9} 1", "");
    place.write_unread("caf\u{e9} 2", "new").await.unwrap();
    place.write_unread("cafe\u{301}/caf\u{e9} 3", "new").await.unwrap();
    assert_eq!(place.get("cafe\u{301}/caf\u{e9} 3"), "new");
}

#[tokio::test]
async fn lookalike_of_private_name_finds_nothing() {
    let place = Place::new();
    let private = place.path().join("it\u{2019}s");
    fs::create_dir(&private).unwrap();
    fs::write(private.join("a"), "SECRET").unwrap();
    let root = place.root.clone().with_private(&private, "the store");
    let error = why(call(&FileRead::new(&root), r#"{"file": "it's/a"}"#).await);
    assert!(!error.contains("SECRET") && error.contains("the store"), "{error}");
    place.link("..", "up\u{a0}1");
    assert!(why(place.read("up 1/secret.txt").await).contains("leads out"));
}

#[tokio::test]
async fn hard_links_with_old_text_are_reported() {
    let place = Place::new();
    place.put("a.txt", "one\ntwo\n");
    fs::hard_link(place.path().join("a.txt"), place.path().join("b.txt")).unwrap();
    let output = edit(&place, "a.txt", &[("two", "TWO")]).await.unwrap();
    let notice = "the file had another name (a hard link), which keeps the old text";
    assert_eq!(output.notices, [notice]);
    assert_eq!((&*place.get("a.txt"), &*place.get("b.txt")), ("one\nTWO\n", "one\ntwo\n"));
    assert!(edit(&place, "a.txt", &[("TWO", "2")]).await.unwrap().notices.is_empty());
    fs::hard_link(place.path().join("a.txt"), place.path().join("c.txt")).unwrap();
    assert_eq!(place.write("c.txt", "new").await.unwrap().notices, [notice]);
}
