//! The proxy through which servers are reached.

use std::fmt;

use reqwest::{NoProxy, Proxy, Url};

use crate::error::{Error, ErrorKind};

/// A proxy for servers: by default for all, or only [for https](Self::for_encrypted) or [for plain
/// HTTP](Self::for_plain).
///
/// It passes TLS through to the server, so it reads nothing that is sent to an https URL, and all that
/// is sent in plain HTTP.
///
/// ```
/// use silcrow_http_client::ClientProxy;
///
/// let proxy = ClientProxy::new("http://ann:canary@proxy.example:3128")?.with_exceptions(".example.org");
/// assert!(!format!("{proxy:?}").contains("canary"));
/// # Ok::<(), silcrow_http_client::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ClientProxy {
    url: Url,
    except: String,
    servers: ProxiedServers,
}

/// The servers that a proxy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProxiedServers {
    All,
    Encrypted,
    Plain,
}

impl ClientProxy {
    /// Creates the proxy at `url`, such as `http://proxy.example:3128` or `socks5h://127.0.0.1:1080`.
    /// Without a scheme it is one of HTTP.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Proxy`] if `url` is not a URL of HTTP or SOCKS. The message
    /// does not show it, because it may contain a password.
    pub fn new(url: &str) -> Result<Self, Error> {
        let url = url.trim();
        let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
        let url = Url::parse(&url).map_err(|error| wrong().with_source(error))?;
        if !SCHEMES.contains(&url.scheme()) || !url.has_host() {
            return Err(wrong());
        }
        Ok(Self { url, except: String::new(), servers: ProxiedServers::All })
    }

    /// Adds hosts that are reached without it: names, domains and addresses with commas between them,
    /// as in `NO_PROXY`.
    #[must_use]
    pub fn with_exceptions(mut self, hosts: &str) -> Self {
        if !self.except.is_empty() {
            self.except.push(',');
        }
        self.except.push_str(hosts);
        if hosts.split(',').any(|host| host.trim() == "*") {
            // In the client `*` matches every name, but no address.
            self.except.push_str(",0.0.0.0/0,::/0");
        }
        self
    }

    /// Makes it a proxy for https URLs only.
    #[must_use]
    pub fn for_encrypted(self) -> Self {
        Self { servers: ProxiedServers::Encrypted, ..self }
    }

    /// Makes it a proxy for URLs of plain HTTP only.
    #[must_use]
    pub fn for_plain(self) -> Self {
        Self { servers: ProxiedServers::Plain, ..self }
    }

    pub(crate) fn to_reqwest(&self) -> Result<Proxy, Error> {
        let url = self.url.clone();
        let proxy = match self.servers {
            ProxiedServers::All => Proxy::all(url),
            ProxiedServers::Encrypted => Proxy::https(url),
            ProxiedServers::Plain => Proxy::http(url),
        };
        let proxy = proxy.map_err(|error| wrong().with_source(error.without_url()))?;
        Ok(proxy.no_proxy(NoProxy::from_string(&self.except)))
    }
}

fn wrong() -> Error {
    let message = "the proxy's URL cannot be read; write it like http://proxy.example:3128";
    Error::new(ErrorKind::Proxy, message)
}

/// Shows the proxy without the URL's user and password.
impl fmt::Debug for ClientProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut url = self.url.clone();
        // Both fail only if there is nothing to remove.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_query(None);
        url.set_fragment(None);
        let mut proxy = f.debug_struct("ClientProxy");
        proxy.field("url", &url.as_str()).field("except", &self.except);
        proxy.field("servers", &self.servers).finish()
    }
}

const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];
