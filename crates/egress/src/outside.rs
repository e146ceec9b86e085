//! The outside world of the proxy: names and connections.
//!
//! The module `outward` checks addresses between resolving and connecting.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_resolve::{Resolver as _, SystemResolver};

/// The network outside. The proxy calls [`connect`](Self::connect) only with an address that
/// [`resolve`](Self::resolve) has returned, or that was the host itself, and that is public.
///
/// ```
/// use std::io;
/// use std::net::{IpAddr, SocketAddr, TcpStream};
///
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, ready};
/// use silcrow_egress::{EgressProxy, Outside};
///
/// /// A network in which no host has an address.
/// struct Nowhere;
///
/// impl Outside for Nowhere {
///     fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
///         ready(Err(io::Error::other(format!("{host} is unknown")))).boxed()
///     }
///     fn connect(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
///         ready(Err(io::ErrorKind::NetworkUnreachable.into())).boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// assert!(Nowhere.resolve("example.org").await.is_err());
/// // Commands behind this proxy reach nothing, whatever is granted.
/// let proxy = EgressProxy::new().with_outside(Nowhere);
/// # let _ = proxy;
/// # }
/// ```
pub trait Outside: Send + Sync {
    /// Returns all addresses of a host.
    ///
    /// # Errors
    ///
    /// Returns an error if the name cannot be resolved now.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    /// Connects to an address. The stream does not block.
    ///
    /// # Errors
    ///
    /// Returns an error if connecting fails.
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>>;
}

impl<O: Outside + ?Sized> Outside for Arc<O> {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        (**self).resolve(host)
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        (**self).connect(address)
    }
}

/// The network of this machine.
///
/// ```
/// use silcrow_egress::{Outside as _, SystemOutside};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let server = std::net::TcpListener::bind(("127.0.0.1", 0))?;
/// let outside = SystemOutside::new();
/// // The proxy would refuse this address, because it is not public.
/// let stream = outside.connect(server.local_addr()?).await?;
/// assert_eq!(stream.peer_addr()?, server.local_addr()?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SystemOutside;

impl SystemOutside {
    /// Creates it.
    pub const fn new() -> Self {
        Self
    }
}

impl Outside for SystemOutside {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        const RESOLVER: SystemResolver = SystemResolver::new();
        RESOLVER.resolve(host)
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        async move { tokio::net::TcpStream::connect(address).await?.into_std() }.boxed()
    }
}
