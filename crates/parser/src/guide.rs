//! The guides: prompts that teach a dialect.

use crate::Dialect;

/// Returns a prompt that teaches a model a dialect: the shape of a turn, its delimiters, when to
/// stop and wait, the escape rule (P-3), the fence rule (P-34), and examples.
///
/// In it, a paragraph that begins with the line `You write:` is an example of wire text, and one
/// that begins with `You receive:` is a message with results.
pub fn guide(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sigil => include_str!("guide/sigil.md"),
        Dialect::Phase => include_str!("guide/phase.md"),
        Dialect::Action => include_str!("guide/action.md"),
    }
}

/// Returns a prompt of a few lines that names the delimiters of a dialect and says when to stop and
/// wait. It suits a model with little room, or one that sees examples of the dialect anyway.
pub fn brief_guide(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sigil => include_str!("guide/sigil_brief.md"),
        Dialect::Phase => include_str!("guide/phase_brief.md"),
        Dialect::Action => include_str!("guide/action_brief.md"),
    }
}
