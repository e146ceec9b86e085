//! A header of a server at a URL: its name, and the text, the variable or the command that has its
//! value.

use std::fmt::{self, Display, Formatter};

use silcrow_environment::{expanded, is_secret_header, quoted_word, split_words, variables_in};
use silcrow_sanitize::Secret;
use toml::Value;

use super::secret_value::secret;
use crate::header_name::check_header_name;

/// A header that is declared.
///
/// ```
/// use silcrow_settings::DeclaredHeader;
///
/// let value = |text: &str| toml::Value::String(text.to_owned());
/// assert!(DeclaredHeader::read("X-Tenant", &value("ours")).is_ok());
/// assert!(DeclaredHeader::read("Authorization", &value("Bearer $ISSUES_KEY")).is_ok());
/// // A file of settings holds no key.
/// let why = DeclaredHeader::read("Authorization", &value("Bearer 1234")).unwrap_err();
/// assert!(why.starts_with("name the variable of the environment"), "{why}");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredHeader {
    /// The name.
    pub name: String,
    /// The text, the variable or the command that has the value.
    pub value: HeaderText,
}

/// The text, the variable or the command that has the value of a header.
#[derive(Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "who sends a header handles each of these")]
pub enum HeaderText {
    /// A text, where environment variables stand for their values.
    Text(String),
    /// The first line that a command prints, after a prefix such as `Bearer `.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// The text before that line, such as `Bearer `.
        prefix: String,
    },
    /// A text that may be a secret, which is not shown.
    Hidden(String),
}

impl DeclaredHeader {
    /// Reads the header of a table `headers`.
    ///
    /// # Errors
    ///
    /// Returns the correction, in words.
    pub fn read(name: &str, value: &Value) -> Result<Self, String> {
        check_header_name(name)?;
        let value = match value {
            Value::String(text) => HeaderText::Text(text.clone()),
            Value::Table(table) => read_table(table).ok_or_else(|| SHAPE.to_owned())?,
            _ => return Err(SHAPE.to_owned()),
        };
        if let HeaderText::Text(text) = &value
            && is_secret_header(name)
            && variables_in(text).next().is_none()
        {
            return Err(format!(
                "name the variable of the environment that has the value, such as {name} = \
                 \"$ISSUES_KEY\"; a file of settings holds no key"
            ));
        }
        Ok(Self { name: name.to_owned(), value })
    }

    /// Declares a header whose value is not shown.
    ///
    /// # Errors
    ///
    /// Returns the error in the name.
    pub fn hidden(name: &str, value: &str) -> Result<Self, String> {
        check_header_name(name)?;
        Ok(Self { name: name.to_owned(), value: HeaderText::Hidden(value.to_owned()) })
    }

    /// Checks that all values in the header can be found. `value` looks variables up.
    pub(crate) fn check(
        &self,
        value: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<(), String> {
        match &self.value {
            HeaderText::Text(text) => expanded(text, value).map(drop),
            HeaderText::Command { words, .. } => {
                words.iter().try_for_each(|word| expanded(word, value).map(drop))
            }
            HeaderText::Hidden(_) => Ok(()),
        }
    }

    /// Returns whether it identifies the client, so that nobody logs in.
    pub(crate) fn is_authorization(&self) -> bool {
        self.name.eq_ignore_ascii_case("authorization")
    }

    /// Returns the command that prints its value, if there is one.
    pub(crate) fn command(&self) -> Option<&[String]> {
        match &self.value {
            HeaderText::Command { words, .. } => Some(words),
            HeaderText::Text(_) | HeaderText::Hidden(_) => None,
        }
    }

    /// Returns the secrets in it: variables, looked up by `variable`, and hidden texts. Secrets
    /// that a command prints are found elsewhere.
    pub(crate) fn secrets(&self, variable: &dyn Fn(&str) -> Option<Secret>) -> Vec<Secret> {
        match &self.value {
            HeaderText::Text(text) => variables_in(text).filter_map(variable).collect(),
            HeaderText::Hidden(text) => {
                let bare = text.split_once(' ').map_or(&**text, |(_, bare)| bare);
                secret(&self.name, bare).into_iter().collect()
            }
            HeaderText::Command { .. } => Vec::new(),
        }
    }
}

/// Reads `{ variable = "NAME" }` or `{ command = […], prefix = "Bearer " }`.
fn read_table(table: &toml::Table) -> Option<HeaderText> {
    let text = |key: &str| Some(table.get(key)?.as_str()?.to_owned());
    match table.keys().map(String::as_str).collect::<Vec<_>>()[..] {
        ["variable"] => {
            let name = text("variable")?;
            let text = format!("${{{}}}", name.strip_prefix('$').unwrap_or(&name));
            variables_in(&text).next().is_some().then(|| HeaderText::Text(text.clone()))
        }
        ["command"] | ["command", "prefix"] | ["prefix", "command"] => {
            let words = match table.get("command")? {
                Value::String(text) => split_words(text)?,
                Value::Array(words) => {
                    let words = words.iter().map(|word| Some(word.as_str()?.to_owned()));
                    words.collect::<Option<Vec<_>>>()?
                }
                _ => return None,
            };
            let prefix = match table.contains_key("prefix") {
                true => text("prefix")?,
                false => String::new(),
            };
            (!words.is_empty()).then_some(HeaderText::Command { words, prefix })
        }
        _ => None,
    }
}

/// Writes the name, and the source of the value, and no value.
impl Display for DeclaredHeader {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.value {
            HeaderText::Text(text) => write!(f, "{name}: {text}"),
            HeaderText::Command { words, prefix } => {
                let words: Vec<_> = words.iter().map(|word| quoted_word(word)).collect();
                write!(f, "{name}: {prefix}what `{}` prints", words.join(" "))
            }
            HeaderText::Hidden(_) => write!(f, "{name}: [hidden]"),
        }
    }
}

/// The text to write as a header.
const SHAPE: &str = "write a text with a variable, such as \"Bearer $ISSUES_TOKEN\", or { variable = \
                     \"ISSUES_KEY\" }, or { command = [\"PROGRAM\", \"ARGUMENT\"], prefix = \"Bearer \" }";

impl fmt::Debug for DeclaredHeader {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "DeclaredHeader({self})")
    }
}

/// Writes no text that may be a secret.
impl fmt::Debug for HeaderText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::Command { words, prefix } => {
                f.debug_struct("Command").field("words", words).field("prefix", prefix).finish()
            }
            Self::Hidden(_) => f.write_str("Hidden"),
        }
    }
}
