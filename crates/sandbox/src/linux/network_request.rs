//! A request of the program to the holder of a shared network.

use std::io;

/// A socket that the holder makes inside the namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NetworkRequest {
    /// One that listens at a port of 127.0.0.1; 0 is any that is free.
    Listener(u16),
    /// One of IPv4 that is not connected yet.
    Socket,
    /// One of IPv6 that is not connected yet.
    SocketV6,
}

impl NetworkRequest {
    /// The number of bytes of a request.
    pub(crate) const LENGTH: usize = 3;

    pub(crate) fn to_bytes(self) -> [u8; Self::LENGTH] {
        let (kind, port) = match self {
            Self::Listener(port) => (b'l', port),
            Self::Socket => (b'4', 0),
            Self::SocketV6 => (b'6', 0),
        };
        let [high, low] = port.to_be_bytes();
        [kind, high, low]
    }

    pub(crate) fn from_bytes([kind, high, low]: [u8; Self::LENGTH]) -> io::Result<Self> {
        match kind {
            b'l' => Ok(Self::Listener(u16::from_be_bytes([high, low]))),
            b'4' => Ok(Self::Socket),
            b'6' => Ok(Self::SocketV6),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_they_were_written() {
        for port in [0, 1, 80, 255, 256, 8080, u16::MAX] {
            let request = NetworkRequest::Listener(port);
            assert_eq!(NetworkRequest::from_bytes(request.to_bytes()).unwrap(), request);
        }
        for request in [NetworkRequest::Socket, NetworkRequest::SocketV6] {
            assert_eq!(NetworkRequest::from_bytes(request.to_bytes()).unwrap(), request);
        }
        assert!(NetworkRequest::from_bytes([0, 0, 0]).is_err());
    }
}
