//! A loopback server that plays a test's script, byte for byte, and its observations.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, Error, FinishReason, Provider, Request};
use silcrow_vendors::{Chat, Timeouts};

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// The requests as they came, head and body.
    pub(crate) requests: Receiver<String>,
}

impl Server {
    /// Hands each connection to `play` once its request is read whole.
    pub(crate) fn start(play: impl Fn(TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let mut socket = socket.unwrap();
                socket.set_nodelay(true).unwrap();
                let request = read_request(&mut socket);
                // A test that looks at no request drops the receiver.
                let _ = sender.send(request);
                play(socket);
            }
        });
        Self { address, requests }
    }

    /// Plays `bytes` to everyone in chunks of `size`, then closes.
    pub(crate) fn playing(bytes: impl Into<Vec<u8>>, size: usize) -> Self {
        let bytes = bytes.into();
        Self::start(move |mut socket| write(&mut socket, &bytes, size))
    }

    /// Plays `bytes`, then holds the connection open until the client closes it.
    pub(crate) fn holding(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::start(move |mut socket| {
            write(&mut socket, &bytes, usize::MAX);
            wait_for_close(&mut socket);
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn chat(&self) -> Chat {
        Chat::compatible(&self.url(), "m", None).unwrap()
    }
}

/// Returns a stream's head, followed by `body`.
pub(crate) fn events(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{body}")
}

/// A whole answer of `status` and `kind`, after which the connection closes.
pub(crate) fn answer(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    )
}

/// A chunk with `text`.
pub(crate) fn chunk(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}

/// A chunk with a finish reason.
pub(crate) fn finish(reason: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n")
}

/// Writes until the client has had enough.
pub(crate) fn write(socket: &mut TcpStream, bytes: &[u8], size: usize) {
    for piece in bytes.chunks(size) {
        if socket.write_all(piece).is_err() {
            return;
        }
    }
}

/// Blocks until the client closes, and panics if it never does.
pub(crate) fn wait_for_close(socket: &mut TcpStream) {
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    match socket.read(&mut [0]) {
        Ok(0) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        other => panic!("the client did not close: {other:?}"),
    }
}

fn read_request(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = socket.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            assert_ne!(count, 0, "a request without an end");
            continue;
        };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
        });
        if body.len() >= length.unwrap_or(0) {
            return text.into_owned();
        }
    }
}

/// Everything an answer gave.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(crate) text: String,
    pub(crate) reasoning: String,
    /// Input, output and cached tokens.
    pub(crate) usage: Option<(u64, u64, u64)>,
    /// Bytes of requests.
    pub(crate) sent: u64,
    pub(crate) finish: Option<FinishReason>,
    pub(crate) error: Option<Error>,
    /// The number of text deltas.
    pub(crate) pieces: usize,
}

impl Given {
    #[track_caller]
    pub(crate) fn failed(self) -> Error {
        assert_eq!(self.finish, None);
        self.error.expect("an error")
    }
}

/// Asks, and checks the rules for every answer: it ends with its mark or an error, once.
pub(crate) async fn ask(model: &dyn Provider, streaming: bool) -> Given {
    let messages = vec![Message::new(Role::User, "hi")];
    let mut deltas = model.stream(Request::new(messages).with_streaming(streaming));
    let mut given = Given::default();
    let hang = Duration::from_secs(30);
    while let Some(item) = tokio::time::timeout(hang, deltas.next()).await.expect("no hang") {
        assert!(given.finish.is_none() && given.error.is_none(), "{item:?} after the end");
        match item {
            Ok(Delta::Text(text)) => {
                given.text.push_str(&text);
                given.pieces += 1;
            }
            Ok(Delta::Reasoning(text)) => given.reasoning.push_str(&text),
            Ok(Delta::Usage(usage)) => {
                let tokens = (usage.input, usage.output, usage.cached);
                given.usage = (tokens != (0, 0, 0)).then_some(tokens);
                given.sent = usage.sent_bytes;
            }
            Ok(Delta::Done(finish)) => given.finish = Some(finish),
            Ok(other) => panic!("{other:?} is new"),
            Err(error) => {
                given.sent += error.sent();
                given.error = Some(error);
            }
        }
    }
    assert!(given.finish.is_some() || given.error.is_some(), "an answer without an end");
    given
}

/// Limits so short that a test may wait for one of them, the others out of the way.
pub(crate) fn brief(chat: Chat, change: impl FnOnce(&mut Timeouts)) -> Chat {
    let mut timeouts = long();
    change(&mut timeouts);
    chat.with_timeouts(timeouts)
}

pub(crate) const fn long() -> Timeouts {
    Timeouts::uniform(Duration::from_secs(20))
}
