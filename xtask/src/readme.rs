//! What the README says is what the commands in it print.

use std::collections::BTreeSet;

#[test]
fn the_readme_shows_what_lexer_and_parser_rest_on() {
    let readme = std::fs::read_to_string(crate::root().join("README.md")).unwrap();
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

/// What `cargo tree` prints, without the folders that crates lie in.
fn tree(package: &str) -> String {
    let mut cargo = crate::cargo();
    cargo.args(["tree", "--locked", "--charset", "utf8", "-e", "normal", "-p", package]);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let bare = |line: &str| line.split_once(" (/").map_or(line, |(bare, _)| bare).to_owned() + "\n";
    printed.lines().map(bare).collect()
}
