//! A server on this machine that answers as a test says, byte by byte.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use silcrow_web::Fetcher;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A server that counts its connections and keeps its requests. It ends with its runtime.
#[derive(Clone)]
pub(crate) struct TestServer {
    pub(crate) port: u16,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

/// The answer of a server.
#[derive(Clone)]
pub(crate) enum Answer {
    /// These bytes, and then the end of the connection.
    Bytes(Vec<u8>),
    /// These bytes, and then nothing, until the client goes away.
    Silence(Vec<u8>),
    /// These bytes, and then the others again and again, until the client goes away.
    Endless(Vec<u8>, Vec<u8>),
    /// The same, but slowly.
    Drip(Vec<u8>, Vec<u8>),
}

impl TestServer {
    /// Starts a server on 127.0.0.1 that answers a request for a target, such as `/a?b`.
    pub(crate) async fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1", 0, answer).await.unwrap()
    }

    /// Starts a server at another address, if this machine has it.
    pub(crate) async fn start_at(
        address: &str,
        port: u16,
        answer: impl Fn(&str) -> Answer + Send + Sync + 'static,
    ) -> Option<Self> {
        let listener = TcpListener::bind((address, port)).await.ok()?;
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            connections: Arc::default(),
            requests: Arc::default(),
        };
        let (answer, counting) = (Arc::new(answer), server.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counting.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, Arc::clone(&answer), Arc::clone(&counting.requests)));
            }
        });
        Some(server)
    }

    /// Starts a server with one page.
    pub(crate) async fn with_page(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let page = page(content_type, &body.into());
        Self::start(move |_| Answer::Bytes(page.clone())).await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns a fetcher that may reach this server and no other private address.
    pub(crate) fn fetcher(&self) -> Fetcher {
        Fetcher::new().with_allowed_host(&format!("127.0.0.1:{}", self.port)).unwrap()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Returns the heads of the requests, in order.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Returns a complete answer.
pub(crate) fn page(content_type: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Returns a redirect.
pub(crate) fn redirect(status: u16, location: &str) -> Answer {
    let head = format!(
        "HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    Answer::Bytes(head.into_bytes())
}

async fn serve(
    mut stream: TcpStream,
    answer: Arc<impl Fn(&str) -> Answer>,
    requests: Arc<Mutex<Vec<String>>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let length = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let length = length.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
    if stream.read_exact(&mut body).await.is_err() {
        return;
    }
    head.extend_from_slice(&body);
    let head = String::from_utf8(head).unwrap();
    let target = head.split(' ').nth(1).unwrap().to_owned();
    requests.lock().unwrap().push(head);
    // Writing fails once the client has gone away, which ends the endless answers.
    let _ = match answer(&target) {
        Answer::Bytes(bytes) => {
            let written = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
            written
        }
        Answer::Silence(bytes) => {
            let _ = stream.write_all(&bytes).await;
            stream.read_u8().await.map(|_| ())
        }
        Answer::Endless(bytes, more) => {
            let mut written = stream.write_all(&bytes).await;
            while written.is_ok() {
                written = stream.write_all(&more).await;
            }
            written
        }
        Answer::Drip(bytes, more) => {
            let mut written = stream.write_all(&bytes).await;
            while written.is_ok() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                written = stream.write_all(&more).await;
            }
            written
        }
    };
}
