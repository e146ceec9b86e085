//! Resolves the name of a host to addresses.
//!
//! `fetcher` checks which addresses may be reached.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

/// Resolves the names of hosts.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use std::io;
/// use std::net::IpAddr;
///
/// use futures_util::future::{BoxFuture, FutureExt as _, ready};
/// use silcrow_resolve::Resolver;
///
/// /// Knows one host, as tests need it.
/// struct OneHost;
///
/// impl Resolver for OneHost {
///     fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
///         let address = IpAddr::from([203, 0, 113, 7]);
///         ready(match host {
///             "example.org" => Ok(vec![address]),
///             _ => Err(io::Error::new(io::ErrorKind::NotFound, "the host does not exist")),
///         })
///         .boxed()
///     }
/// }
///
/// assert_eq!(OneHost.resolve("example.org").await.unwrap().len(), 1);
/// assert!(OneHost.resolve("example.com").await.is_err());
/// # });
/// ```
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
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_resolve::{Resolver as _, SystemResolver};
///
/// // An address is its own answer, and nobody is asked.
/// let addresses = SystemResolver::new().resolve("127.0.0.1").await.unwrap();
/// assert!(addresses[0].is_loopback());
/// # });
/// ```
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
