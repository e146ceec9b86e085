//! The tests that the README shows the output of its commands.

use std::collections::BTreeSet;

#[test]
fn readme_shows_lexer_and_parser_dependencies() {
    let readme = std::fs::read_to_string(xtask::root().join("README.md")).unwrap();
    for (package, most) in [("silcrow-lex", 1), ("silcrow-parser", 8)] {
        let tree = tree(package);
        let shown = format!("$ cargo tree -e normal -p {package}\n{tree}");
        assert!(readme.contains(&shown), "README.md does not hold:\n{shown}");
        let names = tree.lines().map(|line| {
            let branches = |char: char| !char.is_alphanumeric();
            line.trim_start_matches(branches).trim_end_matches(" (*)")
        });
        let below = names.collect::<BTreeSet<_>>().len() - 1;
        assert!(below <= most, "{below} crates below {package}");
    }
}

/// Returns the output of `cargo tree` without the folders of crates.
fn tree(package: &str) -> String {
    let mut cargo = xtask::cargo();
    cargo.args(["tree", "--locked", "--charset", "utf8", "-e", "normal", "-p", package]);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let bare = |line: &str| line.split_once(" (/").map_or(line, |(bare, _)| bare).to_owned() + "\n";
    printed.lines().map(bare).collect()
}

#[test]
fn the_rust_of_every_page_is_compiled() {
    let root = xtask::root();
    let pages = std::fs::read_to_string(root.join("crates/silcrow/src/pages.rs")).unwrap();
    let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for page in docs.chain(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name))) {
        let is_page = page.extension().is_some_and(|extension| extension == "md");
        if is_page && std::fs::read_to_string(&page).unwrap().contains("```rust") {
            let name = page.strip_prefix(&root).unwrap().to_str().unwrap();
            let included = format!("include_str!(\"../../../{name}\")");
            assert!(pages.contains(&included), "crates/silcrow/src/pages.rs lacks {included}");
            found.push(name.to_owned());
        }
    }
    found.sort();
    assert_eq!(found, ["README.md", "docs/durable-workflows.md", "docs/guide.md"]);
}
