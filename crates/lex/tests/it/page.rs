//! The tables of delimiters in the crate's documentation.

use silcrow_lex::Dialect;

#[test]
fn page_tables_match_lexer() {
    let page = include_str!("../../src/lib.rs");
    let rows = page.lines().filter_map(|line| {
        let (literal, rest) = line.strip_prefix("//! | `")?.split_once("` | ")?;
        Some((literal, rest.split(" | ").next()?.trim_matches(['`', '[', ']'])))
    });
    // The header of a table names its dialect.
    let mut documented: Vec<(_, Vec<_>)> = Vec::new();
    for (literal, delimiter) in rows {
        match (literal.parse::<Dialect>().ok(), documented.last_mut()) {
            (Some(dialect), _) => documented.push((dialect, Vec::new())),
            (None, Some((_, rows))) => rows.push((literal, delimiter.to_owned())),
            (None, None) => {}
        }
    }
    let known = Dialect::ALL.map(|dialect| {
        let delimiters = dialect.delimiters();
        let rows = delimiters.map(|(delimiter, literal)| (literal, format!("{delimiter:?}")));
        (dialect, rows.collect())
    });
    assert_eq!(documented, known);
}
