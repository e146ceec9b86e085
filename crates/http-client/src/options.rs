//! The options of a client.
//!
//! This module has the settings that every client shares.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::{Certificate, Client, ClientBuilder, Url, redirect, retry};
use rustls::crypto::{CryptoProvider, ring};

use crate::authorities::{Authorities, with_machine, with_one};
use crate::error::{Error, ErrorKind};
use crate::proxy::ClientProxy;

/// The options of a client. By default it has no limit of time and no proxy, and trusts the
/// authorities of the machine.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_http_client::{ClientOptions, ClientProxy, HttpClient};
///
/// let proxy = ClientProxy::new("http://127.0.0.1:3128")?.with_exceptions("localhost,10.0.0.0/8");
/// let options =
///     ClientOptions::new().with_connect_timeout(Duration::from_secs(10)).with_proxy(proxy);
/// let client = HttpClient::new(options);
/// # Ok::<(), silcrow_http_client::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ClientOptions {
    connect: Option<Duration>,
    proxies: Vec<ClientProxy>,
    has_environment_proxies: bool,
    is_version_1: bool,
    is_unpooled: bool,
    is_sent_once: bool,
    trusted: Option<Vec<Certificate>>,
    only: Option<ReachedHost>,
}

/// The host that a client may reach, and its addresses.
#[derive(Clone, Debug)]
struct ReachedHost {
    name: String,
    addresses: Vec<SocketAddr>,
}

impl ClientOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limit of the time for a connection, TLS included.
    #[must_use]
    pub fn with_connect_timeout(self, limit: Duration) -> Self {
        Self { connect: Some(limit), ..self }
    }

    /// Adds a proxy. The first one that is for a URL counts.
    #[must_use]
    pub fn with_proxy(mut self, proxy: ClientProxy) -> Self {
        self.proxies.push(proxy);
        self
    }

    /// Lets the variables `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name proxies.
    #[must_use]
    pub fn with_environment_proxies(self) -> Self {
        Self { has_environment_proxies: true, ..self }
    }

    /// Speaks HTTP/1.1 only, because HTTP/2 has no upgrades.
    #[must_use]
    pub fn with_version_1(self) -> Self {
        Self { is_version_1: true, ..self }
    }

    /// Uses no connection twice, for requests that must not be sent twice: a server may have closed a
    /// connection that was kept.
    #[must_use]
    pub fn without_reuse(self) -> Self {
        Self { is_unpooled: true, ..self }
    }

    /// Sends no request a second time, not even one that the server says it has not begun.
    #[must_use]
    pub fn without_retries(self) -> Self {
        Self { is_sent_once: true, ..self }
    }

    /// Trusts these certificates and no other: one or more in PEM.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Certificates`] if they cannot be read.
    pub fn trusting(self, pem: &[u8]) -> Result<Self, Error> {
        let wrong = |error: Option<reqwest::Error>| {
            let message = "the certificates to trust cannot be read; they have to be in PEM";
            let wrong = Error::new(ErrorKind::Certificates, message);
            match error {
                Some(error) => wrong.with_source(error),
                None => wrong,
            }
        };
        let trusted = Certificate::from_pem_bundle(pem).map_err(|error| wrong(Some(error)))?;
        if trusted.is_empty() {
            return Err(wrong(None));
        }
        Ok(Self { trusted: Some(trusted), ..self })
    }

    /// Reaches a host by these addresses, and resolves no other name: its caller has resolved and
    /// checked them. No request is sent twice. A proxy resolves names by itself, so none may be set.
    #[must_use]
    pub fn reaching_only(self, host: impl Into<String>, addresses: &[SocketAddr]) -> Self {
        let only = ReachedHost { name: host.into(), addresses: addresses.to_vec() };
        Self { only: Some(only), is_sent_once: true, ..self }
    }

    /// Builds a client for requests to this URL. An [`HttpClient`](crate::HttpClient) keeps it for
    /// further ones.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Tls`] if TLS does not work on this machine.
    pub fn build(&self, url: &Url) -> Result<Client, Error> {
        self.build_with(self.authorities(url))
    }

    /// Builds a client for requests to any URL, also to ones that are not known yet.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Tls`] if TLS does not work on this machine.
    pub fn build_for_any_url(&self) -> Result<Client, Error> {
        self.build_with(Authorities::All)
    }

    /// Returns the needs of a request to this URL. No redirect leads elsewhere.
    pub(crate) fn authorities(&self, url: &Url) -> Authorities {
        // A proxy may itself be reached over TLS.
        let is_direct = self.proxies.is_empty() && !self.has_environment_proxies;
        let is_plain = matches!(url.scheme(), "http" | "ws") && is_direct;
        if is_plain { Authorities::One } else { Authorities::All }
    }

    pub(crate) fn build_with(&self, authorities: Authorities) -> Result<Client, Error> {
        let no_client = |error: reqwest::Error| {
            Error::new(ErrorKind::Tls, "TLS does not work on this machine").with_source(error)
        };
        let proxies = self.proxies.iter().map(ClientProxy::to_reqwest);
        let proxies = proxies.collect::<Result<Vec<_>, _>>()?;
        let builder = || proxies.iter().cloned().fold(self.builder(), ClientBuilder::proxy);
        let client = match (authorities, &self.trusted) {
            (Authorities::One, _) => with_one(builder()),
            (Authorities::All, Some(trusted)) => builder().tls_certs_only(trusted.clone()).build(),
            (Authorities::All, None) => with_machine(builder),
        };
        client.map_err(no_client)
    }

    fn builder(&self) -> ClientBuilder {
        provide_ciphers();
        let mut builder = ClientBuilder::new()
            .user_agent(concat!("silcrow/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .referer(false)
            // The features of another crate may turn these on.
            .no_gzip()
            .no_deflate()
            .no_brotli()
            .no_zstd();
        if !self.has_environment_proxies {
            builder = builder.no_proxy();
        }
        if let Some(limit) = self.connect {
            builder = builder.connect_timeout(limit);
        }
        if self.is_version_1 {
            builder = builder.http1_only();
        }
        if self.is_unpooled {
            builder = builder.pool_max_idle_per_host(0);
        }
        if self.is_sent_once {
            builder = builder.retry(retry::never());
        }
        if let Some(ReachedHost { name, addresses }) = &self.only {
            let no_others = Arc::new(NoOtherNames);
            builder = builder.dns_resolver(no_others).resolve_to_addrs(name, addresses);
        }
        builder
    }
}

/// Gives the process the ciphers of `ring`, unless it has chosen others.
fn provide_ciphers() {
    if CryptoProvider::get_default().is_none() {
        // Another thread may be quicker, and then its choice counts.
        let _ = ring::default_provider().install_default();
    }
}

/// A resolver that resolves no name: all allowed names are resolved and checked before.
struct NoOtherNames;

impl Resolve for NoOtherNames {
    fn resolve(&self, _: Name) -> Resolving {
        Box::pin(async { Err(io::Error::from(io::ErrorKind::NotFound).into()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_roots_load_except_for_direct_http() {
        let direct = ClientOptions::new();
        let proxy = ClientProxy::new("https://proxy.example:3128").expect("a proxy");
        let proxied = direct.clone().with_proxy(proxy);
        let environment = direct.clone().with_environment_proxies();
        for (url, expected) in [
            ("http://127.0.0.1:8080/v1", Authorities::One),
            ("ws://127.0.0.1:8080/v1", Authorities::One),
            ("https://api.example/v1", Authorities::All),
            ("wss://api.example/v1", Authorities::All),
        ] {
            let url = Url::parse(url).expect("a URL");
            assert_eq!(direct.authorities(&url), expected, "{url}");
            assert_eq!(proxied.authorities(&url), Authorities::All, "{url}");
            assert_eq!(environment.authorities(&url), Authorities::All, "{url}");
        }
    }
}
