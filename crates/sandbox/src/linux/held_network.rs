//! The holder of the network that all commands of a sandbox share.
//!
//! It is a network namespace with only the loopback interface. A *holder*, a helper process, keeps
//! it, and makes sockets in it for this program, which stays outside.

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::linux::descriptor_passing::receive;
use crate::linux::helper::HOLD;
use crate::linux::network_request::NetworkRequest;
use crate::supervised::HELPER;

/// The socket of a holder, and the namespaces that it keeps.
#[derive(Debug)]
pub(crate) struct HeldNetwork {
    /// The socket of the holder. One request is answered before the next is sent.
    requests: Mutex<UnixStream>,
    holder: Child,
    namespaces: Vec<OwnedFd>,
}

impl HeldNetwork {
    /// Starts the holder, and returns the network that it made.
    pub(crate) fn start(helper: &Path) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(helper);
        command.arg0(HELPER).arg(HOLD).env_clear().current_dir("/").stdin(OwnedFd::from(theirs));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let holder = command.spawn()?;
        // The command keeps the descriptor of the other end until it is dropped.
        drop(command);
        ours.set_read_timeout(Some(PATIENCE))?;
        let requests = Mutex::new(ours);
        let mut network = Self { requests, holder, namespaces: Vec::new() };
        let ours = network.requests.get_mut().unwrap_or_else(PoisonError::into_inner);
        network.namespaces = answered(ours)?;
        Ok(network)
    }

    pub(crate) fn listen(&self, port: u16) -> io::Result<TcpListener> {
        Ok(self.socket(NetworkRequest::Listener(port))?.into())
    }

    pub(crate) fn connect(&self, port: u16) -> io::Result<TcpStream> {
        let (own, newer) = (Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into());
        match self.connect_to(NetworkRequest::Socket, SocketAddr::new(own, port)) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                let address = SocketAddr::new(newer, port);
                self.connect_to(NetworkRequest::SocketV6, address).map_err(|_| error)
            }
            connected => connected,
        }
    }

    fn connect_to(&self, request: NetworkRequest, address: SocketAddr) -> io::Result<TcpStream> {
        let socket = self.socket(request)?;
        rustix::io::retry_on_intr(|| rustix::net::connect(&socket, &address))?;
        Ok(socket.into())
    }

    fn socket(&self, request: NetworkRequest) -> io::Result<OwnedFd> {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.write_all(&request.to_bytes())?;
        let made = answered(&requests)?.pop();
        made.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    /// Returns the namespaces that a command enters: users, if there is one, and the network.
    pub(crate) fn namespaces(&self) -> Vec<BorrowedFd<'_>> {
        self.namespaces.iter().map(|namespace| namespace.as_fd()).collect()
    }
}

impl Drop for HeldNetwork {
    fn drop(&mut self) {
        // The commands that still run keep the namespace.
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// Returns the descriptors of an answer of the holder, or its error.
fn answered(holder: &UnixStream) -> io::Result<Vec<OwnedFd>> {
    match receive(holder)? {
        Some((0, made)) => Ok(made),
        Some((u8::MAX, _)) => Err(io::Error::other("the holder of the network failed")),
        Some((code, _)) => Err(io::Error::from_raw_os_error(code.into())),
        None => Err(io::Error::other("the holder of the network has ended")),
    }
}

/// The time limit of an answer, which takes some milliseconds at most.
const PATIENCE: Duration = Duration::from_secs(60);
