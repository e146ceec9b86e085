//! A text of a declaration, which may stand for a secret of the environment.

use std::fmt::{self, Display, Formatter};

/// A text that is declared, or the variable of the environment that has it.
///
/// ```
/// use silcrow_settings::DeclaredText;
///
/// assert_eq!(DeclaredText::read("$TOKEN"), DeclaredText::Variable("TOKEN".to_owned()));
/// // A dollar sign alone does not name a variable.
/// assert_eq!(DeclaredText::read("$5.00"), DeclaredText::Text("$5.00".to_owned()));
/// let hidden = DeclaredText::Hidden("hunter2".to_owned());
/// assert_eq!(hidden.to_string(), "[hidden]");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "who starts a server handles each of these")]
pub enum DeclaredText {
    /// The text itself.
    Text(String),
    /// The variable that has it.
    Variable(String),
    /// A text that may be a secret, which is not shown.
    Hidden(String),
}

impl DeclaredText {
    /// Returns the text, or the variable's value from `value`.
    ///
    /// # Errors
    ///
    /// Returns the error of `value`.
    pub fn value(&self, value: &dyn Fn(&str) -> Result<String, String>) -> Result<String, String> {
        match self {
            Self::Text(text) | Self::Hidden(text) => Ok(text.clone()),
            Self::Variable(name) => value(name),
        }
    }

    /// Reads a text: `$VARIABLE` names a variable of the environment, and everything else is itself.
    pub fn read(text: &str) -> Self {
        let is_name = |name: &str| {
            let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            !name.is_empty() && name.bytes().all(is_fine)
        };
        match text.strip_prefix('$').filter(|name| is_name(name)) {
            Some(name) => Self::Variable(name.to_owned()),
            None => Self::Text(text.to_owned()),
        }
    }
}

impl Display for DeclaredText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Variable(name) => write!(f, "${name}"),
            Self::Hidden(_) => f.write_str("[hidden]"),
        }
    }
}

/// Writes no text that may be a secret.
impl fmt::Debug for DeclaredText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::Variable(name) => f.debug_tuple("Variable").field(name).finish(),
            Self::Hidden(_) => f.write_str("Hidden"),
        }
    }
}
