//! What the crate's page says of the delimiters is what the lexer knows.

use silcrow_lex::Dialect;

#[test]
fn the_tables_of_markers_are_those_of_the_lexer() {
    let page = include_str!("../../src/lib.rs");
    let rows = page.lines().filter_map(|line| {
        let (literal, rest) = line.strip_prefix("//! | `")?.split_once("` | ")?;
        Some((literal, rest.split(" | ").next()?.trim_matches(['`', '[', ']'])))
    });
    // The head of a table names its dialect.
    let mut told: Vec<(_, Vec<_>)> = Vec::new();
    for (literal, marker) in rows {
        match (Dialect::parse(literal), told.last_mut()) {
            (Some(dialect), _) => told.push((dialect, Vec::new())),
            (None, Some((_, rows))) => rows.push((literal, marker.to_owned())),
            (None, None) => {}
        }
    }
    let known = Dialect::ALL.map(|dialect| {
        let markers = dialect.delimiters();
        let rows = markers.map(|(marker, literal)| (literal, format!("{marker:?}")));
        (dialect, rows.collect())
    });
    assert_eq!(told, known);
}
