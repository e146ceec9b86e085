//! Arguments that do not fit their schema, in words for the model.
//!
//! This module has the wording, and validators have the schemas.

use serde_json::Value;

use crate::tool_output::ToolError;

/// A list of errors in the arguments of a call, in words for the model. Each error names the field,
/// what was expected, and what was given. All validators use this type, so that a model reads the
/// same words from each.
///
/// ```
/// use silcrow_tool::ArgumentErrors;
///
/// let mut errors = ArgumentErrors::new();
/// errors.must_be_of("from.line", &["integer", "null"], &"ten".into());
/// errors.missing("file", &["string"]);
/// assert_eq!(
///     errors.into_result().unwrap_err().to_string(),
///     "the arguments do not fit: `from.line` must be an integer or null, but is the string \
///      `\"ten\"`; `file` is missing, expected a string",
/// );
/// ```
///
/// A field is named by its path from the arguments, such as `from.lines[2]`; the arguments
/// themselves have the empty name. The first ten errors are listed, the others counted.
#[derive(Clone, Debug, Default)]
pub struct ArgumentErrors {
    listed: Vec<String>,
    more: usize,
}

/// The number of errors that are listed.
const MAX_LISTED: usize = 10;

/// The number of characters that are shown of a value.
const MAX_SHOWN: usize = 60;

impl ArgumentErrors {
    /// Creates a list without errors.
    pub const fn new() -> Self {
        Self { listed: Vec::new(), more: 0 }
    }

    /// Adds a value that violates a requirement; `expected` follows "must be".
    pub fn must_be(&mut self, field: &str, expected: &str, got: &Value) {
        let got = described(got);
        self.push(match field {
            "" => format!("they must be {expected}, but are {got}"),
            _ => format!("`{field}` must be {expected}, but is {got}"),
        });
    }

    /// Adds a value that has none of these types, which are named as in JSON schema.
    pub fn must_be_of(&mut self, field: &str, types: &[&str], got: &Value) {
        self.must_be(field, &one_of(types), got);
    }

    /// Adds a value that is missing and must have one of these types, or any if there are none.
    pub fn missing(&mut self, field: &str, types: &[&str]) {
        self.push(format!("`{field}` is missing, expected {}", one_of(types)));
    }

    /// Adds an unknown field, if only these are known.
    pub fn unknown<'n>(&mut self, field: &str, known: impl IntoIterator<Item = &'n str>) {
        let mut known: Vec<_> = known.into_iter().map(|name| format!("`{name}`")).collect();
        // The JSON reader of a build may keep members in any order.
        known.sort_unstable();
        let expected = match &known[..] {
            [] => "no arguments".to_owned(),
            known => format!("only {}", known.join(", ")),
        };
        self.push(format!("`{field}` is unknown, expected {expected}"));
    }

    /// Adds a value that must not be there.
    pub fn forbidden(&mut self, field: &str) {
        self.push(match field {
            "" => "they must not be given".to_owned(),
            _ => format!("`{field}` must not be given"),
        });
    }

    /// Returns whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Returns the result of a validator.
    ///
    /// # Errors
    ///
    /// Returns a failure that lists the errors, if there are any.
    pub fn into_result(mut self) -> Result<(), ToolError> {
        if self.listed.is_empty() {
            return Ok(());
        }
        if self.more > 0 {
            self.listed.push(format!("and {} more", self.more));
        }
        Err(ToolError::new(format!("the arguments do not fit: {}", self.listed.join("; "))))
    }

    fn push(&mut self, error: String) {
        if self.listed.len() < MAX_LISTED {
            self.listed.push(error);
        } else {
            self.more += 1;
        }
    }
}

fn one_of(types: &[&str]) -> String {
    let types: Vec<_> = types.iter().map(|name| with_article(name)).collect();
    if types.is_empty() { "a value".to_owned() } else { types.join(" or ") }
}

fn with_article(name: &str) -> String {
    match name {
        "null" => name.to_owned(),
        "integer" | "array" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// Returns the type and the text of a value, such as ``the string `"ten"` ``.
fn described(value: &Value) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    let mut text = value.to_string();
    if let Some((cut, _)) = text.char_indices().nth(MAX_SHOWN) {
        text.truncate(cut);
        text.push('…');
    }
    format!("the {} `{text}`", type_name(value))
}

/// Returns the type of a value, as JSON schema names it.
pub(crate) const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
