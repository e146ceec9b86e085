//! Patterns, globs, context, and the files that a search leaves out.

use std::fs;

use serde_json::{Value, json};
use silcrow_tool::{BasicValidator, Tool as _, ToolError, ToolOutput, Validator as _};
use silcrow_tools::{FileSearch, Root};

use crate::described::examples;
use crate::{Place, call, content, why};

async fn search(place: &Place, args: Value) -> Result<ToolOutput, ToolError> {
    call(&FileSearch::new(&place.root), &args.to_string()).await
}

#[tokio::test]
async fn a_pattern_is_a_regular_expression() {
    let place = Place::new();
    place.put("a.rs", "fn one() {}\nfn two(x: u8) {}\nstruct Three;\n");
    for (query, expected) in [
        (r"fn \w+\(\)", "a.rs:1: fn one() {}"),
        ("^struct|two", "a.rs:2: fn two(x: u8) {}\na.rs:3: struct Three;"),
        (r"\bthree\b", "a.rs:3: struct Three;"),
        (r"u\d", "a.rs:2: fn two(x: u8) {}"),
    ] {
        let found = search(&place, json!({"query": query, "regex": true})).await;
        assert_eq!(content(found), expected, "{query}");
    }
    let wrong = why(search(&place, json!({"query": "fn (", "regex": true})).await);
    assert!(wrong.starts_with("`query` is not a regular expression: "), "{wrong}");
    assert!(wrong.ends_with("leave out `regex` to find the text as it is written"), "{wrong}");
    assert_eq!(content(search(&place, json!({"query": "one() {"})).await), "a.rs:1: fn one() {}");
}

#[tokio::test]
async fn line_end_is_found_before_crlf() {
    let place = Place::new();
    place.put("a.txt", "needle\r\nneedles\r\nneedle");
    let found = search(&place, json!({"query": "needle$", "regex": true})).await;
    assert_eq!(content(found), "a.txt:1: needle\na.txt:3: needle");
}

#[tokio::test]
async fn the_case_of_letters_is_chosen() {
    let place = Place::new();
    place.put("a.txt", "Needle\nneedle\n");
    for (query, case, hits) in [
        ("needle", "smart", 2),
        ("Needle", "smart", 1),
        ("needle", "exact", 1),
        ("NEEDLE", "any", 2),
        ("NEEDLE", "exact", 0),
    ] {
        let output = search(&place, json!({"query": query, "case": case})).await.unwrap();
        let text = output.content.text();
        assert_eq!(text.lines().count(), hits, "{query} {case}: {text}");
    }
}

#[tokio::test]
async fn globs_choose_the_files() {
    let place = Place::new();
    for file in ["a.rs", "src/b.rs", "src/c.md", "src/deep/d.rs", "tests/e.rs"] {
        place.put(file, "needle");
    }
    for (files, expected) in [
        (json!(["*.rs"]), vec!["a.rs", "src/b.rs", "src/deep/d.rs", "tests/e.rs"]),
        (json!(["*.md"]), vec!["src/c.md"]),
        (json!(["src/**"]), vec!["src/b.rs", "src/c.md", "src/deep/d.rs"]),
        (json!(["src/*.rs"]), vec!["src/b.rs"]),
        (json!(["/*.rs"]), vec!["a.rs"]),
        (json!(["!*.rs"]), vec!["src/c.md"]),
        (json!(["*.rs", "!tests"]), vec!["a.rs", "src/b.rs", "src/deep/d.rs"]),
        (json!(["*.{md,txt}"]), vec!["src/c.md"]),
        (json!([]), vec!["a.rs", "src/b.rs", "src/c.md", "src/deep/d.rs", "tests/e.rs"]),
    ] {
        let found = content(search(&place, json!({"query": "needle", "files": files})).await);
        let found: Vec<_> =
            found.lines().filter_map(|line| Some(line.split_once(':')?.0)).collect();
        assert_eq!(found, expected, "{files}");
    }
    let wrong = why(search(&place, json!({"query": "x", "files": ["a[.rs"]})).await);
    assert!(
        wrong.starts_with("`a[.rs` is not a glob (") && wrong.ends_with("such as `*.rs`"),
        "{wrong}"
    );
}

#[tokio::test]
async fn lines_around_a_hit_are_shown_once() {
    let place = Place::new();
    let lines: Vec<_> = (1..=20).map(|n| format!("line {n}")).collect();
    let text = lines.join("\n").replace("line 5", "needle").replace("line 7", "needle");
    place.put("a.txt", text.replace("line 15", "needle")).put("b.txt", "needle\n");
    let found = search(&place, json!({"query": "needle", "context": 1})).await.unwrap();
    assert_eq!(
        found.content,
        "a.txt-4- line 4\na.txt:5: needle\na.txt-6- line 6\na.txt:7: needle\na.txt-8- line 8\n--\n\
         a.txt-14- line 14\na.txt:15: needle\na.txt-16- line 16\n--\nb.txt:1: needle"
    );
    assert_eq!(found.summary, "4 hits in 2 files");
}

#[tokio::test]
async fn the_number_of_hits_is_chosen() {
    let place = Place::new();
    place.put("a.txt", "needle\n".repeat(1500));
    for (limit, hits) in [(1, 1), (7, 7), (500, 500), (5000, 1000)] {
        let output = search(&place, json!({"query": "needle", "limit": limit})).await.unwrap();
        assert_eq!(output.content.text().lines().count(), hits);
        let last = output.notices.last().unwrap();
        let noun = if hits == 1 { "1 hits" } else { &format!("{hits} hits") };
        assert!(last.starts_with(&format!("stopped early: there are more than {noun}")), "{last}");
    }
}

#[tokio::test]
async fn search_omits_and_reports_git_ignored_files() {
    let place = Place::new();
    place
        .put(".gitignore", "*.log\n/built/\n!keep.log\n# a comment\n\n")
        .put("sub/.gitignore", "local\n!a.log\n")
        .put(".git/info/exclude", "private.txt\n");
    let seen = ["a.txt", "keep.log", "sub/a.log", "sub/built/x", ".hidden"];
    let left = ["a.log", "built/x", "sub/b.log", "sub/local/x", "private.txt"];
    for file in seen.into_iter().chain(left) {
        place.put(file, "needle");
    }
    let output = search(&place, json!({"query": "needle"})).await.unwrap();
    let found = output.content.text();
    let mut found: Vec<_> =
        found.lines().filter_map(|line| Some(line.split_once(':')?.0)).collect();
    found.sort_unstable();
    let mut expected = seen.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let notice = "5 entries that git ignores are left out; `ignored` searches them";
    assert_eq!(output.notices, [notice]);
    let all = search(&place, json!({"query": "needle", "ignored": true})).await.unwrap();
    assert_eq!(all.content.text().lines().count(), seen.len() + left.len());
}

#[tokio::test]
async fn the_rules_of_folders_above_hold() {
    let mut place = Place::new();
    place
        .put(".git/HEAD", "ref")
        .put(".gitignore", "/sub/deep/a.txt\n*.tmp\n")
        .put("sub/deep/a.txt", "needle")
        .put("sub/deep/b.txt", "needle")
        .put("sub/c.tmp", "needle");
    // Below the searched folder, and above the root, up to the repository.
    let found = search(&place, json!({"query": "needle", "path": "sub"})).await;
    assert_eq!(content(found), "sub/deep/b.txt:1: needle");
    place.root = Root::open(place.path().join("sub/deep")).unwrap();
    let found = search(&place, json!({"query": "needle"})).await;
    assert_eq!(content(found), "b.txt:1: needle");
}

#[tokio::test]
async fn named_files_are_searched_despite_gitignore() {
    let place = Place::new();
    place.put(".gitignore", "built\n").put("built/x.txt", "needle").put("target/y.txt", "needle");
    for path in ["built", "built/x.txt", "target"] {
        let output = search(&place, json!({"query": "needle", "path": path})).await.unwrap();
        assert_eq!(output.content.text().lines().count(), 1, "{path}");
    }
}

#[tokio::test]
async fn secrets_are_not_searched() {
    let place = Place::new();
    for file in [".env", "tls/server.key", ".ssh/config", "id_rsa"] {
        place.put(file, "needle");
    }
    place.put(".env.example", "needle").link(".env", "link");
    for args in [json!({"query": "needle"}), json!({"query": "needle", "ignored": true})] {
        let output = search(&place, args).await.unwrap();
        assert_eq!(output.content, ".env.example:1: needle");
        assert_eq!(output.notices, ["4 entries that usually hold secrets are left out"]);
    }
    for path in [".env", "link", "tls/server.key"] {
        let refused = why(search(&place, json!({"query": "needle", "path": path})).await);
        let expected = "usually holds secrets and is not searched; file_read asks a person before \
                        it reads it";
        assert_eq!(refused, format!("`{path}` {expected}"));
    }
    let inside = search(&place, json!({"query": "needle", "path": ".ssh"})).await.unwrap();
    assert_eq!(
        inside.summary,
        "no hits in 0 files; 1 entry that usually holds secrets is left out"
    );
}

#[tokio::test]
async fn other_encodings_are_searched() {
    let place = Place::new();
    let wide: Vec<u8> = "\u{feff}süß\nneedle".encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.put("wide.txt", wide).put("latin.txt", b"s\xfc\xdf und so weiter\n");
    place.put("marked.txt", b"\xef\xbb\xbfs\xc3\xbc\xc3\x9f");
    let found = content(search(&place, json!({"query": "süß"})).await);
    assert_eq!(found, "latin.txt:1: süß und so weiter\nmarked.txt:1: süß\nwide.txt:1: süß");
}

#[tokio::test]
async fn long_files_are_searched_line_by_line() {
    let place = Place::new();
    let mut text = "some words in a line of a log\n".repeat(200_000);
    text.push_str("the needle\nlast\n");
    place.put("log.txt", &text);
    let output = search(&place, json!({"query": "needle", "context": 1})).await.unwrap();
    assert_eq!(
        output.content,
        "log.txt-200000- some words in a line of a log\nlog.txt:200001: the needle\n\
         log.txt-200002- last"
    );
}

#[tokio::test]
async fn file_with_later_binary_is_left_out() {
    let place = Place::new();
    let mut bytes = "needle\n".repeat(3000).into_bytes();
    bytes.extend([0; 100]);
    place.put("a.txt", bytes);
    let output = search(&place, json!({"query": "needle", "limit": 5})).await.unwrap();
    assert_eq!(output.summary, "no hits in 1 file; 1 binary file is left out");
}

#[tokio::test]
async fn the_folder_of_a_repository_is_not_searched() {
    let place = Place::new();
    place.put(".git/config", "needle").put("sub/.git", "needle").put("a.txt", "needle");
    let output = search(&place, json!({"query": "needle"})).await.unwrap();
    assert_eq!(output.content, "a.txt:1: needle\nsub/.git:1: needle");
    let inside = search(&place, json!({"query": "needle", "path": ".git"})).await;
    assert_eq!(content(inside), ".git/config:1: needle");
}

#[tokio::test]
async fn overly_expensive_patterns_are_refused() {
    let place = Place::new();
    place.put("a.txt", "x".repeat(100_000));
    let huge = why(search(&place, json!({"query": "(x{1000}){1000}", "regex": true})).await);
    assert!(huge.contains("not a regular expression"), "{huge}");
    // Backtracking would not end.
    let found = search(&place, json!({"query": "(x+x+)+y", "regex": true})).await.unwrap();
    assert_eq!(found.summary, "no hits in 1 file");
}

#[tokio::test]
async fn the_examples_of_the_description_fit_the_schema() {
    let place = Place::new();
    place.put("src/a.rs", "fn main() {} // TODO");
    let tool = FileSearch::new(&place.root);
    for example in examples(&tool) {
        BasicValidator.check(tool.schema(), &example).unwrap();
        assert_eq!(content(call(&tool, &example).await), "src/a.rs:1: fn main() {} // TODO");
    }
    fs::remove_file(place.path().join("src/a.rs")).unwrap();
}
