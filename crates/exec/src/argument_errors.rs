use serde_json::Value;

use crate::tool::ToolError;

/// What does not fit in the arguments of a call, in the words that a model knows from every
/// validator: field, expected, got.
///
/// ```
/// use silcrow_exec::ArgumentErrors;
///
/// let mut mistakes = ArgumentErrors::new();
/// mistakes.must_be_of("from.line", &["integer", "null"], &"ten".into());
/// mistakes.missing("file", &["string"]);
/// assert_eq!(
///     mistakes.into_result().unwrap_err().to_string(),
///     "the arguments do not fit: `from.line` must be an integer or null, but is the string \
///      `\"ten\"`; `file` is missing, expected a string",
/// );
/// ```
///
/// A field is named by its way from the arguments, such as `from.lines[2]`; they themselves have
/// the empty name. The first ten mistakes are told, the others counted.
#[derive(Clone, Debug, Default)]
pub struct ArgumentErrors {
    told: Vec<String>,
    more: usize,
}

/// Mistakes told at once.
const MAX_TOLD: usize = 10;

/// Characters shown of a value that does not fit.
const MAX_SHOWN: usize = 60;

impl ArgumentErrors {
    /// None so far.
    pub const fn new() -> Self {
        Self { told: Vec::new(), more: 0 }
    }

    /// A value that is not what it must be; `expected` goes on after "must be".
    pub fn must_be(&mut self, field: &str, expected: &str, got: &Value) {
        let got = described(got);
        self.push(match field {
            "" => format!("they must be {expected}, but are {got}"),
            _ => format!("`{field}` must be {expected}, but is {got}"),
        });
    }

    /// A value of none of these types, as JSON schema names them.
    pub fn must_be_of(&mut self, field: &str, types: &[&str], got: &Value) {
        self.must_be(field, &one_of(types), got);
    }

    /// A value that is not there, of one of these types, or of any if there are none.
    pub fn missing(&mut self, field: &str, types: &[&str]) {
        self.push(format!("`{field}` is missing, expected {}", one_of(types)));
    }

    /// A value that has no place, where only these have one.
    pub fn unknown<'n>(&mut self, field: &str, known: impl IntoIterator<Item = &'n str>) {
        let mut known: Vec<_> = known.into_iter().map(|name| format!("`{name}`")).collect();
        // Whatever order the JSON reader of this build keeps.
        known.sort_unstable();
        let expected = match &known[..] {
            [] => "no arguments".to_owned(),
            known => format!("only {}", known.join(", ")),
        };
        self.push(format!("`{field}` is unknown, expected {expected}"));
    }

    /// A value that must not be there.
    pub fn forbidden(&mut self, field: &str) {
        self.push(match field {
            "" => "they must not be given".to_owned(),
            _ => format!("`{field}` must not be given"),
        });
    }

    /// Whether all fits.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    /// What a validator gives back.
    ///
    /// # Errors
    ///
    /// A failure that tells the mistakes, if there are any.
    pub fn into_result(mut self) -> Result<(), ToolError> {
        if self.told.is_empty() {
            return Ok(());
        }
        if self.more > 0 {
            self.told.push(format!("and {} more", self.more));
        }
        Err(ToolError::new(format!("the arguments do not fit: {}", self.told.join("; "))))
    }

    fn push(&mut self, mistake: String) {
        if self.told.len() < MAX_TOLD {
            self.told.push(mistake);
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

/// Type and text of a value, such as ``the string `"ten"` ``.
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

/// As JSON schema names it.
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
