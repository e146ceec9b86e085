//! The hosts that a person allows although they are not public.
//!
//! This module compares a host with the list. `fetcher` checks its addresses.

use std::collections::BTreeSet;
use std::net::IpAddr;

use url::Host;

use crate::error::{Error, ErrorKind};
use crate::web_url::WebUrl;

/// The hosts and ports that a person allows, each as `HOST:PORT`.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllowedHosts(BTreeSet<(String, u16)>);

impl AllowedHosts {
    /// Adds an entry, `HOST:PORT`.
    pub(crate) fn add(&mut self, entry: &str) -> Result<(), Error> {
        let wrong = || {
            let message = format!(
                "{entry:?} is not an allowed host; write `HOST:PORT`, such as `localhost:8888`"
            );
            Error::new(ErrorKind::Invalid, message)
        };
        let port = entry.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        let port = port.ok_or_else(wrong)?;
        let url = WebUrl::parse(&format!("http://{entry}/")).map_err(|_| wrong())?;
        if url.port() != port || url.sent_bytes() > 1 {
            return Err(wrong());
        }
        self.0.insert((url.host().to_owned(), port));
        Ok(())
    }

    /// Returns whether the host and the port of a URL are in the list.
    pub(crate) fn has(&self, url: &WebUrl) -> bool {
        self.0.contains(&(url.host().to_owned(), url.port()))
    }

    /// Returns whether an address and a port are in the list.
    pub(crate) fn has_address(&self, address: IpAddr, port: u16) -> bool {
        let host = match address {
            IpAddr::V4(address) => Host::<String>::Ipv4(address),
            IpAddr::V6(address) => Host::Ipv6(address),
        };
        self.0.contains(&(host.to_string(), port))
    }
}
