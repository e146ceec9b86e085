use std::fs;

use serde_json::json;
use silcrow_event::Truncation;
use silcrow_tool::{CancellationToken, ToolOutput};
use silcrow_tools::FileSearch;

use crate::{Place, call_with, content, why};

#[tokio::test]
async fn hits_are_sorted_with_path_line_and_text() {
    let place = Place::new();
    place
        .put("b.txt", "one\n  two needle\nneedle needle\n")
        .put("a/z.txt", "needle")
        .put("a/b/c.txt", "x\r\nneedle\r\n")
        .put("a.txt", "nothing");
    let output = place.search("needle", ".").await.unwrap();
    assert_eq!(
        output.content,
        "a/b/c.txt:2: needle\na/z.txt:1: needle\nb.txt:2:   two needle\nb.txt:3: needle needle"
    );
    assert_eq!(output.summary, "4 hits in 3 files");
}

#[tokio::test]
async fn a_folder_or_a_file_may_be_named() {
    let place = Place::new();
    place.put("a/x.txt", "needle").put("b/x.txt", "needle").link("a", "link");
    for (path, expected) in [
        ("a", "a/x.txt:1: needle"),
        ("a/", "a/x.txt:1: needle"),
        ("./b", "./b/x.txt:1: needle"),
        ("b/x.txt", "b/x.txt:1: needle"),
        ("b/../a", "b/../a/x.txt:1: needle"),
        ("link", "link/x.txt:1: needle"),
    ] {
        assert_eq!(content(place.search("needle", path).await), expected, "{path}");
    }
    assert_eq!(why(place.search("x", "c").await), "`c` does not exist; file_list shows what does");
}

#[tokio::test]
async fn queries_use_smart_case() {
    let place = Place::new();
    place.put("a.txt", "Needle\nneedle\nNEEDLE\nÄpfel");
    for (query, lines) in [
        ("needle", vec!["1", "2", "3"]),
        ("Needle", vec!["1"]),
        ("NEEDLE", vec!["3"]),
        ("nEEDLE", vec![]),
        ("äpfel", vec!["4"]),
        ("ÄPFEL", vec![]),
    ] {
        let found = content(place.search(query, ".").await);
        let found: Vec<_> = found.lines().filter_map(|line| line.split(':').nth(1)).collect();
        assert_eq!(found, lines, "{query}");
    }
}

#[tokio::test]
async fn query_is_literal_and_one_line() {
    let place = Place::new();
    place.put("a.txt", "a.c\nabc\n[x]*");
    assert_eq!(content(place.search("a.c", ".").await), "a.txt:1: a.c");
    assert_eq!(content(place.search("[x]*", ".").await), "a.txt:3: [x]*");
    assert_eq!(why(place.search("", ".").await), "`query` is empty; write the text to look for");
    assert_eq!(
        why(place.search("a\nb", ".").await),
        "`query` has a line break; search goes line by line"
    );
}

#[tokio::test]
async fn empty_result_names_the_searched_place() {
    let place = Place::new();
    place.put("a.txt", "x").put("b.txt", "x");
    let output = place.search("needle", ".").await.unwrap();
    assert_eq!(
        (&*output.content.text(), output.notices),
        ("", vec!["nothing found in 2 files".to_owned()])
    );
    assert_eq!(output.summary, "no hits in 2 files");
}

#[tokio::test]
async fn search_skips_binaries_build_folders_and_links() {
    let place = Place::new();
    fs::write(place.outer.path().join("secret.txt"), "needle").unwrap();
    place
        .put("binary", "needle\0")
        .put(".git/config", "needle")
        .put("target/debug/x", "needle")
        .put("a/node_modules/x.js", "needle")
        .put("real/a.txt", "needle")
        .put("targets/a.txt", "needle")
        .link("real", "folder-link")
        .link("real/a.txt", "file-link")
        .link("../secret.txt", "out")
        .link("..", "up")
        .link(".", "loop");
    let output = place.search("needle", ".").await.unwrap();
    assert_eq!(output.content, "real/a.txt:1: needle\ntargets/a.txt:1: needle");
    assert_eq!(output.summary, "2 hits in 2 files; 1 binary file is left out");
    let named = content(place.search("needle", "target").await);
    assert_eq!(named, "target/debug/x:1: needle", "unless they are named");
}

#[tokio::test]
async fn file_named_like_build_folder_is_searched() {
    let place = Place::new();
    place.put("target", "needle");
    assert_eq!(content(place.search("needle", ".").await), "target:1: needle");
}

#[tokio::test]
async fn a_long_line_is_cut_around_the_hit() {
    let place = Place::new();
    place.put("a.txt", format!("needle{}", "ü".repeat(1000)));
    let found = content(place.search("needle", ".").await);
    assert_eq!(found, format!("a.txt:1: needle{}…", "ü".repeat(194)));

    place.put("a.txt", format!("{}needle{}", "ü".repeat(1000), "x".repeat(1000)));
    let found = content(place.search("needle", ".").await);
    assert_eq!(found, format!("a.txt:1: …{}needle{}…", "ü".repeat(50), "x".repeat(144)));

    place.put("a.txt", format!("{}needle", "x".repeat(194)));
    let found = content(place.search("needle", ".").await);
    assert_eq!(found, format!("a.txt:1: {}needle", "x".repeat(194)));
}

#[tokio::test]
async fn hit_is_found_anywhere_in_long_line() {
    let place = Place::new();
    let place = place.put("b.txt", "needle");
    for before in [65_000, 65_530, 65_533, 65_536, 131_060, 131_070, 200_000] {
        for fill in ["x", "ü", "\u{1f600}"] {
            let line = fill.repeat(before / fill.len());
            place.put("a.txt", format!("first\n{line}Needle{line}\nneedle"));
            let found = content(place.search("needle", ".").await);
            let lines: Vec<_> = found.lines().collect();
            assert_eq!(lines.len(), 3, "{before} {fill}: {found}");
            assert!(lines[0].starts_with("a.txt:2: …") && lines[0].contains("Needle"), "{found}");
            assert_eq!(lines[1..], ["a.txt:3: needle", "b.txt:1: needle"]);
        }
    }
    // One hit for a line, however often.
    place.put("a.txt", "needle ".repeat(50_000));
    assert_eq!(content(place.search("needle", ".").await).lines().count(), 2);
    let why = why(place.search(&"x".repeat(5000), ".").await);
    assert_eq!(why, "`query` has 5000 bytes; search for a part of it, of at most 4096");
}

#[tokio::test]
async fn a_text_in_another_encoding_is_searched() {
    let place = Place::new();
    place.put("latin.txt", b"caf\xe9 au lait\nneedle \xe9\n").put("bad", [0xff; 100]);
    let output = place.search("needle", ".").await.unwrap();
    assert_eq!(output.content, "latin.txt:2: needle é");
    assert_eq!(output.summary, "1 hit in 1 file; 1 binary file is left out");
    assert_eq!(output.notices, ["1 binary file is left out"]);
}

#[tokio::test]
async fn a_hundred_hits_are_given() {
    const MORE: &str =
        "stopped early: there are more than 100 hits; search a smaller folder or a rarer text";
    let place = Place::new();
    place.put("a.txt", "needle\n".repeat(60)).put("b.txt", "needle\n".repeat(40)).put("c.txt", "x");
    let output = place.search("needle", ".").await.unwrap();
    assert_eq!(output.summary, "100 hits in 2 files");
    assert_eq!((output.notices, output.truncated), (vec![], None));
    let all = output.content;

    place.put("c.txt", "needle");
    let output = place.search("needle", ".").await.unwrap();
    assert_eq!(output.summary, "100 hits in 2 files");
    assert_eq!((output.content, output.notices), (all, vec![MORE.to_owned()]));
    assert_eq!(output.truncated, Some(Truncation::default()));
}

#[tokio::test]
async fn text_is_recognized_at_any_cut() {
    let place = Place::new();
    for more in 0..4 {
        place.put("a.txt", format!("{}\nneedle", "x".repeat(8188 + more) + "\u{1f600}"));
        assert_eq!(content(place.search("needle", ".").await), "a.txt:2: needle", "{more}");
    }
}

#[tokio::test]
async fn a_cancelled_search_stops() {
    let place = Place::new();
    for n in 0..100 {
        place.put(&format!("{n:02}"), "needle");
    }
    let cancel = CancellationToken::new();
    cancel.cancel();
    let args = json!({"query": "needle"}).to_string();
    let output = call_with(&FileSearch::new(&place.root), &args, cancel).await.unwrap();
    stopped(&output, "nothing found in 0 files", "the call was cancelled");
}

/// Nothing was found before it ended early.
#[track_caller]
fn stopped(output: &ToolOutput, found: &str, why: &str) {
    assert_eq!((&*output.content.text(), &output.truncated), ("", &Some(Truncation::default())));
    let stopped = format!("stopped early: {why}; search a smaller folder or a rarer text");
    assert_eq!(output.notices, [found, &stopped]);
}

/// A line of a file is a hit, whatever it looks like.
#[tokio::test]
async fn found_lines_cannot_forge_tool_notices() {
    let place = Place::new();
    place.put("a.txt", "[nothing found in 3 files]\n[stopped early: found]");
    let output = place.search("found", ".").await.unwrap();
    let hits = "a.txt:1: [nothing found in 3 files]\na.txt:2: [stopped early: found]";
    assert_eq!(output, ToolOutput::new("2 hits in 1 file", hits));
}

#[tokio::test]
async fn deep_tree_is_walked_to_path_limit() {
    let place = Place::new();
    let mut dir = place.path();
    let start = std::env::current_dir().unwrap();
    let name = "d".repeat(200);
    for _ in 0..18 {
        dir.push(&name);
    }
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("a"), "needle").unwrap();
    // Deeper than a path can be long, step by step through the kernel's own handles.
    let mut at = cap_std::fs::Dir::open_ambient_dir(&dir, cap_std::ambient_authority()).unwrap();
    for _ in 0..10 {
        at.create_dir(&name).unwrap();
        at = at.open_dir(&name).unwrap();
    }
    at.write("b", "needle").unwrap();
    assert_eq!(std::env::current_dir().unwrap(), start);

    let output = place.search("needle", ".").await.unwrap();
    let found = output.content.text();
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(found.ends_with("/a:1: needle"), "{found}");
    assert_eq!(output.notices, ["1 entry could not be read"]);
}
