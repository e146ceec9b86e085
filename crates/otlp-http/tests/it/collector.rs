//! A collector on a real socket, which answers as a test says.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// A collector's behaviour for a request.
#[derive(Clone, Copy)]
pub(crate) enum CollectorReply {
    /// It answers with this status, and with these lines of a head.
    Status(u16, &'static str),
    /// It answers with 200 and this body.
    Body(&'static [u8]),
    /// It never answers.
    Hang,
    /// It closes the connection.
    Close,
}

/// A collector. It keeps up to a thousand requests.
pub(crate) struct TestCollector {
    pub(crate) address: String,
    requests: mpsc::Receiver<CollectedRequest>,
}

/// A request that a collector got.
pub(crate) struct CollectedRequest {
    /// The request's line and headers, in lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl TestCollector {
    /// Starts a collector, which asks for the reply to each request by its number.
    pub(crate) async fn start(reply: fn(usize) -> CollectorReply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::channel(1_000);
        tokio::spawn(async move {
            let counter = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (sender, counter) = (sender.clone(), counter.clone());
                tokio::spawn(async move { serve(stream, reply, &sender, &counter).await });
            }
        });
        Self { address, requests }
    }

    /// Waits for the next request.
    pub(crate) async fn next(&mut self) -> CollectedRequest {
        self.requests.recv().await.unwrap()
    }

    /// Returns the requests that were not looked at yet.
    pub(crate) fn rest(&mut self) -> Vec<CollectedRequest> {
        std::iter::from_fn(|| self.requests.try_recv().ok()).collect()
    }
}

async fn serve(
    mut stream: TcpStream,
    reply: fn(usize) -> CollectorReply,
    sender: &mpsc::Sender<CollectedRequest>,
    counter: &std::sync::atomic::AtomicUsize,
) {
    while let Some(request) = read(&mut stream).await {
        let number = counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let _ = sender.try_send(request);
        let answer = match reply(number) {
            CollectorReply::Status(status, lines) => {
                format!("HTTP/1.1 {status} X\r\n{lines}content-length: 0\r\n\r\n").into_bytes()
            }
            CollectorReply::Body(body) => {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                [head.as_bytes(), body].concat()
            }
            CollectorReply::Hang => return std::future::pending().await,
            CollectorReply::Close => return,
        };
        if stream.write_all(&answer).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<CollectedRequest> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head.split("content-length: ").nth(1)?;
            let length: usize = length.lines().next()?.parse().ok()?;
            if bytes.len() >= end + 4 + length {
                return Some(CollectedRequest { head, body: bytes[end + 4..].to_vec() });
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
        }
    }
}
