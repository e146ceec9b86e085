//! Whether a program of this machine listens at a port.
//!
//! This module reads the kernel's lists of sockets. It connects to nothing and takes no port.

use std::fs;

/// Returns whether a program listens at this port over TCP. If this is unknown, returns `true`.
pub(crate) fn is_served(port: u16) -> bool {
    let Ok(rows) = fs::read_to_string("/proc/net/tcp") else { return true };
    // Without IPv6 there is no second list.
    let more = fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
    rows.lines().chain(more.lines()).any(|row| listens(row, port))
}

/// Returns whether a row of a list is about a socket that listens at this port.
fn listens(row: &str, port: u16) -> bool {
    let mut words = row.split_whitespace().skip(1);
    let (own, _, state) = (words.next(), words.next(), words.next());
    let own = own.and_then(|own| u16::from_str_radix(own.rsplit(':').next()?, 16).ok());
    state == Some(LISTEN) && own == Some(port)
}

const LISTEN: &str = "0A";

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn listener_is_seen_until_it_closes() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let port = listener.local_addr().unwrap().port();
            assert!(is_served(port), "{address}");
            drop(listener);
            assert!(!is_served(port), "{address}");
        }
    }

    #[test]
    fn only_a_listeners_own_port_counts() {
        let row = "   1: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000";
        assert!(listens(row, 5432) && !listens(row, 5433) && !listens(row, 0));
        assert!(!listens(&row.replace("0A", "01"), 5432));
        assert!(!listens("  sl  local_address rem_address   st tx_queue", 5432));
    }
}
