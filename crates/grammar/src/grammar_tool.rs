//! A tool that a grammar lets a model call.

use std::collections::BTreeMap;

/// A tool that a grammar lets a model call, with the schema of its arguments if that is to be held.
///
/// ```
/// use silcrow_grammar::GrammarTool;
///
/// let schema = r#"{"type": "object", "properties": {"path": {"type": "string"}}}"#;
/// let tool = GrammarTool::new("file_read").with_schema(schema);
/// assert_eq!(tool.name, "file_read");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GrammarTool<'a> {
    /// The name that a call has.
    pub name: &'a str,
    /// The JSON schema of the arguments. Without one they are any JSON object.
    pub schema: Option<&'a str>,
}

impl<'a> GrammarTool<'a> {
    /// Creates a tool with any arguments.
    pub const fn new(name: &'a str) -> Self {
        Self { name, schema: None }
    }

    /// Sets the JSON schema of the arguments. Constraints that a grammar cannot express are
    /// dropped.
    #[must_use]
    pub const fn with_schema(self, schema: &'a str) -> Self {
        Self { schema: Some(schema), ..self }
    }
}

/// Returns the schemas of tools by their names. The name of a call is not empty, and of two tools with
/// one name the first counts.
pub(crate) fn by_name<'a>(tools: &[GrammarTool<'a>]) -> BTreeMap<&'a str, Option<&'a str>> {
    let mut found = BTreeMap::new();
    for tool in tools.iter().filter(|tool| !tool.name.is_empty()) {
        found.entry(tool.name).or_insert(tool.schema);
    }
    found
}
