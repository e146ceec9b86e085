//! The tables of delimiters in the documentation of the crate, which are the lexer's.

use silcrow_parser::Dialect;

#[test]
fn the_tables_of_delimiters_are_complete() {
    let page = include_str!("../../src/lib.rs");
    let firsts = page.lines().filter_map(|line| {
        let (first, _) = line.strip_prefix("//! | `")?.split_once("` | ")?;
        Some(first)
    });
    // The header of a table names its dialect.
    let mut told: Vec<(_, Vec<&str>)> = Vec::new();
    for first in firsts {
        match (first.parse::<Dialect>().ok(), told.last_mut()) {
            (Some(dialect), _) => told.push((dialect, Vec::new())),
            (None, Some((_, literals))) => literals.push(first),
            (None, None) => {}
        }
    }
    let known = Dialect::ALL.map(|dialect| {
        let literals = dialect.delimiters().map(|(_, literal)| literal);
        (dialect, literals.collect())
    });
    assert_eq!(told, known);
}
