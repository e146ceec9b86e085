//! A balancer: connections go to the servers in turn, without those that cannot be reached.
//!
//! Of HTTP it uses only the check whether a server is ready. Real servers have a real one.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The servers, and whose turn it is.
pub(super) struct Balancer {
    servers: Vec<String>,
    turn: AtomicUsize,
}

impl Balancer {
    /// Starts to balance, and returns the port.
    pub(super) fn start(port: u16, servers: Vec<String>) -> Result<u16, String> {
        let failed = |why: io::Error| format!("the balancer cannot listen: {why}");
        let listener = TcpListener::bind(("127.0.0.1", port)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let balancer = Arc::new(Self { servers, turn: AtomicUsize::new(0) });
        thread::spawn(move || {
            for client in listener.incoming().filter_map(Result::ok) {
                let balancer = Arc::clone(&balancer);
                // Without a server the client is cut.
                thread::spawn(move || balancer.connect().map(|server| join(&client, &server)));
            }
        });
        Ok(port)
    }

    /// Connects to the next server that can be reached.
    fn connect(&self) -> Option<TcpStream> {
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let servers = self.servers.iter().cycle().skip(first % self.servers.len());
        servers.take(self.servers.len()).find_map(|server| {
            let address = server.parse().ok()?;
            let server = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
            is_ready(&address).then_some(server)
        })
    }
}

/// Returns whether a server says that it can use its store. One that is frozen says nothing.
fn is_ready(address: &std::net::SocketAddr) -> bool {
    use std::io::{Read as _, Write as _};
    let ask = || {
        let mut server = TcpStream::connect_timeout(address, PATIENCE)?;
        server.set_read_timeout(Some(PATIENCE))?;
        server.write_all(b"GET /ready HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        let mut answer = [0; 12];
        server.read_exact(&mut answer)?;
        Ok::<_, io::Error>(answer.ends_with(b"200"))
    };
    ask().unwrap_or(false)
}

/// Passes bytes on in both directions, until both have ended.
fn join(client: &TcpStream, server: &TcpStream) {
    let pass = |mut from: &TcpStream, mut to: &TcpStream| {
        // The other side sees the end, for any reason.
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    };
    thread::scope(|scope| {
        scope.spawn(|| pass(client, server));
        pass(server, client);
        // A client that gets nothing more has nothing to ask.
        let _ = client.shutdown(Shutdown::Both);
    });
}

/// The time that a server may take to answer.
const PATIENCE: Duration = Duration::from_millis(500);
