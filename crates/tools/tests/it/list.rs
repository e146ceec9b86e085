use std::fs;

use silcrow_event::Truncation;
use silcrow_tools::FileList;

use crate::{Place, call, content, why};

#[tokio::test]
async fn entries_are_sorted_with_their_kind_and_size() {
    let place = Place::new();
    place.put("b.txt", "12345").put("src/main.rs", "").put("a", "1").put(".hidden", "");
    place.put("ü", "").link("b.txt", "link").link("nowhere", "broken");
    let expected = "\
.hidden  0 bytes
a  1 bytes
b.txt  5 bytes
broken  (a link)
link  (a link)
src/
ü  0 bytes";
    let output = place.list(".").await.unwrap();
    assert_eq!(output.content, expected);
    assert_eq!(output.summary, "7 entries");
    let output = call(&FileList::new(&place.root), "{}").await.unwrap();
    assert_eq!(output.content, expected, "`.` is meant when nothing is given");
    for path in ["src", "src/", "./src/.", "src/../src"] {
        let output = place.list(path).await.unwrap();
        assert_eq!((&*output.content.text(), &*output.summary), ("main.rs  0 bytes", "1 entry"));
    }
}

#[tokio::test]
async fn an_empty_folder_says_so() {
    let place = Place::new();
    let output = place.list(".").await.unwrap();
    assert_eq!((&*output.content.text(), &*output.summary), ("", "0 entries"));
    assert_eq!(output.notices, ["the folder is empty"]);
}

#[tokio::test]
async fn list_shows_thousand_entries_and_counts_others() {
    let place = Place::new();
    place.put("0000", "");
    for n in 1..1000 {
        // Much cheaper than a file each.
        let link = place.path().join(format!("{n:04}"));
        fs::hard_link(place.path().join("0000"), link).unwrap();
    }
    let whole = content(place.list(".").await);
    assert_eq!(whole.lines().count(), 1000);
    assert!(whole.ends_with("0999  0 bytes"));
    for n in 1000..1003 {
        place.put(&format!("{n:04}"), "");
    }
    let output = place.list(".").await.unwrap();
    assert_eq!(output.content, whole);
    assert_eq!(output.truncated, Some(Truncation::default().with_omitted_lines(3)));
    assert_eq!(output.summary, "1003 entries");
}

#[tokio::test]
async fn odd_names_stay_on_their_line() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::new();
    place.put("a\n[forged]", "").put("b\u{1b}[31m", "").put("c d", "");
    let bytes = std::ffi::OsStr::from_bytes(b"d\xff");
    fs::write(place.path().join(bytes), "").unwrap();
    let expected = "a\\n[forged]  0 bytes\nb\\u{1b}[31m  0 bytes\nc d  0 bytes\nd\u{fffd}  0 bytes";
    assert_eq!(content(place.list(".").await), expected);
}

#[tokio::test]
async fn non_directories_are_refused_by_name() {
    let place = Place::new();
    place.put("a.txt", "").put("docs/b.md", "");
    assert_eq!(why(place.list("a.txt").await), "`a.txt` is a file, not a folder");
    let why_below = why(place.list("a.txt/x").await);
    assert!(why_below.starts_with("`a.txt/x` is not a folder"), "{why_below}");
    assert_eq!(why(place.list("dosc").await), "`dosc` does not exist; did you mean `docs`?");
}
