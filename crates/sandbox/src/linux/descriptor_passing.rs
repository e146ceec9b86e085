//! Descriptors that one process passes to another over a local socket.
//!
//! A message is one byte with up to two descriptors. The callers decide what the byte means.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// Sends a byte, and descriptors that the receiver gets copies of.
pub(crate) fn send(socket: impl AsFd, word: u8, passed: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !passed.is_empty() && !control.push(SendAncillaryMessage::ScmRights(passed)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let words = [word];
    let words = [IoSlice::new(&words)];
    rustix::io::retry_on_intr(|| sendmsg(&socket, &words, &mut control, SendFlags::NOSIGNAL))?;
    Ok(())
}

/// Receives a byte and its descriptors, which no program inherits; `None` at the end of the stream.
pub(crate) fn receive(socket: impl AsFd) -> io::Result<Option<(u8, Vec<OwnedFd>)>> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut word = [0];
    let received = rustix::io::retry_on_intr(|| {
        let mut words = [IoSliceMut::new(&mut word)];
        recvmsg(&socket, &mut words, &mut control, RecvFlags::CMSG_CLOEXEC)
    })?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let passed = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    Ok(Some((word[0], passed.flatten().collect())))
}

/// The number of descriptors of a message.
const MOST: usize = 2;

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn descriptors_arrive_with_their_byte_in_order() {
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        let (mut kept, passed) = UnixStream::pair().unwrap();
        send(&ours, 7, &[passed.as_fd(), passed.as_fd()]).unwrap();
        send(&ours, 8, &[]).unwrap();
        ours.write_all(b"rest").unwrap();
        let (word, mut got) = receive(&theirs).unwrap().unwrap();
        assert_eq!((word, got.len()), (7, 2));
        drop(passed);
        UnixStream::from(got.pop().unwrap()).write_all(b"x").unwrap();
        let mut text = [0];
        kept.read_exact(&mut text).unwrap();
        assert_eq!(text, *b"x");
        let (word, got) = receive(&theirs).unwrap().unwrap();
        assert_eq!((word, got.len()), (8, 0));
        drop(ours);
        let mut rest = String::new();
        theirs.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "rest");
        assert!(receive(&theirs).unwrap().is_none());
    }
}
