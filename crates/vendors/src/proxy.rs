//! The proxy through which servers are reached.

use std::fmt;

use silcrow_http_client::ClientProxy;
use silcrow_provider::{Error, ErrorKind};

/// A proxy for servers that speak https. It passes TLS through to the server, so it sees neither
/// keys nor conversations. One [for plain HTTP](Self::for_plain_http) sees both.
///
/// ```
/// use silcrow_vendors::Proxy;
///
/// let proxy = Proxy::new("http://ada:hunter2@proxy.example:3128", "localhost,.internal")?;
/// assert!(!format!("{proxy:?}").contains("hunter2"));
/// // An error does not show the URL either.
/// let error = Proxy::new("ftp://ada:hunter2@proxy.example", "").unwrap_err();
/// assert!(!error.to_string().contains("hunter2"), "{error}");
/// # Ok::<_, silcrow_provider::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    proxy: ClientProxy,
    is_plain: bool,
}

impl Proxy {
    /// Creates the proxy at `url`, such as `http://proxy.example:3128` or
    /// `socks5h://127.0.0.1:1080`, for all hosts except those in `except`, a list of names, domains
    /// and addresses with commas between them, as in `NO_PROXY`.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Refused`] if `url` is not a URL of HTTP or SOCKS. The message
    /// does not show it, because it may contain a password.
    pub fn new(url: &str, except: &str) -> Result<Self, Error> {
        let proxy = ClientProxy::new(url).map_err(|error| {
            let wrong = Error::new(ErrorKind::Refused, error.to_string());
            match error.into_source() {
                Some(source) => wrong.with_source(source),
                None => wrong,
            }
        })?;
        Ok(Self { proxy: proxy.with_exceptions(except), is_plain: false })
    }

    /// Returns the proxy for servers that speak plain HTTP, and not for those that speak https. It
    /// reads and may change everything: keys, conversations and answers.
    ///
    /// Servers of this machine are reached without it, because `localhost` means another machine to
    /// the proxy.
    #[must_use]
    pub fn for_plain_http(self) -> Self {
        Self { proxy: self.proxy.with_exceptions("localhost,127.0.0.0/8,::1"), is_plain: true }
    }

    /// Returns whether it is for the same servers as another one.
    pub(crate) const fn is_like(&self, other: &Self) -> bool {
        self.is_plain == other.is_plain
    }

    /// Returns the proxy as the client has it.
    pub(crate) fn to_client(&self) -> ClientProxy {
        let proxy = self.proxy.clone();
        if self.is_plain { proxy.for_plain() } else { proxy.for_encrypted() }
    }
}

/// Shows the proxy without the URL's password.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut proxy = f.debug_struct("Proxy");
        proxy.field("proxy", &self.proxy).field("is_plain", &self.is_plain).finish()
    }
}
