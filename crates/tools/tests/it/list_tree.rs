//! Trees of several levels, and the parts that a list leaves out.

use std::fs;

use serde_json::{Value, json};
use silcrow_tool::{
    BasicValidator, CancellationToken, Tool as _, ToolError, ToolOutput, Validator as _,
};
use silcrow_tools::{FileList, Root};

use crate::described::examples;
use crate::{Place, call, call_with, content, why};

async fn list(place: &Place, args: Value) -> Result<ToolOutput, ToolError> {
    call(&FileList::new(&place.root), &args.to_string()).await
}

#[tokio::test]
async fn depth_shows_folder_contents() {
    let place = Place::new();
    place.put("a.txt", "12").put("src/main.rs", "1").put("src/deep/b.rs", "").put("z/c", "123");
    fs::create_dir(place.path().join("empty")).unwrap();
    for (depth, expected) in [
        (1, "a.txt  2 bytes\nempty/\nsrc/\nz/"),
        (2, "a.txt  2 bytes\nempty/\nsrc/\n  deep/\n  main.rs  1 bytes\nz/\n  c  3 bytes"),
        (
            9,
            "a.txt  2 bytes\nempty/\nsrc/\n  deep/\n    b.rs  0 bytes\n  main.rs  1 bytes\nz/\n  c  3 \
             bytes",
        ),
    ] {
        assert_eq!(content(list(&place, json!({"depth": depth})).await), expected, "{depth}");
    }
    let output = list(&place, json!({"path": "src", "depth": 2})).await.unwrap();
    assert_eq!(output.content, "deep/\n  b.rs  0 bytes\nmain.rs  1 bytes");
    assert_eq!(output.summary, "3 entries");
}

#[tokio::test]
async fn git_ignored_entries_are_omitted_and_named() {
    let place = Place::new();
    place
        .put(".gitignore", "*.log\n/built/\n")
        .put("a.log", "")
        .put("b.txt", "")
        .put("built/x", "")
        .put("sub/c.log", "")
        .put("sub/.gitignore", "!c.log\nd.txt\n")
        .put("sub/d.txt", "");
    let output = list(&place, json!({"depth": 3})).await.unwrap();
    assert_eq!(
        output.content,
        ".gitignore  14 bytes\nb.txt  0 bytes\nsub/\n  .gitignore  13 bytes\n  c.log  0 bytes"
    );
    assert_eq!(
        output.notices,
        ["left out, as git does: 3 entries (`a.log`, `built/`, `sub/d.txt`); `ignored` shows them"]
    );
    let all = content(list(&place, json!({"depth": 3, "ignored": true})).await);
    assert!(all.contains("a.log") && all.contains("built/\n  x") && all.contains("d.txt"), "{all}");
}

#[tokio::test]
async fn many_ignored_entries_are_named_in_part() {
    let place = Place::new();
    place.put(".gitignore", "*.log\n");
    for n in 0..30 {
        place.put(&format!("{n:02}.log"), "");
    }
    let output = list(&place, json!({})).await.unwrap();
    let notice = &output.notices[0];
    assert!(
        notice.contains("30 entries (`00.log`, ") && notice.contains("`09.log`, …)"),
        "{notice}"
    );
}

#[tokio::test]
async fn generated_and_git_folders_are_not_entered() {
    let place = Place::new();
    place.put("target/debug/x", "").put("node_modules/a/b.js", "").put(".git/config", "");
    let output = list(&place, json!({"depth": 5})).await.unwrap();
    assert_eq!(output.content, ".git/");
    let notice =
        "left out, as git does: 2 entries (`node_modules/`, `target/`); `ignored` shows them";
    assert_eq!(output.notices, [notice]);
    assert_eq!(content(list(&place, json!({"path": "target"})).await), "debug/");
    assert_eq!(content(list(&place, json!({"path": ".git"})).await), "config  0 bytes");
}

#[tokio::test]
async fn secrets_are_named_and_their_folders_not_entered() {
    let place = Place::new();
    place.put(".env", "KEY=1").put(".ssh/id_rsa", "x").put(".aws/credentials", "x");
    let output = list(&place, json!({"depth": 4})).await.unwrap();
    assert_eq!(output.content, ".aws/\n.env  5 bytes\n.ssh/");
}

#[tokio::test]
async fn private_folders_are_named_and_not_entered() {
    let mut place = Place::new();
    place.put("store/db", "x").put("a/b", "");
    place.root = Root::open(place.path())
        .unwrap()
        .with_private(place.path().join("store"), "the store of conversations");
    assert_eq!(content(list(&place, json!({"depth": 4})).await), "a/\n  b  0 bytes\nstore/");
}

#[tokio::test]
async fn links_are_named_and_not_followed() {
    let place = Place::new();
    place.put("real/a.txt", "").link("real", "link").link("..", "up").link(".", "loop");
    let expected = "link  (a link)\nloop  (a link)\nreal/\n  a.txt  0 bytes\nup  (a link)";
    assert_eq!(content(list(&place, json!({"depth": 9})).await), expected);
    assert_eq!(content(list(&place, json!({"path": "link"})).await), "a.txt  0 bytes");
    assert!(why(list(&place, json!({"path": "up"})).await).contains("leads out of the folder"));
}

#[tokio::test]
async fn upper_levels_come_first() {
    let place = Place::new();
    for n in 0..20 {
        for file in 0..100 {
            place.put(&format!("{n:02}/{file:03}"), "");
        }
    }
    let output = list(&place, json!({"depth": 2})).await.unwrap();
    let text = output.content.text();
    assert_eq!(text.lines().filter(|line| line.ends_with('/')).count(), 20, "all folders");
    assert_eq!(text.lines().count(), 1000);
    assert_eq!(output.truncated.unwrap().omitted_lines, Some(1020));
    assert_eq!(output.summary, "2020 entries");
}

#[tokio::test]
async fn a_deep_tree_ends_at_its_depth() {
    let place = Place::new();
    let deep = "d/".repeat(60);
    place.put(&format!("{deep}a.txt"), "");
    let output = list(&place, json!({"depth": 1000})).await.unwrap();
    assert_eq!(output.content.text().lines().count(), 20);
}

#[tokio::test]
async fn a_cancelled_list_ends() {
    let place = Place::new();
    place.put("a.txt", "");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let listed = call_with(&FileList::new(&place.root), r#"{"depth":3}"#, cancel).await;
    assert_eq!(why(listed), "the call was cancelled");
}

#[tokio::test]
async fn the_examples_of_the_description_fit_the_schema() {
    let place = Place::new();
    place.put("src/a/b.rs", "");
    let tool = FileList::new(&place.root);
    for example in examples(&tool) {
        BasicValidator.check(tool.schema(), &example).unwrap();
        call(&tool, &example).await.unwrap();
    }
}
