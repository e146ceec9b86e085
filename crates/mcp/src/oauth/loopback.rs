//! The address of this machine to which a browser returns after a login.

use std::io;
use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// A port that listens until the browser returns.
pub(crate) struct Loopback {
    listener: TcpListener,
    port: u16,
}

impl Loopback {
    pub(crate) async fn bind() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// Returns the address for the browser.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits until a browser returns from a link, and returns the address that it requests. A
    /// request without the `state` of that link is not an answer to it.
    pub(crate) async fn returned(&self, link: &str) -> io::Result<String> {
        let state = query(link, "state");
        loop {
            let (mut socket, _) = self.listener.accept().await?;
            // A silent client delays others only briefly.
            let Ok(Ok(Some(target))) = timeout(READ, target(&mut socket)).await else { continue };
            let returned = format!("http://127.0.0.1:{}{target}", self.port);
            let is_it =
                target.starts_with(PATH) && state.is_some() && query(&returned, "state") == state;
            let page = if is_it { DONE } else { UNKNOWN };
            // The browser may be gone already.
            let _ = timeout(READ, socket.write_all(page.as_bytes())).await;
            let _ = socket.shutdown().await;
            if is_it {
                return Ok(returned);
            }
        }
    }
}

/// Reads the target of a request for a page.
async fn target(socket: &mut TcpStream) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < LONGEST_HEAD {
        let Ok(byte) = socket.read_u8().await else { break };
        head.push(byte);
    }
    let head = String::from_utf8_lossy(&head);
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let target = (words.next() == Some("GET")).then(|| words.next()).flatten();
    Ok(target.map(str::to_owned))
}

/// Returns a parameter of the query of an address.
fn query(address: &str, name: &str) -> Option<String> {
    let address = Url::parse(address).ok()?;
    let mut pairs = address.query_pairs();
    pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

const PATH: &str = "/callback";

/// The time in which a client has to send its request and read the answer.
const READ: Duration = Duration::from_secs(5);

const LONGEST_HEAD: usize = 16 << 10;

const DONE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n\
                    <!doctype html><title>silcrow</title><p>You are logged in, or the program says why \
                    not. You can close this page.";

const UNKNOWN: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
