//! How the name of a host becomes addresses.
//!
//! This module does not know which addresses may be reached; `fetcher` checks them.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

/// Resolves the names of hosts.
pub trait Resolver: Send + Sync {
    /// Returns all addresses of a host. A request resolves a name once, checks all addresses, and
    /// connects to one of those.
    ///
    /// # Errors
    ///
    /// Returns an error if the name cannot be resolved now.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

impl<R: Resolver + ?Sized> Resolver for Arc<R> {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        (**self).resolve(host)
    }
}

/// The resolver of the system.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SystemResolver;

impl SystemResolver {
    /// Creates the resolver.
    pub const fn new() -> Self {
        Self
    }
}

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        async move {
            let addresses = tokio::net::lookup_host((host, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        }
        .boxed()
    }
}
