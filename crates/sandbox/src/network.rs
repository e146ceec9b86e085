//! The network that all commands of a sandbox share.
//!
//! A server that one command starts can be reached by the next, and nothing outside can. Each
//! system has such a network in its module.

use std::io;
use std::net::{TcpListener, TcpStream};

use crate::system::InnerNetwork;

/// The network that the commands of a [`Sandbox`](crate::Sandbox) share, seen from outside: the program can listen in
/// it, and connect to servers of commands. Commands keep it after this value is dropped.
///
/// A server for commands in front of something outside:
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let sandbox = silcrow_sandbox::Sandbox::new(silcrow_sandbox::SandboxOptions::new("."))?;
/// if let Some(network) = sandbox.network()? {
///     let listener = network.listen(0)?;
///     let port = listener.local_addr()?.port();
///     // A command connects to 127.0.0.1 at this port, and this program accepts.
///     let (_stream, _) = listener.accept()?;
/// #   let _ = port;
/// }
/// # Ok(()) }
/// ```
///
/// A server of a command, reached from outside:
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let sandbox = silcrow_sandbox::Sandbox::new(silcrow_sandbox::SandboxOptions::new("."))?;
/// if let Some(network) = sandbox.network()? {
///     let _stream = network.connect(3000)?;
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct SharedNetwork(pub(crate) InnerNetwork);

impl SharedNetwork {
    /// Listens at a port of 127.0.0.1 inside; 0 is any that is free. Commands connect to it, and this
    /// program accepts. The port is free again when the listener is dropped.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, such as that a command listens at the port already.
    pub fn listen(&self, port: u16) -> io::Result<TcpListener> {
        self.0.listen(port)
    }

    /// Connects to a server that listens inside, at a port of 127.0.0.1, or of ::1 if no server
    /// listens there. This blocks while the server has too many waiting connections.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, such as that no server listens at the port.
    pub fn connect(&self, port: u16) -> io::Result<TcpStream> {
        self.0.connect(port)
    }
}

/// The way in which the network of a sandbox's commands opens for one of them.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use silcrow_sandbox::{NetworkOpening, Sandbox, SandboxOptions};
///
/// # let folder = tempfile::tempdir()?;
/// let sandbox = Sandbox::unconfined(SandboxOptions::new(folder.path()))?;
/// // Without walls a command has the whole network anyway.
/// assert_eq!(sandbox.network_opening(), NetworkOpening::Whole);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkOpening {
    /// Commands share a [network](SharedNetwork) that leads nowhere, in which this program can listen.
    Shared,
    /// A command can get access to [single ports](crate::ConfinedCommand::with_local_port) of this
    /// machine, so this program can listen at one of them.
    Ports,
    /// The kernel cannot divide the network, so it opens [as a
    /// whole](crate::ConfinedCommand::with_open_network) or not at all.
    Whole,
}
