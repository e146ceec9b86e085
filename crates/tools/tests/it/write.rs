use std::fs;
use std::path::Path;

use serde_json::json;
use silcrow_tool::CancellationToken;
use silcrow_tools::Root;

use crate::{Place, apart, call, call_with, given, why, writer_that_read};

/// The names in the root, so that nothing stays behind unseen.
fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_file_is_created_and_replaced() {
    let place = Place::new();
    let output = place.write("a.txt", "hello §\n").await.unwrap();
    assert_eq!(output.summary, "created, 9 bytes");
    assert_eq!(output.content, "created `a.txt`, 9 bytes");
    assert_eq!(place.get("a.txt"), "hello §\n");
    let output = place.write("./a.txt", "x").await.unwrap();
    assert_eq!(output.summary, "replaced, 1 byte");
    assert_eq!(output.content, "replaced `./a.txt`, 1 byte");
    assert_eq!(place.get("a.txt"), "x");
    place.write("a.txt", "").await.unwrap();
    assert_eq!(place.get("a.txt"), "");
    assert_eq!(names(&place.path()), ["a.txt"]);
}

#[tokio::test]
async fn folders_above_it_are_made() {
    let place = Place::new();
    place.write("a/b/c/d.txt", "x").await.unwrap();
    place.write("a/b/../e/./f.txt", "y").await.unwrap();
    assert_eq!((place.get("a/b/c/d.txt"), place.get("a/e/f.txt")), ("x".into(), "y".into()));
    place.write("new/../other/./deep/../b.txt", "z").await.unwrap();
    assert_eq!(names(&place.path()), ["a", "other"]);
    assert_eq!(names(&place.path().join("other")), ["b.txt"]);
    let why_out = why(place.write("new/../../b.txt", "z").await);
    assert!(why_out.starts_with("`new/../../b.txt` leads out of the folder"), "{why_out}");
    place.put("file", "z");
    let why_below = why(place.write("file/x.txt", "x").await);
    assert!(why_below.starts_with("`file/x.txt` is not a folder"), "{why_below}");
    assert_eq!(place.get("file"), "z");
}

#[tokio::test]
async fn folder_paths_are_refused() {
    let place = Place::new();
    place.put("docs/a.md", "x");
    for path in [".", "..", "docs/", "docs/.", "docs/..", "new/", "/", "docs//"] {
        let expected = format!("`{path}` names a folder; write the name of a file");
        assert_eq!(why(place.write(path, "x").await), expected);
    }
    assert_eq!(names(&place.path()), ["docs"]);
}

#[tokio::test]
async fn open_reader_keeps_the_old_text() {
    use std::io::Read as _;
    let place = Place::new();
    place.put("a.txt", "the old text");
    let mut open = fs::File::open(place.path().join("a.txt")).unwrap();
    place.write("a.txt", "new").await.unwrap();
    let mut text = String::new();
    open.read_to_string(&mut text).unwrap();
    assert_eq!(text, "the old text");
}

#[tokio::test]
async fn link_is_refused_with_its_target() {
    let place = Place::new();
    place.put("real/a.txt", "old").link("real/a.txt", "link").link("real", "folder");
    place.link("link", "chain").link("../secret.txt", "out").link("nowhere", "broken");
    place.link("real", "to-folder").link(".", "to-root");
    for link in ["link", "chain", "./real/../link"] {
        assert_eq!(
            why(place.write(link, "x").await),
            format!(
                "`{link}` is a link to `real/a.txt`, and links are not followed; \
                 write to `real/a.txt` itself if that is meant"
            )
        );
    }
    assert_eq!(place.get("real/a.txt"), "old");
    // On the way to a file they are.
    place.write("folder/a.txt", "3").await.unwrap();
    place.write("folder/b.txt", "4").await.unwrap();
    assert_eq!((place.get("real/a.txt"), place.get("real/b.txt")), ("3".into(), "4".into()));
    assert!(place.path().join("link").is_symlink() && place.path().join("chain").is_symlink());

    assert!(why(place.write("out", "x").await).starts_with("`out` leads out of the folder"));
    assert_eq!(why(place.write("broken", "x").await), "`broken` is a link that leads nowhere");
    assert_eq!(
        why(place.write("to-folder", "x").await),
        "`to-folder` is a link to `real`, and links are not followed; \
         write to `real` itself if that is meant"
    );
    assert!(why(place.write("to-root", "x").await).starts_with("`to-root` is a link to `.`, "));
    assert_eq!(fs::read_to_string(place.outer.path().join("secret.txt")).unwrap(), "SECRET");
}

#[tokio::test]
async fn a_cancelled_write_changes_nothing() {
    let place = Place::new();
    place.put("a.txt", "old");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let args = json!({"file": "a.txt", "content": "new"}).to_string();
    let tool = writer_that_read(&place.root, "a.txt").await;
    let why = why(call_with(&tool, &args, cancel).await);
    assert_eq!(why, "cancelled: `a.txt` is as it was");
    assert_eq!(place.get("a.txt"), "old");
    assert_eq!(names(&place.path()), ["a.txt"]);
}

#[tokio::test]
async fn concurrent_writes_leave_one_complete_text() {
    let place = Place::new();
    let texts: Vec<_> = (0..8).map(|n| n.to_string().repeat(100_000)).collect();
    let writes = texts.iter().map(|text| place.write("a.txt", text));
    for written in futures_util::future::join_all(writes).await {
        written.unwrap();
    }
    assert!(texts.contains(&place.get("a.txt")));
    assert_eq!(names(&place.path()), ["a.txt"]);
}

#[test]
fn failed_write_leaves_the_old_text() {
    let place = Place::new();
    place.put("a.txt", "old");
    // The limit gives an error instead of a signal; this holds for root too.
    assert!(apart("write::under_a_limit", &place, "trap '' XFSZ; ulimit -f 64;").success());
    assert_eq!(place.get("a.txt"), "old");
    assert_eq!(names(&place.path()), ["a.txt"]);
}

#[test]
fn killed_write_leaves_the_old_text() {
    use std::os::unix::process::ExitStatusExt as _;
    let place = Place::new();
    place.put("a.txt", "old");
    assert!(apart("write::under_a_limit", &place, "ulimit -f 64;").signal().is_some());
    assert_eq!(place.get("a.txt"), "old");
    let names = names(&place.path());
    assert!(names.len() == 2 && names[0].starts_with(".silcrow-"), "{names:?}");
}

#[test]
fn without_a_temporary_file_nothing_changes() {
    let place = Place::new();
    place.put("a.txt", "old");
    assert!(apart("write::with_all_names_taken", &place, "").success());
    assert_eq!(place.get("a.txt"), "old");
}

/// No file may be larger than 64 KiB.
#[tokio::test]
#[ignore = "run by two tests above, in a process of its own"]
async fn under_a_limit() {
    let tool = writer_that_read(&Root::open(given()).unwrap(), "a.txt").await;
    let args = json!({"file": "small.txt", "content": "x".repeat(60_000)}).to_string();
    call(&tool, &args).await.unwrap();
    fs::remove_file(given().join("small.txt")).unwrap();

    let args = json!({"file": "a.txt", "content": "x".repeat(1 << 20)}).to_string();
    assert_eq!(why(call(&tool, &args).await), "`a.txt` is too large for the file system");
}

/// All names that a first write would try are taken.
#[tokio::test]
#[ignore = "run by a test above, in a process of its own"]
async fn with_all_names_taken() {
    let taken = |n: u32| given().join(format!(".silcrow-{}-{n}.tmp", std::process::id()));
    for n in 0..200 {
        fs::write(taken(n), "somebody else's").unwrap();
    }
    let tool = writer_that_read(&Root::open(given()).unwrap(), "a.txt").await;
    let args = json!({"file": "a.txt", "content": "new"}).to_string();
    assert_eq!(why(call(&tool, &args).await), "`a.txt`: entity already exists");
    for n in 0..200 {
        assert_eq!(fs::read_to_string(taken(n)).unwrap(), "somebody else's");
    }
}
