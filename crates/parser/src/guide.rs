use crate::Dialect;

/// How to write a dialect, in words for a model: its markers, the escape rule and two examples.
pub fn guide(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sigil => "",
        Dialect::Phase => "",
        Dialect::Action => "",
    }
}
