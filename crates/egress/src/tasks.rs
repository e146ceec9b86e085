//! Tasks that end with their owner, and sockets of the standard library in a runtime.

use std::io;
use std::net::{TcpListener, TcpStream};

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// A task that is stopped when it is dropped.
#[derive(Debug)]
pub(crate) struct OwnTask(JoinHandle<()>);

impl OwnTask {
    pub(crate) fn start(runtime: &Handle, task: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(runtime.spawn(task))
    }

    pub(crate) fn is_running(&self) -> bool {
        !self.0.is_finished()
    }
}

impl Drop for OwnTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Returns the runtime of the caller.
pub(crate) fn runtime() -> io::Result<Handle> {
    Handle::try_current().map_err(io::Error::other)
}

/// Returns a listener for this runtime.
pub(crate) fn listener(
    runtime: &Handle,
    listener: TcpListener,
) -> io::Result<tokio::net::TcpListener> {
    listener.set_nonblocking(true)?;
    let _runtime = runtime.enter();
    tokio::net::TcpListener::from_std(listener)
}

/// Returns a stream for the runtime of the caller, which sends small pieces at once.
pub(crate) fn stream(stream: TcpStream) -> io::Result<tokio::net::TcpStream> {
    stream.set_nonblocking(true)?;
    // It is slower without.
    let _ = stream.set_nodelay(true);
    tokio::net::TcpStream::from_std(stream)
}
