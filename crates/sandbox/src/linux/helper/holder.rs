//! The holder: it keeps the network namespace that all commands of a sandbox share.
//!
//! It makes the namespace, passes the program descriptors of it, and then makes sockets in it for the
//! program, which itself stays outside. It lives until the program's end of the socket is closed,
//! however the program ends, and can open no file.
//!
//! ```text
//! program ── socket ── holder
//!        ◄─ namespaces ─
//!        ── listen, port ─►
//!        ◄─── socket ────
//! ```

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use rustix::process::setsid;
use rustix::thread::set_no_new_privs;

use super::{capabilities, files, loopback, namespaces, socket};
use crate::linux::descriptor_passing::send;
use crate::linux::network_request::NetworkRequest;

pub(super) fn run() -> io::Result<()> {
    let program = socket()?;
    let namespaces = match make() {
        Ok(made) => made,
        Err(error) => return answer_error(&program, &error),
    };
    let passed: Vec<_> = namespaces.iter().map(|made| made.as_fd()).collect();
    send(&program, 0, &passed)?;
    drop(namespaces);
    serve(&program)
}

/// Makes the namespaces, confines this process, and returns their descriptors: the namespace of users,
/// if it is new, and the namespace of the network.
fn make() -> io::Result<Vec<OwnedFd>> {
    setsid()?;
    let has_users = namespaces::make_network()?;
    loopback::raise()?;
    // Servers may listen on port 80 as they do in a container. Otherwise they need a higher one.
    let _ = fs::write("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
    let users = has_users.then(|| File::open("/proc/self/ns/user")).transpose()?;
    let network = File::open("/proc/self/ns/net")?;
    capabilities::give_up()?;
    set_no_new_privs(true)?;
    let rules = files::ruleset().map_err(|error| io::Error::other(error.to_string()))?;
    files::restrict(rules).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(users.into_iter().chain([network]).map(OwnedFd::from).collect())
}

/// Makes sockets for the program until its end of the socket is closed.
fn serve(mut program: &UnixStream) -> io::Result<()> {
    let mut request = [0; NetworkRequest::LENGTH];
    loop {
        match program.read_exact(&mut request) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            read => read?,
        }
        match made(request) {
            Ok(made) => send(program, 0, &[made.as_fd()])?,
            Err(error) => answer_error(program, &error)?,
        }
    }
}

fn made(request: [u8; NetworkRequest::LENGTH]) -> io::Result<OwnedFd> {
    let family = match NetworkRequest::from_bytes(request)? {
        NetworkRequest::Listener(port) => {
            return Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, port))?.into());
        }
        NetworkRequest::Socket => AddressFamily::INET,
        NetworkRequest::SocketV6 => AddressFamily::INET6,
    };
    Ok(socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?)
}

fn answer_error(program: &UnixStream, error: &io::Error) -> io::Result<()> {
    let code = error.raw_os_error().and_then(|code| u8::try_from(code).ok());
    send(program, code.filter(|code| *code != 0).unwrap_or(u8::MAX), &[])
}
