//! The characters that show structure.

/// The signs of structure, each with the spaces around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signs {
    pub(crate) bullet: &'static str,
    /// The sign beside a quote.
    pub(crate) bar: &'static str,
    /// The text between two columns of a table.
    pub(crate) column: &'static str,
    /// The text between two columns in a rule of a table.
    pub(crate) cross: &'static str,
    /// The character of a rule.
    pub(crate) rule: &'static str,
    /// The beginning of a row that continues a line of code.
    pub(crate) continued: &'static str,
}

impl Signs {
    pub(crate) const UNICODE: Self =
        Self {
            bullet: "• ", bar: "│ ", column: " │ ", cross: "─┼─", rule: "─", continued: "↪ "
        };

    pub(crate) const ASCII: Self =
        Self { bullet: "- ", bar: "> ", column: " | ", cross: "-+-", rule: "-", continued: "> " };
}
