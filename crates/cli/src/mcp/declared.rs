//! A server as a file of settings or a flag declares it.
//!
//! Secrets are only named here: their values are in variables of the environment, which are read
//! when the server starts.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use silcrow_mcp::{OAuthLogin, ServerAddress, ServerConfig, ServerUrl};
use silcrow_sanitize::{Secret, Secrets};

use super::declared_header::{DeclaredHeader, sent_headers};
use super::declared_program::{DeclaredProgram, command_files, folder_words};
use super::declared_text::DeclaredText;
use super::expanded::variables_in;
use super::logins::{kept_login, kept_logins};
use super::secret_value::secret;
use super::words;
use crate::environment;
use crate::known_secrets::is_key_name;

/// A declared server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeclaredServer {
    pub(crate) name: String,
    pub(crate) place: DeclaredPlace,
    /// Whether the person believes what the server says about its tools.
    pub(crate) is_trusted: bool,
    /// Whether it is declared and not started.
    pub(crate) is_off: bool,
    /// The time limit of a call.
    pub(crate) timeout: Option<Duration>,
    /// The time limit of the start.
    pub(crate) start_timeout: Option<Duration>,
    /// Where it is declared, for messages.
    pub(crate) source: String,
}

/// The place of a declared server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeclaredPlace {
    Command {
        words: Vec<String>,
        env: Vec<(String, DeclaredText)>,
        /// The folder that the program runs in: `.` is the root of the run, and another relative one is
        /// in it. Without one it runs in an empty folder.
        folder: Option<PathBuf>,
    },
    Url {
        url: String,
        token: Option<DeclaredText>,
        headers: Vec<DeclaredHeader>,
    },
}

impl DeclaredServer {
    /// Creates a server that is not trusted.
    pub(crate) fn new(
        name: impl Into<String>,
        place: DeclaredPlace,
        source: impl Into<String>,
    ) -> Self {
        let (name, source) = (name.into(), source.into());
        let (timeout, start_timeout) = (None, None);
        Self { name, place, is_trusted: false, is_off: false, timeout, start_timeout, source }
    }

    /// Reads `NAME=COMMAND` or `NAME=URL`.
    pub(crate) fn typed(text: &str) -> Result<Self, String> {
        let why = || {
            "use NAME=COMMAND or NAME=URL, such as time='uvx mcp-server-time' or \
             issues=https://issues.example.org/mcp"
                .to_owned()
        };
        let (name, server) = text.split_once('=').ok_or_else(why)?;
        let place = match is_url(server) {
            true => DeclaredPlace::Url { url: server.to_owned(), token: None, headers: Vec::new() },
            false => {
                let words = words::split(server).ok_or_else(|| {
                    "the command has a quotation mark without another one".to_owned()
                })?;
                DeclaredPlace::Command { words, env: Vec::new(), folder: None }
            }
        };
        let server = Self::new(name, place, TYPED);
        server.check()?;
        Ok(server)
    }

    /// Returns an error that says what to write instead, if this cannot be a server.
    pub(crate) fn check(&self) -> Result<(), String> {
        // Any path stands for a variable, which may have one.
        self.config(Path::new("/"), None, &|variable| Ok(format!("/{variable}"))).map(drop)
    }

    /// Returns the program that is the server, if it is one.
    pub(crate) fn program(&self) -> Option<DeclaredProgram<'_>> {
        let DeclaredPlace::Command { words, env, folder } = &self.place else { return None };
        let is_literal = self.source == EDITOR;
        Some(DeclaredProgram { words, env, folder: folder.as_deref(), is_literal })
    }

    /// Returns the files in the root of a run that are run for the server.
    pub(crate) fn files_in(&self, root: &Path) -> Vec<PathBuf> {
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

    /// Returns what starts the server for a run whose tools see `root`. Nobody logs in for it, and the
    /// tokens of its login become secrets. The error names a variable that is not set.
    pub(crate) fn to_config(&self, root: &Path, secrets: &Secrets) -> Result<ServerConfig, String> {
        let typed = self.login_url().filter(|_| [TYPED, EDITOR].contains(&&*self.source));
        let login = self.login_url().and_then(|_| kept_login(&self.name, typed));
        let (secrets, name) = (secrets.clone(), self.login_name());
        let observer = move |token: &str| secrets.add(Secret::new(token, &*name));
        let login = login.map(|login| login.with_observer(observer));
        self.to_config_with(root, login)
    }

    /// Returns what starts the server, at which a person may log in if it has no token.
    pub(crate) fn to_config_with(
        &self,
        root: &Path,
        login: Option<OAuthLogin>,
    ) -> Result<ServerConfig, String> {
        if let Some(program) = self.program() {
            program.prepare(root)?;
        }
        self.config(root, login, &|variable| {
            environment::set(variable)
                .ok_or_else(|| format!("the variable {variable} of the environment is not set"))
        })
    }

    /// Returns the address of a server at which a person may log in.
    pub(crate) fn login_url(&self) -> Option<&str> {
        match &self.place {
            DeclaredPlace::Url { url, token: None, headers }
                if !headers.iter().any(DeclaredHeader::is_authorization) =>
            {
                Some(url)
            }
            DeclaredPlace::Url { .. } | DeclaredPlace::Command { .. } => None,
        }
    }

    /// Returns whether somebody has logged in at the server.
    pub(crate) fn has_login(&self) -> bool {
        !self.login_tokens().is_empty()
    }

    /// Returns what its tokens are called where they are masked.
    fn login_name(&self) -> String {
        format!("the login at {}", self.name)
    }

    fn login_tokens(&self) -> Vec<String> {
        let kept = self.login_url().zip(kept_logins());
        kept.map(|(url, kept)| kept.tokens(url)).unwrap_or_default()
    }

    fn config(
        &self,
        root: &Path,
        login: Option<OAuthLogin>,
        value: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<ServerConfig, String> {
        let address = match &self.place {
            DeclaredPlace::Command { words, env, folder } => {
                let (folder, is_literal) = (folder.as_deref(), self.source == EDITOR);
                let program = DeclaredProgram { words, env, folder, is_literal };
                ServerAddress::Command(program.command(root, value)?)
            }
            DeclaredPlace::Url { url, token, headers } => {
                let mut server = ServerUrl::default();
                server.url.clone_from(url);
                if let Some(headers) = sent_headers(headers, value)? {
                    server = server.with_headers(headers);
                }
                ServerAddress::Url(match (token, login) {
                    (Some(token), _) => server.with_token(token.value(value)?),
                    (None, Some(login)) => server.with_login(login),
                    (None, None) => server,
                })
            }
        };
        let config = ServerConfig::new(&self.name, address).map_err(|error| error.to_string())?;
        let config = self.timeout.into_iter().fold(config, ServerConfig::with_timeout);
        let config = self.start_timeout.into_iter().fold(config, ServerConfig::with_start_timeout);
        Ok(config.with_trust(self.is_trusted))
    }

    /// Returns the values of the variables of the environment that the server gets, what is hidden, and
    /// the tokens of a login.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let variable = |name: &str| secret(name, &environment::set(name)?);
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
                let name = self.login_name();
                let tokens = self.login_tokens();
                let login = tokens.iter().map(|token| Secret::new(token, &*name));
                token.chain(headers).chain(login).collect()
            }
        }
    }
}

/// Returns the variables in a text that are called as those of keys are.
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
        DeclaredText::Text(text) | DeclaredText::Hidden(text) => words::quoted(&text),
    }
}

/// The source of a server that was typed for one run.
const TYPED: &str = "--mcp";

/// The source of servers that an editor names.
pub(super) const EDITOR: &str = "the editor";

/// Returns whether a text is meant as a URL.
pub(crate) fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
