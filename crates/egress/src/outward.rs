//! Connections to checked addresses only.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};

use silcrow_resolve::is_public;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::destination::Destination;
use crate::proxy_parts::ProxyParts;
use crate::tasks;

/// The reason why connecting to an allowed host failed.
#[derive(Debug)]
pub(crate) enum Unreached {
    /// One of its addresses is not public.
    NotPublic,
    Unresolved(io::Error),
    Unconnected(io::Error),
    Late,
}

/// Resolves the host once, checks all of its addresses, and connects to the first of these that
/// answers.
pub(crate) async fn connect(proxy: &ProxyParts, to: &Destination) -> Result<TcpStream, Unreached> {
    let limit = proxy.limits.connect;
    let addresses = match to.host.address() {
        Some(address) => vec![address],
        None => {
            let resolved = timeout(limit, proxy.outside.resolve(to.host.as_str())).await;
            resolved.map_err(|_| Unreached::Late)?.map_err(Unreached::Unresolved)?
        }
    };
    if !addresses.iter().all(|address| is_public(*address)) {
        return Err(Unreached::NotPublic);
    }
    let mut failure = Unreached::Unresolved(io::ErrorKind::NotFound.into());
    let mut addresses = first_of_each_kind(addresses).into_iter().peekable();
    while let Some(address) = addresses.next() {
        let address = SocketAddr::new(address, to.port);
        // A machine may have no route to one of the kinds, without any error.
        let limit = if addresses.peek().is_some() { limit / 4 } else { limit };
        match timeout(limit, proxy.outside.connect(address)).await {
            Ok(Ok(stream)) => return tasks::stream(stream).map_err(Unreached::Unconnected),
            Ok(Err(error)) => failure = Unreached::Unconnected(error),
            Err(_) => failure = Unreached::Late,
        }
    }
    Err(failure)
}

/// Returns the addresses to try: one of each kind by turns, because a machine may have no way to one
/// of the kinds.
fn first_of_each_kind(addresses: Vec<IpAddr>) -> Vec<IpAddr> {
    let is_first_v6 = addresses.first().is_some_and(IpAddr::is_ipv6);
    let (first, second): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|address| address.is_ipv6() == is_first_v6);
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let pairs = std::iter::from_fn(|| match (first.next(), second.next()) {
        (None, None) => None,
        (one, other) => Some(one.into_iter().chain(other)),
    });
    pairs.flatten().take(MOST_ADDRESSES).collect()
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPublic => f.write_str("one of its addresses is not public"),
            Self::Unresolved(error) => write!(f, "its name is not resolved: {error}"),
            Self::Unconnected(error) => write!(f, "it cannot be connected to: {error}"),
            Self::Late => f.write_str("it does not answer in time"),
        }
    }
}

/// The number of addresses that are tried.
const MOST_ADDRESSES: usize = 6;
