//! The list of local sockets that the kernel has for the network of this process.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with,
};

/// A local socket that has a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoundSocket {
    /// The number of the socket itself, which is not reused soon.
    pub(crate) number: u32,
    /// The name that it was given, which may be relative, and may no longer lead to it.
    pub(crate) name: PathBuf,
    /// The lower half of the number of its file.
    pub(crate) inode: u32,
    /// The number of its file system, as the kernel writes it.
    pub(crate) device: u32,
}

/// Returns all local sockets that have a file.
pub(crate) fn bound_sockets() -> io::Result<Vec<BoundSocket>> {
    let flags = SocketFlags::CLOEXEC;
    let kernel = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, Some(SOCK_DIAG))?;
    sendto(&kernel, &request(), SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut found = Vec::new();
    let mut answer = vec![0; 64 << 10];
    loop {
        let (length, _) =
            rustix::io::retry_on_intr(|| recv(&kernel, &mut answer[..], RecvFlags::empty()))?;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if !read(&answer[..length], &mut found)? {
            return Ok(found);
        }
    }
}

/// Returns the question for all local sockets, with their names and files.
fn request() -> Vec<u8> {
    let mut message = Vec::new();
    message.extend(40_u32.to_ne_bytes());
    message.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    message.extend((NLM_F_REQUEST | NLM_F_DUMP).to_ne_bytes());
    message.extend([0; 8]);
    message.extend([AF_UNIX, 0, 0, 0]);
    // In any state, with any number.
    message.extend(u32::MAX.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    message.extend((UDIAG_SHOW_NAME | UDIAG_SHOW_VFS).to_ne_bytes());
    message.extend([0; 8]);
    message
}

/// Reads the messages of an answer, and returns whether more answers follow.
fn read(mut answer: &[u8], found: &mut Vec<BoundSocket>) -> io::Result<bool> {
    while let Some(length) = number(answer, 0) {
        let kind = answer.get(4..6).and_then(|kind| kind.try_into().ok()).map(u16::from_ne_bytes);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let message = answer.get(HEADER..length).ok_or(io::ErrorKind::InvalidData)?;
        match kind {
            Some(NLMSG_DONE) => return Ok(false),
            Some(NLMSG_ERROR) => {
                let code = number(message, 0).unwrap_or_default().cast_signed();
                return Err(io::Error::from_raw_os_error(code.wrapping_neg()));
            }
            _ => found.extend(bound(message)),
        }
        answer = answer.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(true)
}

/// Reads the data of a socket; `None` if it has no file.
fn bound(message: &[u8]) -> Option<BoundSocket> {
    let (socket, mut attributes) = (number(message, 4)?, message.get(HEADER..)?);
    let (mut name, mut file) = (PathBuf::new(), None);
    while let Some(head) = number(attributes, 0) {
        let [length, kind] = halves(head);
        let length = usize::from(length);
        let value = attributes.get(4..length)?;
        match kind {
            UNIX_DIAG_NAME => {
                let end = value.iter().position(|byte| *byte == 0).unwrap_or(value.len());
                name = Path::new(OsStr::from_bytes(&value[..end])).to_owned();
            }
            UNIX_DIAG_VFS => file = Some((number(value, 0)?, number(value, 4)?)),
            _ => {}
        }
        attributes = attributes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    file.map(|(inode, device)| BoundSocket { number: socket, name, inode, device })
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Returns the two numbers of 16 bits that lie one after the other in memory.
fn halves(number: u32) -> [u16; 2] {
    let [a, b, c, d] = number.to_ne_bytes();
    [u16::from_ne_bytes([a, b]), u16::from_ne_bytes([c, d])]
}

/// The length of the header of a message, and also of the fixed part of the data about a socket.
const HEADER: usize = 16;
const AF_UNIX: u8 = 1;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 0x1;
const NLM_F_DUMP: u16 = 0x300;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const UDIAG_SHOW_NAME: u32 = 1;
const UDIAG_SHOW_VFS: u32 = 2;
const UNIX_DIAG_NAME: u16 = 0;
const UNIX_DIAG_VFS: u16 = 1;

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn sockets_are_listed_with_name_and_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("so ck");
        let _listener = UnixListener::bind(&path).unwrap();
        let (_a, _b) = std::os::unix::net::UnixStream::pair().unwrap();
        let list = bound_sockets().unwrap();
        let found = list.iter().find(|socket| socket.name == path).unwrap();
        let at = path.symlink_metadata().unwrap();
        assert_eq!(u64::from(found.inode), at.ino() & u64::from(u32::MAX));
        let device = (rustix::fs::major(at.dev()) << 20) | rustix::fs::minor(at.dev());
        assert_eq!(found.device, device);
    }

    #[test]
    fn truncated_replies_are_errors_without_panic() {
        let whole = [&16_u32.to_ne_bytes()[..], &[20, 0, 0, 0], &[0; 8]].concat();
        assert!(read(&whole, &mut Vec::new()).unwrap());
        let mut longer = whole.clone();
        longer[0] = 40;
        assert!(read(&longer, &mut Vec::new()).is_err());
        for length in 0..whole.len() {
            let _ = read(&whole[..length], &mut Vec::new());
        }
        let socket = [0; HEADER];
        assert_eq!(bound(&[&socket[..], &[8, 0, 1, 0, 1]].concat()), None);
        assert_eq!(bound(&[&socket[..], &[0; 8]].concat()), None);
    }
}
