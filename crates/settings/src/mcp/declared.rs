//! An MCP server as a file of settings or a flag declares it.
//!
//! Secrets are only named here: their values are in variables of the environment, which are read
//! when the server starts. This module does not start one.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use silcrow_environment::{Environment, is_key_name, quoted_word, split_words, variables_in};
use silcrow_sanitize::Secret;

use super::address::check_address;
use super::declared_header::DeclaredHeader;
use super::declared_program::{DeclaredProgram, command_files, folder_words};
use super::declared_text::DeclaredText;
use super::secret_value::secret;

/// A declared MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredServer {
    /// The name, which is the prefix of its tools' names.
    pub name: String,
    /// The program, or the address.
    pub place: DeclaredPlace,
    /// Whether the person believes the server's claims about its tools.
    pub is_trusted: bool,
    /// Whether it is declared and not started.
    pub is_off: bool,
    /// The time limit of a call.
    pub timeout: Option<Duration>,
    /// The time limit of the start.
    pub start_timeout: Option<Duration>,
    /// The place of the declaration, for messages.
    pub source: String,
}

/// The place of a declared server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol has these two transports")]
pub enum DeclaredPlace {
    /// A program that speaks over its standard input and output.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// The variables that the program gets.
        env: Vec<(String, DeclaredText)>,
        /// The folder that the program runs in: `.` is the root of the run, and another relative one is
        /// in it. Without one it runs in an empty folder.
        folder: Option<PathBuf>,
    },
    /// An address that speaks streamable HTTP.
    Url {
        /// The address.
        url: String,
        /// The token that is sent with each request.
        token: Option<DeclaredText>,
        /// The headers that are sent with each request.
        headers: Vec<DeclaredHeader>,
    },
}

impl DeclaredServer {
    /// Creates a server that is not trusted, and whose time limits are the usual ones.
    ///
    /// ```
    /// use silcrow_settings::{DeclaredPlace, DeclaredServer};
    ///
    /// let words = vec!["uvx".to_owned(), "mcp-server-time".to_owned()];
    /// let place = DeclaredPlace::Command { words, env: Vec::new(), folder: None };
    /// let server = DeclaredServer::new("time", place, "this example");
    /// assert_eq!(server.check(), Ok(()));
    /// assert_eq!(server.place.to_string(), "uvx mcp-server-time");
    /// ```
    pub fn new(name: impl Into<String>, place: DeclaredPlace, source: impl Into<String>) -> Self {
        let (name, source) = (name.into(), source.into());
        let (timeout, start_timeout) = (None, None);
        Self { name, place, is_trusted: false, is_off: false, timeout, start_timeout, source }
    }

    /// Reads `NAME=COMMAND` or `NAME=URL`, as a person types it for one run.
    ///
    /// ```
    /// use silcrow_settings::DeclaredServer;
    ///
    /// let server = DeclaredServer::typed("files=npx -y server-files '{root}'").unwrap();
    /// assert_eq!(server.name, "files");
    /// assert!(DeclaredServer::typed("http://example.org").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the correction, in words.
    pub fn typed(text: &str) -> Result<Self, String> {
        let why = || {
            "use NAME=COMMAND or NAME=URL, such as time='uvx mcp-server-time' or \
             issues=https://issues.example.org/mcp"
                .to_owned()
        };
        let (name, server) = text.split_once('=').ok_or_else(why)?;
        let place = match is_url(server) {
            true => DeclaredPlace::Url { url: server.to_owned(), token: None, headers: Vec::new() },
            false => {
                let words = split_words(server).ok_or_else(|| {
                    "the command has a quotation mark without another one".to_owned()
                })?;
                DeclaredPlace::Command { words, env: Vec::new(), folder: None }
            }
        };
        let server = Self::new(name, place, TYPED);
        server.check()?;
        Ok(server)
    }

    /// Checks the name, the program or address, and the headers.
    ///
    /// # Errors
    ///
    /// Returns the correction, in words, if this cannot be a server.
    pub fn check(&self) -> Result<(), String> {
        // Any path stands for a variable, which may have one.
        let value = |variable: &str| Ok(format!("/{variable}"));
        match &self.place {
            DeclaredPlace::Command { .. } => {
                if let Some(program) = self.program() {
                    program.start(Path::new("/"), &value)?;
                }
            }
            DeclaredPlace::Url { headers, .. } => {
                headers.iter().try_for_each(|header| header.check(&value))?;
            }
        }
        check_name(&self.name)?;
        let checked = match &self.place {
            DeclaredPlace::Command { words, .. } if words.first().is_none_or(String::is_empty) => {
                Err("the command is empty; write the program and its arguments")
            }
            DeclaredPlace::Command { .. } => Ok(()),
            DeclaredPlace::Url { url, .. } => check_address(url),
        };
        checked.map_err(|why| format!("`{}`: {why}", self.name))
    }

    /// Declares a server that an editor names for a session. In its words `~` and `$` stand for
    /// themselves.
    pub fn of_editor(name: impl Into<String>, place: DeclaredPlace) -> Self {
        Self::new(name, place, EDITOR)
    }

    /// Returns whether the server was typed, or an editor names it, so that no file has it.
    pub fn is_in_no_file(&self) -> bool {
        [TYPED, EDITOR].contains(&&*self.source)
    }

    /// Returns the program that is the server, if it is one.
    pub fn program(&self) -> Option<DeclaredProgram<'_>> {
        let DeclaredPlace::Command { words, env, folder } = &self.place else { return None };
        let is_literal = self.source == EDITOR;
        Some(DeclaredProgram { words, env, folder: folder.as_deref(), is_literal })
    }

    /// Returns the files in the root of a run that are run for the server.
    pub fn files_in(&self, root: &Path) -> Vec<PathBuf> {
        match &self.place {
            DeclaredPlace::Command { .. } => {
                self.program().map(|program| program.files_in(root)).unwrap_or_default()
            }
            DeclaredPlace::Url { headers, .. } => {
                let commands = headers.iter().filter_map(DeclaredHeader::command);
                commands.flat_map(|words| command_files(words, root)).collect()
            }
        }
    }

    /// Returns the address of a server that a person can log in at.
    pub fn login_url(&self) -> Option<&str> {
        match &self.place {
            DeclaredPlace::Url { url, token: None, headers }
                if !headers.iter().any(DeclaredHeader::is_authorization) =>
            {
                Some(url)
            }
            DeclaredPlace::Url { .. } | DeclaredPlace::Command { .. } => None,
        }
    }

    /// Returns the hidden texts, and the values of the environment variables that the server gets.
    pub fn secrets(&self, environment: &Environment) -> Vec<Secret> {
        let variable = |name: &str| secret(name, &environment.get(name)?);
        let of_text = |(given, text): (&str, &DeclaredText)| match text {
            DeclaredText::Variable(name) => variable(name).into_iter().collect(),
            DeclaredText::Hidden(value) => secret(given, value).into_iter().collect(),
            DeclaredText::Text(text) => {
                key_variables(text).filter_map(variable).collect::<Vec<_>>()
            }
        };
        match &self.place {
            DeclaredPlace::Command { words, env, .. } => {
                let in_words = words.iter().flat_map(|word| key_variables(word));
                let in_env = env.iter().flat_map(|(name, text)| of_text((name, text)));
                in_env.chain(in_words.filter_map(variable)).collect()
            }
            DeclaredPlace::Url { token, headers, .. } => {
                let headers = headers.iter().flat_map(|header| header.secrets(&variable));
                let token = token.iter().flat_map(|token| of_text((&self.name, token)));
                token.chain(headers).collect()
            }
        }
    }
}

/// Returns the variables in a text whose names look like names of keys.
fn key_variables(text: &str) -> impl Iterator<Item = &str> {
    variables_in(text).filter(|name| is_key_name(name))
}

/// Writes the command line or the URL, and the names of the variables, as a person reads them before
/// they say yes.
impl Display for DeclaredPlace {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { words, env, folder } => {
                for (name, text) in env {
                    write!(f, "{name}={} ", shown_word(&text.to_string()))?;
                }
                let words: Vec<_> = words.iter().map(|word| shown_word(word)).collect();
                f.write_str(&words.join(" "))?;
                match folder {
                    Some(folder) => write!(f, " ({})", folder_words(folder)),
                    None => Ok(()),
                }
            }
            Self::Url { url, token, headers } => {
                f.write_str(url)?;
                let token = token.iter().map(ToString::to_string);
                let with: Vec<_> = token.chain(headers.iter().map(ToString::to_string)).collect();
                match &with[..] {
                    [] => Ok(()),
                    with => write!(f, " (with {})", with.join(", ")),
                }
            }
        }
    }
}

/// Returns a word as it is typed. A variable stays as it is.
fn shown_word(word: &str) -> String {
    match DeclaredText::read(word) {
        DeclaredText::Variable(_) => word.to_owned(),
        DeclaredText::Text(text) | DeclaredText::Hidden(text) => quoted_word(&text),
    }
}

/// The maximum length of a server's name, in bytes.
const LONGEST_NAME: usize = 40;

fn check_name(name: &str) -> Result<(), String> {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    match !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(is_fine) {
        true => Ok(()),
        false => Err(format!(
            "`{name}` cannot be the name of a server; use up to {LONGEST_NAME} letters, digits, - and \
             _"
        )),
    }
}

/// The source of a server that was typed for one run.
const TYPED: &str = "--mcp";

/// The source of servers that an editor names.
const EDITOR: &str = "the editor";

/// Returns whether a text is meant as a URL.
pub fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
