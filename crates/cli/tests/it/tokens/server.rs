//! A loopback server of Responses, over HTTP and over WebSockets, that counts every byte.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;

#[derive(Clone, Copy)]
pub(crate) enum Way {
    Requests,
    Socket,
}

pub(crate) struct Server {
    address: SocketAddr,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    up: AtomicU64,
    down: AtomicU64,
    connections: AtomicU64,
    asked: Mutex<Vec<Asked>>,
}

/// A question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// Bytes of the body, or of the message.
    pub(crate) bytes: u64,
}

/// The counts.
pub(crate) struct Counted {
    /// Read from sockets.
    pub(crate) up: u64,
    /// Written to them.
    pub(crate) down: u64,
    pub(crate) connections: u64,
    pub(crate) asked: Vec<Asked>,
}

impl Server {
    /// A model that calls a tool so many times and then answers.
    pub(crate) async fn start(way: Way, calls: usize) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let counts = Arc::<Counts>::default();
        let server = Self { address, counts: Arc::clone(&counts) };
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                counts.connections.fetch_add(1, Ordering::SeqCst);
                let counts = Arc::clone(&counts);
                let wire = Wire { socket, counts: Arc::clone(&counts) };
                tokio::spawn(async move {
                    match way {
                        Way::Requests => requests(wire, &counts, calls).await,
                        Way::Socket => messages(wire, &counts, calls).await,
                    }
                });
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn counted(&self) -> Counted {
        let Counts { up, down, connections, asked } = &*self.counts;
        let [up, down, connections] =
            [up, down, connections].map(|count| count.load(Ordering::SeqCst));
        Counted { up, down, connections, asked: asked.lock().unwrap().clone() }
    }
}

impl Counts {
    /// The events of the answer to this.
    fn answer(&self, question: &str, calls: usize) -> Vec<String> {
        let mut asked = self.asked.lock().unwrap();
        let number = asked.len();
        asked.push(Asked { bytes: question.len() as u64 });
        let text = match number < calls {
            // No call repeats the one before it.
            true => format!(
                "§call: {{\"name\": \"read\", \"args\": {{\"n\": {}}}}}\n§execute\n",
                number % 2
            ),
            false => "§respond: done\n§end\n".to_owned(),
        };
        let id = format!(r#""response":{{"id":"resp_{number}","status""#);
        let begun = format!(r#"{{"type":"response.created",{id}:"in_progress"}}}}"#);
        let pieces: Vec<char> = text.chars().collect();
        let deltas = pieces.chunks(4).map(|piece| {
            let piece = Value::String(piece.iter().collect());
            format!(r#"{{"type":"response.output_text.delta","item_id":"msg_{number}","delta":{piece}}}"#)
        });
        let ended = format!(r#"{{"type":"response.completed",{id}:"completed"}}}}"#);
        [begun].into_iter().chain(deltas).chain([ended]).collect()
    }
}

/// Requests on one connection that is kept.
async fn requests(mut wire: Wire, counts: &Counts, calls: usize) {
    let mut bytes = Vec::new();
    loop {
        let Some(question) = body(&bytes) else {
            match wire.read_buf(&mut bytes).await {
                Ok(0) | Err(_) => return,
                Ok(_) => continue,
            }
        };
        let events = counts.answer(question, calls);
        bytes.clear();
        let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
        let answer = format!("{head}Content-Length: {}\r\n\r\n{events}", events.len());
        if wire.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// The body, once all of it is there.
fn body(bytes: &[u8]) -> Option<&str> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let (head, body) = (str::from_utf8(&bytes[..end]).unwrap(), &bytes[end + 4..]);
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    (body.len() == length.parse::<usize>().unwrap()).then(|| str::from_utf8(body).unwrap())
}

/// Messages on a WebSocket.
async fn messages(wire: Wire, counts: &Counts, calls: usize) {
    let mut frames = accept_async(wire).await.unwrap();
    while let Some(Ok(message)) = frames.next().await {
        let Message::Text(text) = message else { continue };
        for event in counts.answer(&text, calls) {
            if frames.send(Message::text(event)).await.is_err() {
                return;
            }
        }
    }
}

/// A socket whose bytes are counted.
struct Wire {
    socket: TcpStream,
    counts: Arc<Counts>,
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(context, into))?;
        self.counts.up.fetch_add((into.filled().len() - before) as u64, Ordering::SeqCst);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.socket).poll_write(context, bytes))?;
        self.counts.down.fetch_add(count as u64, Ordering::SeqCst);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
