//! A header of a server at a URL: its name, and the text, the variable or the command that has its
//! value.

use std::fmt::{self, Display, Formatter};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_mcp::{HeaderSource, ServerHeaders, check_header_name};
use silcrow_sanitize::Secret;
use silcrow_vendors::is_secret_header;
use toml::Value;

use super::expanded::{expanded, variables_in};
use super::secret_value::secret;
use super::words;
use crate::secret_command::SecretCommand;

/// A header that is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeclaredHeader {
    pub(super) name: String,
    pub(super) value: HeaderText,
}

/// What the value of a header is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeaderText {
    /// A text, in which variables of the environment stand for their values.
    Text(String),
    /// The first line that a command prints, after a prefix such as `Bearer `.
    Command { words: Vec<String>, prefix: String },
    /// A text that may be a secret, which is not shown.
    Hidden(String),
}

impl DeclaredHeader {
    /// Reads the header of a table `headers`. The error says what to write instead.
    pub(super) fn read(name: &str, value: &Value) -> Result<Self, String> {
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

    /// Returns whether it says who asks, so that nobody logs in.
    pub(super) fn is_authorization(&self) -> bool {
        self.name.eq_ignore_ascii_case("authorization")
    }

    /// Returns the command that prints its value, if there is one.
    pub(super) fn command(&self) -> Option<&[String]> {
        match &self.value {
            HeaderText::Command { words, .. } => Some(words),
            HeaderText::Text(_) | HeaderText::Hidden(_) => None,
        }
    }

    /// Returns the secrets in it: variables, of which `variable` knows the values, and what is hidden.
    /// What a command prints is known elsewhere.
    pub(super) fn secrets(&self, variable: &dyn Fn(&str) -> Option<Secret>) -> Vec<Secret> {
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
                Value::String(text) => words::split(text)?,
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

/// Returns what sends the headers, if there are any. `value` knows the variables of the environment.
pub(super) fn sent_headers(
    headers: &[DeclaredHeader],
    value: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Option<ServerHeaders>, String> {
    let sent = headers.iter().map(|header| {
        let text = match &header.value {
            HeaderText::Text(text) => SentText::Fixed(expanded(text, value)?),
            HeaderText::Hidden(text) => SentText::Fixed(text.clone()),
            HeaderText::Command { words, prefix } => {
                let words = words.iter().map(|word| expanded(word, value));
                let words = words.collect::<Result<Vec<_>, _>>()?;
                let source = format!("the header {}", header.name);
                SentText::Command(SecretCommand::new(words, source), prefix.clone())
            }
        };
        Ok((header.name.clone(), text))
    });
    let sent = sent.collect::<Result<Vec<_>, String>>()?;
    Ok((!sent.is_empty()).then(|| ServerHeaders::new(SentHeaders(sent))))
}

/// The headers of a server, with what their values are from.
struct SentHeaders(Vec<(String, SentText)>);

#[derive(Clone)]
enum SentText {
    Fixed(String),
    Command(SecretCommand, String),
}

impl HeaderSource for SentHeaders {
    fn headers(&self, is_refused: bool) -> BoxFuture<'_, Result<Vec<(String, String)>, String>> {
        async move {
            let mut headers = Vec::new();
            for (name, text) in &self.0 {
                let text = match text.clone() {
                    SentText::Fixed(text) => text,
                    SentText::Command(command, prefix) => {
                        let read = tokio::task::spawn_blocking(move || match is_refused {
                            true => command.read_again(),
                            false => command.text(),
                        });
                        prefix + &read.await.map_err(|error| error.to_string())??
                    }
                };
                headers.push((name.clone(), text));
            }
            Ok(headers)
        }
        .boxed()
    }
}

/// Writes the name, and where the value is from, and no value.
impl Display for DeclaredHeader {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.value {
            HeaderText::Text(text) => write!(f, "{name}: {text}"),
            HeaderText::Command { words, prefix } => {
                let words: Vec<_> = words.iter().map(|word| words::quoted(word)).collect();
                write!(f, "{name}: {prefix}what `{}` prints", words.join(" "))
            }
            HeaderText::Hidden(_) => write!(f, "{name}: [hidden]"),
        }
    }
}

/// What to write as a header.
const SHAPE: &str = "write a text with a variable, such as \"Bearer $ISSUES_TOKEN\", or { variable = \
                     \"ISSUES_KEY\" }, or { command = [\"PROGRAM\", \"ARGUMENT\"], prefix = \"Bearer \" }";
