//! The proxy through which servers are reached.

use std::fmt;

use reqwest::{NoProxy, Url};
use silcrow_provider::{Error, ErrorKind};

use crate::url::shown;

/// A proxy for servers that speak https. It passes TLS through to the server, so it sees neither
/// keys nor conversations. One [for plain HTTP](Self::for_plain_http) sees both.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    url: Url,
    except: String,
    is_plain: bool,
}

impl Proxy {
    /// Creates the proxy at `url`, such as `http://proxy.example:3128` or
    /// `socks5h://127.0.0.1:1080`, for all hosts except those in `except`, a list of names, domains
    /// and addresses with commas between them, as in `NO_PROXY`.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Refused`] if `url` is not a URL of HTTP or SOCKS.
    pub fn new(url: &str, except: &str) -> Result<Self, Error> {
        // The message does not show the URL, which may contain a password.
        let wrong = || {
            let message = "the proxy's URL cannot be read; write it like http://proxy.example:3128";
            Error::new(ErrorKind::Refused, message)
        };
        let url = url.trim();
        let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
        let url = Url::parse(&url).map_err(|error| wrong().with_source(error))?;
        if !SCHEMES.contains(&url.scheme()) || !url.has_host() {
            return Err(wrong());
        }
        let mut except = except.to_owned();
        if except.split(',').any(|host| host.trim() == "*") {
            // In the client `*` matches every name, but no address.
            except.push_str(",0.0.0.0/0,::/0");
        }
        Ok(Self { url, except, is_plain: false })
    }

    /// Returns the proxy for servers that speak plain HTTP, and not for those that speak https. It
    /// reads and may change everything: keys, conversations and answers.
    ///
    /// Servers of this machine are reached without it, because there the proxy has servers of its
    /// own.
    #[must_use]
    pub fn for_plain_http(mut self) -> Self {
        self.is_plain = true;
        self.except.push_str(",localhost,127.0.0.0/8,::1");
        self
    }

    /// Returns whether it is for the same servers as another one.
    pub(crate) const fn is_like(&self, other: &Self) -> bool {
        self.is_plain == other.is_plain
    }

    /// Returns the proxy as the client represents it.
    pub(crate) fn to_client(&self) -> reqwest::Result<reqwest::Proxy> {
        let proxy = match self.is_plain {
            true => reqwest::Proxy::http(self.url.clone())?,
            false => reqwest::Proxy::https(self.url.clone())?,
        };
        Ok(proxy.no_proxy(NoProxy::from_string(&self.except)))
    }
}

/// Shows the proxy without the URL's password.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut proxy = f.debug_struct("Proxy");
        proxy.field("url", &shown(&self.url)).field("except", &self.except);
        proxy.field("is_plain", &self.is_plain).finish()
    }
}

const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];
