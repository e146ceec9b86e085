//! The loopback interface of a new network namespace, which begins switched off.

use std::io;

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with,
};

/// Switches the loopback interface on, which gives it 127.0.0.1 and ::1. It asks the kernel over
/// netlink.
pub(super) fn raise() -> io::Result<()> {
    let flags = SocketFlags::CLOEXEC;
    // Without a protocol it is about routes and interfaces.
    let kernel = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
    let address = SocketAddrNetlink::new(0, 0);
    sendto(&kernel, &request(), SendFlags::empty(), &address)?;
    let mut answer = [0; 1024];
    let (length, _) = recv(&kernel, &mut answer[..], RecvFlags::empty())?;
    error_of(&answer[..length])
}

/// Returns a message that switches interface 1 on, which in each namespace is the loopback interface.
fn request() -> Vec<u8> {
    let mut message = Vec::with_capacity(usize::try_from(LENGTH).unwrap_or_default());
    message.extend(LENGTH.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend((NLM_F_REQUEST | NLM_F_ACK).to_ne_bytes());
    // The number of the message and the sender, neither of which is read.
    message.extend([0; 8]);
    // Any family, and any type of device.
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    // The flags, and which of them change.
    message.extend(IFF_UP.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes());
    message
}

/// Returns the error that the kernel answers with; an answer of 0 means success.
fn error_of(answer: &[u8]) -> io::Result<()> {
    let code = answer.get(16..20).and_then(|code| code.try_into().ok()).map(i32::from_ne_bytes);
    match code {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(-code)),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// The length of the request: two headers of 16 bytes.
const LENGTH: u32 = 32;
const RTM_NEWLINK: u16 = 16;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_ACK: u16 = 4;
const IFF_UP: u32 = 1;
const LOOPBACK: i32 = 1;
