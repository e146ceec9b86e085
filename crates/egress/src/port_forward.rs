//! Connections from one port to another.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::io::copy_bidirectional;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::tasks::{self, OwnTask};

/// Connections from a listener to somewhere else, as long as it exists. When it is dropped, the
/// listener is closed and all of its connections are cut.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use std::net::TcpListener;
///
/// use silcrow_egress::PortForward;
///
/// // In a sandbox the listener is one inside the namespace of the commands.
/// let listener = TcpListener::bind("127.0.0.1:0").unwrap();
/// let forward = PortForward::to_this_machine(listener, 5432).unwrap();
/// drop(forward);
/// # });
/// ```
#[must_use = "it ends when it is dropped"]
pub struct PortForward {
    _task: OwnTask,
}

impl PortForward {
    /// Carries each connection of the listener to a connection that `connect` makes. If that fails, the
    /// connection is closed. It runs in the runtime of the caller.
    ///
    /// # Errors
    ///
    /// Returns an error outside of a runtime of tokio, and if the runtime cannot use the listener.
    pub fn new(
        listener: TcpListener,
        connect: impl Fn() -> BoxFuture<'static, io::Result<TcpStream>> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let runtime = tasks::runtime()?;
        let listener = tasks::listener(&runtime, listener)?;
        Ok(Self { _task: OwnTask::start(&runtime, carry(listener, connect)) })
    }

    /// Carries each connection of the listener to this port of this machine, at its loopback address
    /// of IPv4, or of IPv6 if nothing is there.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](Self::new) does.
    pub fn to_this_machine(listener: TcpListener, port: u16) -> io::Result<Self> {
        Self::new(listener, move || {
            async move {
                let stream = match tokio::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await
                {
                    Err(_) => tokio::net::TcpStream::connect((Ipv6Addr::LOCALHOST, port)).await?,
                    stream => stream?,
                };
                stream.into_std()
            }
            .boxed()
        })
    }
}

impl fmt::Debug for PortForward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PortForward").finish_non_exhaustive()
    }
}

async fn carry(
    listener: tokio::net::TcpListener,
    connect: impl Fn() -> BoxFuture<'static, io::Result<TcpStream>>,
) {
    let permits = Arc::new(Semaphore::new(MOST));
    let mut connections = JoinSet::new();
    // The semaphore is never closed.
    while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
        match listener.accept().await {
            Ok((mut from, _)) => {
                let to = connect();
                connections.spawn(async move {
                    let _permit = permit;
                    if let Ok(Ok(mut to)) = to.await.map(tasks::stream) {
                        // Either end may have closed it.
                        let _ = copy_bidirectional(&mut from, &mut to).await;
                    }
                });
            }
            // There are too many open files, or the client is gone already.
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

/// The number of connections at the same time. Others wait to be accepted.
const MOST: usize = 64;

/// The pause after a connection that could not be accepted.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);
