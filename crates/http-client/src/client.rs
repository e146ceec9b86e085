//! A client that is built for the first request that needs it.
//!
//! Requests to plain HTTP need no authorities.

use std::fmt;
use std::sync::{Arc, OnceLock};

use reqwest::{Client, Url};

use crate::authorities::Authorities;
use crate::error::Error;
use crate::options::ClientOptions;

/// A client with these options, built for the first request that needs it. Clones share their
/// connections.
///
/// See [the first page](crate) for an example.
#[derive(Clone)]
pub struct HttpClient(Arc<LazyClients>);

struct LazyClients {
    options: ClientOptions,
    encrypted: OnceLock<Client>,
    plain: OnceLock<Client>,
}

impl HttpClient {
    /// Creates a client. Nothing is read and nothing can fail until it is needed.
    ///
    /// ```
    /// use silcrow_http_client::{ClientOptions, HttpClient, Url};
    ///
    /// let client = HttpClient::new(ClientOptions::new());
    /// let url = Url::parse("http://127.0.0.1:8080/v1/models")?;
    /// let request = client.for_url(&url)?.get(url.clone()).build()?;
    /// assert_eq!(request.url(), &url);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(options: ClientOptions) -> Self {
        let (encrypted, plain) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(LazyClients { options, encrypted, plain }))
    }

    /// Returns the client for requests to this URL. The authorities of the machine are read for the
    /// first https URL, or for the first URL at all if there is a proxy.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Tls`](crate::ErrorKind::Tls) if TLS does not work on this
    /// machine.
    pub fn for_url(&self, url: &Url) -> Result<Client, Error> {
        let LazyClients { options, encrypted, plain } = &*self.0;
        let authorities = options.authorities(url);
        let cell = match authorities {
            Authorities::All => encrypted,
            Authorities::One => plain,
        };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let client = options.build_with(authorities)?;
        // If another thread was quicker, its client is kept for later requests.
        let _ = cell.set(client.clone());
        Ok(client)
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HttpClient").field(&self.0.options).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_built_lazily_and_once() {
        let client = HttpClient::new(ClientOptions::new());
        let built = || [&client.0.plain, &client.0.encrypted].map(|cell| cell.get().is_some());
        assert_eq!(built(), [false, false]);
        for (url, expected) in [
            ("http://127.0.0.1:8080/v1", [true, false]),
            ("ws://127.0.0.1:8080/v1", [true, false]),
            ("https://api.example/v1", [true, true]),
        ] {
            client.for_url(&Url::parse(url).expect("a URL")).expect("a client");
            assert_eq!(built(), expected, "{url}");
        }
    }
}
