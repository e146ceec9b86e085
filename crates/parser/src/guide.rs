use crate::Dialect;

/// How to write a dialect, in words for a model: the shape of a turn, its delimiters, when to stop
/// and wait, the escape rule (P-3), the fence rule (P-34) and examples.
///
/// Each wire text in it is a paragraph that begins with the line `You write:`, each message of
/// results one that begins with `You receive:`.
pub fn guide(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sigil => include_str!("guide/sigil.md"),
        Dialect::Phase => include_str!("guide/phase.md"),
        Dialect::Action => include_str!("guide/action.md"),
    }
}
