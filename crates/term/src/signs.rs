//! The characters that show structure.

/// The signs of structure, each with the spaces around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signs {
    pub(crate) bullet: &'static str,
    /// What is beside a quote.
    pub(crate) bar: &'static str,
    /// What is between two columns of a table.
    pub(crate) column: &'static str,
    /// What is between two columns in a rule of a table.
    pub(crate) cross: &'static str,
    /// What a rule is made of.
    pub(crate) rule: &'static str,
    /// What a row begins with that continues a line of code.
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
