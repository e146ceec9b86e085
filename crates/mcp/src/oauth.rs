//! Logging in at a server over HTTP, by OAuth 2.1 with a browser.
//!
//! ```text
//! a request ─► 401 or 403 ─► who issues tokens for this server? ─► a link for the person
//!     ▲                                                                    │ browser
//!     └──── token ◄── code, `state` and `iss` are checked ◄── loopback ◄───┘
//! ```
//!
//! This module has the options of logins. Its submodules have the requests, the address to which
//! the browser returns, and the files of credentials.

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod credentials;
#[cfg_attr(not(feature = "client"), path = "oauth/absent.rs")]
mod kept;
#[cfg(feature = "client")]
mod loopback;
#[cfg(feature = "client")]
mod session;

use std::fmt;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::environment::{PATH, passed_on};

#[cfg(feature = "client")]
pub(crate) use client::LoginClient;
pub use kept::KeptLogins;
#[cfg(feature = "client")]
pub(crate) use session::LoginSession;

/// Shows a person where to log in.
///
/// ```
/// use std::sync::Mutex;
///
/// use silcrow_mcp::LoginPrompt;
///
/// /// Collects the links, for a program that shows them later.
/// #[derive(Default)]
/// struct Links(Mutex<Vec<String>>);
///
/// impl LoginPrompt for Links {
///     fn show(&self, server: &str, link: &str) {
///         self.0.lock().unwrap().push(format!("{server}: {link}"));
///     }
/// }
///
/// let links = Links::default();
/// links.show("issues", "https://example.org/login");
/// assert_eq!(*links.0.lock().unwrap(), ["issues: https://example.org/login"]);
/// ```
pub trait LoginPrompt: Send + Sync {
    /// Shows a link. The person opens it, logs in, and the browser returns to this process.
    fn show(&self, server: &str, link: &str);
}

/// The way a person logs in at servers. Clones are the same login.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_mcp::{LoginPrompt, OAuthLogin};
///
/// /// Shows the link in the window of a program.
/// struct Window;
///
/// impl LoginPrompt for Window {
///     fn show(&self, server: &str, link: &str) {
///         // The window opens here.
///         let _ = (server, link);
///     }
/// }
///
/// let minute = Duration::from_secs(60);
/// let login = OAuthLogin::new(Window).with_folder("logins").with_patience(minute);
/// assert_eq!(login.patience(), minute);
/// // A program without a person uses the credentials of that login, and waits for nobody.
/// assert_eq!(OAuthLogin::kept("logins").patience(), Duration::ZERO);
/// ```
#[derive(Clone)]
pub struct OAuthLogin(Arc<LoginSettings>);

#[derive(Clone)]
pub(crate) struct LoginSettings {
    /// Shows a person where to log in; `None` if nobody can be asked.
    pub(crate) prompt: Option<Arc<dyn LoginPrompt>>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) advice: Option<String>,
    pub(crate) starts_anew: bool,
    pub(crate) metadata_url: Option<String>,
    pub(crate) registered: Option<RegisteredClient>,
    pub(crate) patience: Duration,
    /// Takes each token before it is sent.
    pub(crate) observer: Option<Arc<TokenObserver>>,
}

pub(crate) type TokenObserver = dyn Fn(&str) + Send + Sync;

/// A client that an issuer has registered beforehand.
#[derive(Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "what an issuer knows a client by")]
pub struct RegisteredClient {
    /// The issuer, which alone gets the id and the secret.
    pub issuer: String,
    /// The id.
    pub id: String,
    /// The secret, if the client has one.
    pub secret: Option<String>,
}

impl OAuthLogin {
    /// Creates a login that stores nothing, registers if it has to, and waits five minutes for the
    /// person.
    pub fn new(prompt: impl LoginPrompt + 'static) -> Self {
        Self::with_prompt(Some(Arc::new(prompt)))
    }

    /// Creates a login that uses and renews the credentials in a folder, and never asks a person.
    /// If they do not suffice, the server fails with [`ErrorKind::Unauthorized`](crate::ErrorKind).
    pub fn kept(folder: impl Into<PathBuf>) -> Self {
        Self::with_prompt(None).with_folder(folder)
    }

    fn with_prompt(prompt: Option<Arc<dyn LoginPrompt>>) -> Self {
        Self(Arc::new(LoginSettings {
            prompt,
            folder: None,
            advice: None,
            starts_anew: false,
            metadata_url: None,
            registered: None,
            patience: Duration::from_secs(300),
            observer: None,
        }))
    }

    /// Keeps credentials in files of this folder, which only the owner can read: one for each server,
    /// and in it the credentials of each issuer.
    #[must_use]
    pub fn with_folder(self, folder: impl Into<PathBuf>) -> Self {
        self.with(|settings| settings.folder = Some(folder.into()))
    }

    /// Sets the hint in errors for a person who has to log in, such as a command.
    #[must_use]
    pub fn with_advice(self, advice: impl Into<String>) -> Self {
        self.with(|settings| settings.advice = Some(advice.into()))
    }

    /// Asks the person although there are credentials already. These stay until the new ones are there.
    #[must_use]
    pub fn anew(self) -> Self {
        self.with(|settings| settings.starts_anew = true)
    }

    /// Identifies the program by the address of its client ID metadata document, if an issuer
    /// accepts that. Elsewhere it registers.
    #[must_use]
    pub fn with_metadata_url(self, url: impl Into<String>) -> Self {
        self.with(|settings| settings.metadata_url = Some(url.into()))
    }

    /// Uses a client that an issuer has registered beforehand.
    #[must_use]
    pub fn with_registered(self, client: RegisteredClient) -> Self {
        self.with(|settings| settings.registered = Some(client))
    }

    /// Sets how long a person may take.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        self.with(|settings| settings.patience = patience)
    }

    /// Calls this with each new token before it is sent, so that it can be masked elsewhere.
    #[must_use]
    pub fn with_observer(self, observer: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.with(|settings| settings.observer = Some(Arc::new(observer)))
    }

    /// Returns how long a person may take; zero if nobody is asked.
    pub fn patience(&self) -> Duration {
        self.0.prompt.as_ref().map_or(Duration::ZERO, |_| self.0.patience)
    }

    fn with(mut self, change: impl FnOnce(&mut LoginSettings)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    pub(crate) fn settings(&self) -> &LoginSettings {
        &self.0
    }
}

/// Prints the link on standard error, and opens it in the browser of the desktop, if there is one.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct BrowserPrompt;

impl LoginPrompt for BrowserPrompt {
    fn show(&self, server: &str, link: &str) {
        // If stderr is closed, the browser may still open.
        let _ = writeln!(io::stderr(), "Log in at `{server}` to use it:\n\n  {link}\n");
        let mut open = Command::new("xdg-open");
        // The `PATH` of servers finds no program in the folder in which the person works.
        open.envs(passed_on().filter(|(name, _)| *name == PATH));
        open.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Without a desktop, the person opens the link.
        if let Ok(mut opened) = open.spawn() {
            std::thread::spawn(move || opened.wait());
        }
    }
}

impl PartialEq for OAuthLogin {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for OAuthLogin {}

/// Writes no secret.
impl fmt::Debug for OAuthLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthLogin")
            .field("folder", &self.0.folder)
            .field("metadata_url", &self.0.metadata_url)
            .field("registered", &self.0.registered)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for RegisteredClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredClient")
            .field("issuer", &self.issuer)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
