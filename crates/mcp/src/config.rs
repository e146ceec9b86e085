//! The declaration of a server: its name, its address, and whether the person trusts it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::headers::ServerHeaders;
use crate::loopback::is_loopback;

/// The declaration of one server.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_mcp::{ErrorKind, ServerAddress, ServerConfig};
///
/// let address = ServerAddress::command(["uvx", "mcp-server-git"]);
/// let server = ServerConfig::new("git", address)?.with_timeout(Duration::from_secs(20));
/// assert!(!server.is_trusted, "a person is asked about each call");
/// // A key would be readable on the way to another machine.
/// let address = ServerAddress::url("http://mcp.example.com/mcp");
/// assert_eq!(ServerConfig::new("docs", address).unwrap_err().kind(), ErrorKind::Invalid);
/// # Ok::<_, silcrow_mcp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// The name, which begins the names of the server's tools.
    pub name: String,
    /// The place of the server.
    pub address: ServerAddress,
    /// Whether the person believes the server's claims about its tools, such as that one only
    /// reads.
    pub is_trusted: bool,
    /// The time limit of a call, which begins again with each report of its progress.
    pub timeout: Duration,
    /// The time limit of a call that reports progress. It counts if it is longer than
    /// [`timeout`](Self::timeout).
    pub progress_timeout: Duration,
    /// The time limit of the start.
    pub start_timeout: Duration,
}

/// The place of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol has these two transports")]
pub enum ServerAddress {
    /// A program that speaks over its standard input and output.
    Command(ServerCommand),
    /// An address that speaks streamable HTTP.
    Url(ServerUrl),
}

/// A program that is a server.
///
/// ```
/// use silcrow_mcp::{ServerAddress, ServerCommand};
///
/// let mut command = ServerCommand::default();
/// command.words = vec!["uvx".to_owned(), "mcp-server-time".to_owned()];
/// let command = command.with_variable("TZ", "UTC").with_folder("/srv");
/// // The values of variables are not shown.
/// let shown = ServerAddress::Command(command).to_string();
/// assert!(shown.contains("mcp-server-time") && !shown.contains("UTC"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerCommand {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The program's environment variables, in addition to the few that every program gets.
    pub variables: Vec<(String, String)>,
    /// The folder that the program runs in; without it, and without
    /// [`empty_folders`](Self::empty_folders), the folder of this process.
    pub folder: Option<PathBuf>,
    /// The parent folder of the empty folders, one for each start, in which the program runs unless
    /// it has a [`folder`](Self::folder). No other user may be able to write to it.
    pub empty_folders: Option<PathBuf>,
    /// The files that a later start compares with the first start, in addition to the program
    /// itself. If one has changed, [`Elicitor::allow_restart`](crate::Elicitor::allow_restart)
    /// decides.
    pub compared: Vec<PathBuf>,
}

/// A server at an address.
///
/// ```
/// use silcrow_mcp::{ServerAddress, ServerUrl};
///
/// let mut server = ServerUrl::default();
/// server.url = "https://example.org/mcp".to_owned();
/// let server = server.with_token("a-secret");
/// assert_eq!(ServerAddress::Url(server).to_string(), "https://example.org/mcp");
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerUrl {
    /// The address.
    pub url: String,
    /// The token that is sent with each request.
    pub token: Option<String>,
    /// The headers that are sent with each request.
    pub headers: Option<ServerHeaders>,
    /// The person's login, if the server requires one and no token is configured.
    #[cfg(feature = "oauth")]
    pub login: Option<crate::OAuthLogin>,
}

impl ServerConfig {
    /// Declares a server that is not trusted, with a minute for a call, half an hour for one that
    /// reports progress, and a minute for the start.
    ///
    /// # Errors
    ///
    /// Returns an error if the name or the address cannot be one.
    pub fn new(name: impl Into<String>, address: ServerAddress) -> Result<Self, Error> {
        let name = name.into();
        if !is_name(&name) {
            return Err(Error::new(
                ErrorKind::Invalid,
                format!(
                    "`{name}` cannot be the name of a server; use up to {LONGEST_NAME} letters, \
                     digits, - and _"
                ),
            ));
        }
        address.check(&name)?;
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        let (timeout, progress_timeout, start_timeout) = (minutes(1), minutes(30), minutes(1));
        Ok(Self { name, address, is_trusted: false, timeout, progress_timeout, start_timeout })
    }

    /// Sets whether the person trusts the server.
    #[must_use]
    pub fn with_trust(self, is_trusted: bool) -> Self {
        Self { is_trusted, ..self }
    }

    /// Sets the time limit of a call.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets the time limit of a call that reports progress.
    #[must_use]
    pub fn with_progress_timeout(self, progress_timeout: Duration) -> Self {
        Self { progress_timeout, ..self }
    }

    /// Sets the time limit of the start.
    #[must_use]
    pub fn with_start_timeout(self, start_timeout: Duration) -> Self {
        Self { start_timeout, ..self }
    }
}

impl ServerAddress {
    /// Returns a program and its arguments as an address.
    pub fn command<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Self {
        let words = words.into_iter().map(Into::into).collect();
        Self::Command(ServerCommand { words, ..ServerCommand::default() })
    }

    /// Returns a server at a URL as an address.
    pub fn url(url: impl Into<String>) -> Self {
        Self::Url(ServerUrl { url: url.into(), ..ServerUrl::default() })
    }

    /// Returns how long a person may take to log in before the server can be used.
    #[cfg(feature = "oauth")]
    pub(crate) fn patience(&self) -> Duration {
        match self {
            Self::Url(url) => {
                url.login.as_ref().map_or(Duration::ZERO, crate::OAuthLogin::patience)
            }
            Self::Command(_) => Duration::ZERO,
        }
    }

    /// Returns zero, because nobody logs in.
    #[cfg(not(feature = "oauth"))]
    pub(crate) const fn patience(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns an error message about a server that rejects the client's identity, to follow its
    /// name.
    pub(crate) fn refusal(&self) -> String {
        let Self::Url(url) = self else { return "requires authentication".to_owned() };
        if url.token.is_some() {
            return "does not accept its token".to_owned();
        }
        if url.headers.is_some() {
            return "does not accept its headers".to_owned();
        }
        #[cfg(feature = "oauth")]
        if let Some(login) = &url.login {
            let advice = login.settings().advice.as_ref();
            let advice = advice.map(|advice| format!(": {advice}")).unwrap_or_default();
            return format!("wants you to log in{advice}");
        }
        "requires authentication; give it a token".to_owned()
    }

    fn check(&self, name: &str) -> Result<(), Error> {
        let invalid = |why: &str| Err(Error::new(ErrorKind::Invalid, format!("`{name}`: {why}")));
        match self {
            Self::Command(command) if command.words.first().is_none_or(String::is_empty) => {
                invalid("the command is empty; write the program and its arguments")
            }
            Self::Url(ServerUrl { url, .. }) => match reqwest::Url::parse(url) {
                Ok(url) if url.password().is_some() || !url.username().is_empty() => {
                    invalid("the address contains a password; give the server a token instead")
                }
                Ok(url) if url.scheme() == "https" && url.has_host() => Ok(()),
                Ok(url) if url.scheme() == "http" && is_loopback(&url) => Ok(()),
                Ok(url) if url.scheme() == "http" => invalid(
                    "use https:// for a server on another machine: anybody on the way can read and \
                     change what http:// sends",
                ),
                _ => invalid("the address is not a URL that begins with https:// or http://"),
            },
            Self::Command(_) => Ok(()),
        }
    }
}

impl ServerCommand {
    /// Sets a variable of the program's environment.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Sets the folder that the program runs in.
    #[must_use]
    pub fn with_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), ..self }
    }

    /// Sets the folder that has an empty folder for each start.
    #[must_use]
    pub fn with_empty_folders(self, folders: impl Into<PathBuf>) -> Self {
        Self { empty_folders: Some(folders.into()), ..self }
    }

    /// Adds a file that a later start compares with the first start.
    #[must_use]
    pub fn with_compared(mut self, file: impl Into<PathBuf>) -> Self {
        self.compared.push(file.into());
        self
    }
}

impl ServerUrl {
    /// Returns whether requests are encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.url.starts_with("https:")
    }

    /// Sets the token that is sent with each request.
    #[must_use]
    pub fn with_token(self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self }
    }

    /// Sets the headers that are sent with each request.
    #[must_use]
    pub fn with_headers(self, headers: ServerHeaders) -> Self {
        Self { headers: Some(headers), ..self }
    }

    /// Sets how a person logs in.
    #[cfg(feature = "oauth")]
    #[must_use]
    pub fn with_login(self, login: crate::OAuthLogin) -> Self {
        Self { login: Some(login), ..self }
    }
}

/// Writes the command line or the URL, without the values of variables, the token and the headers.
impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => {
                for (index, word) in command.words.iter().enumerate() {
                    let space = if index == 0 { "" } else { " " };
                    match word.is_empty() || word.contains(|c: char| c.is_whitespace() || c == '"')
                    {
                        true => write!(f, "{space}{word:?}")?,
                        false => write!(f, "{space}{word}")?,
                    }
                }
                Ok(())
            }
            Self::Url(url) => f.write_str(&url.url),
        }
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerUrl").field("url", &self.url).finish_non_exhaustive()
    }
}

fn is_name(name: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(is_fine)
}

/// The number of bytes of the longest name of a server.
const LONGEST_NAME: usize = 40;
