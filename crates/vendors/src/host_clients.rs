//! The HTTP clients of a host, each built for the first request that needs it.
//!
//! This module knows which certificate authorities a request needs. It does not know what is sent.

use std::sync::OnceLock;

use reqwest::{Client, Url};
use silcrow_provider::Error;

use crate::proxy::Proxy;

/// The certificate authorities that a client trusts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authorities {
    /// Those of the machine, or the bundled ones if the machine has none. Reading them takes
    /// milliseconds.
    All,
    /// A single one, because a client cannot be built without. Nothing is encrypted.
    One,
}

impl Authorities {
    /// Returns what a request to this URL needs. No redirect leads elsewhere.
    pub(crate) fn needed(url: &Url, proxies: &[Proxy]) -> Self {
        // A proxy may itself be reached over TLS.
        let is_plain = matches!(url.scheme(), "http" | "ws") && proxies.is_empty();
        if is_plain { Self::One } else { Self::All }
    }
}

/// The clients for requests of one kind.
#[derive(Default)]
pub(crate) struct HostClients {
    encrypted: OnceLock<Client>,
    plain: OnceLock<Client>,
}

impl HostClients {
    /// Returns the client with these authorities, which the first caller builds.
    pub(crate) fn get(
        &self,
        authorities: Authorities,
        build: impl FnOnce(Authorities) -> Result<Client, Error>,
    ) -> Result<Client, Error> {
        let cell = match authorities {
            Authorities::All => &self.encrypted,
            Authorities::One => &self.plain,
        };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let client = build(authorities)?;
        // If another thread was quicker, its client is kept for later requests.
        let _ = cell.set(client.clone());
        Ok(client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_http_without_a_proxy_does_without_the_authorities_of_the_machine() {
        let needed = |url: &str, proxies: &[Proxy]| {
            Authorities::needed(&Url::parse(url).expect("a URL"), proxies)
        };
        let proxy = [Proxy::new("https://proxy.example:3128", "").expect("a proxy")];
        assert_eq!(needed("http://127.0.0.1:8080/v1", &[]), Authorities::One);
        assert_eq!(needed("ws://127.0.0.1:8080/v1", &[]), Authorities::One);
        assert_eq!(needed("https://api.example/v1", &[]), Authorities::All);
        assert_eq!(needed("wss://api.example/v1", &[]), Authorities::All);
        assert_eq!(needed("http://127.0.0.1:8080/v1", &proxy), Authorities::All);
    }

    #[test]
    fn each_client_is_built_once_and_only_if_needed() {
        let (clients, mut built) = (HostClients::default(), Vec::new());
        for authorities in [Authorities::One, Authorities::One, Authorities::All, Authorities::All]
        {
            let client = clients.get(authorities, |authorities| {
                built.push(authorities);
                crate::http::client(crate::Timeouts::default(), &[], Authorities::One)
            });
            assert!(client.is_ok());
        }
        assert_eq!(built, [Authorities::One, Authorities::All]);
    }
}
