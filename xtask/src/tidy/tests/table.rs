use crate::tidy::Finding;
use crate::tidy::table::{CrateGroup, CrateTable};

#[test]
fn rows_are_read_with_their_group_and_line() {
    let text = "\
# Architecture

### Pure crates

| crate | one line | may depend on | external |
|---|---|---|---|
| `silcrow-event` | the words | – | – |
| `silcrow-parser` | text to fragments | lex, event | memchr, `smallvec` |

| another | table |
|---|---|
| `silcrow-none` | not ours |

### Edge crates

| crate | one line | may depend on | external |
|---|---|---|---|
| `silcrow-server` planned | the page | event | a web framework |
";
    let table = parse(text);
    let names: Vec<_> = table.rows.iter().map(|row| (&*row.name, row.group, row.line)).collect();
    assert_eq!(
        names,
        [
            ("silcrow-event", CrateGroup::Pure, 7),
            ("silcrow-parser", CrateGroup::Pure, 8),
            ("silcrow-server", CrateGroup::Edge, 18)
        ]
    );
    assert!(table.rows[0].uses.is_empty() && table.rows[0].external.is_empty());
    assert_eq!(table.rows[1].uses, ["silcrow-lex", "silcrow-event"]);
    assert_eq!(table.rows[1].external, ["memchr", "smallvec"]);
    assert!(table.rows[2].is_planned && !table.rows[1].is_planned);
}

#[test]
fn what_is_no_row_is_named_with_its_line() {
    for (row, what) in [
        ("| silcrow-x | words | – | – |", "5: a row begins with the crate's name in backticks"),
        ("| `silcrow-x` | words | – |", "5: a row has 4 cells, this one 3"),
        ("| `silcrow-x` |  | – | – |", "5: say in one line what `silcrow-x` is"),
        ("| `silcrow-x` someday | w | – | – |", "5: `someday` after a name means nothing"),
        ("| `silcrow-y` | words | – | – |", "5: `silcrow-y` has a row already"),
    ] {
        let text = format!("### Pure crates\n{HEAD}\n| `silcrow-y` | words | – | – |\n{row}\n");
        let (_, findings) = parse_all(&text);
        assert_eq!(findings.len(), 1, "{row}: {findings:?}");
        let said = findings[0].to_string();
        assert!(said.starts_with(&format!("docs/architecture.md:{what}")), "{said}");
    }
}

#[test]
fn a_table_outside_the_groups_and_no_table_at_all_are_found() {
    let (_, findings) = parse_all(&format!("### Crates\n{HEAD}\n| `silcrow-y` | w | – | – |\n"));
    assert!(findings[0].what.contains("stands under one of: Pure crates"), "{findings:?}");
    let (_, findings) = parse_all("nothing");
    assert!(findings[0].what.contains("no crate table"), "{findings:?}");
}

#[test]
fn levels_follow_the_longest_way_down() {
    let table = parse(&format!(
        "### Pure crates\n{HEAD}\n\
         | `silcrow-a` | w | – | – |\n\
         | `silcrow-b` | w | a | – |\n\
         | `silcrow-c` | w | a, b | – |\n\
         | `silcrow-d` | w | e | – |\n\
         | `silcrow-e` | w | d | – |\n"
    ));
    let level = |name: &str| table.level(&format!("silcrow-{name}"));
    assert_eq!([level("a"), level("b"), level("c")], [Some(0), Some(1), Some(2)]);
    assert_eq!([level("d"), level("e")], [None, None]);
}

/// Parses a table in which nothing is wrong.
pub(super) fn parse(text: &str) -> CrateTable {
    let (table, findings) = parse_all(text);
    assert!(findings.is_empty(), "{findings:?}");
    table
}

fn parse_all(text: &str) -> (CrateTable, Vec<Finding>) {
    let mut findings = Vec::new();
    let table = CrateTable::parse(text, &mut findings);
    (table, findings)
}

pub(super) const HEAD: &str = "| crate | one line | may depend on | external |\n|---|---|---|---|";
