//! A loopback server that speaks real frames, as a test plays it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

/// Its address, and the data that it received.
#[derive(Clone)]
pub(crate) struct Wire {
    pub(crate) address: SocketAddr,
    /// The head of each upgrade.
    pub(crate) heads: Arc<Mutex<Vec<String>>>,
    /// Every text, over all connections.
    pub(crate) texts: Arc<Mutex<Vec<String>>>,
}

/// The server's end of one connection.
pub(crate) struct Line {
    /// The number of earlier connections.
    pub(crate) number: usize,
    pub(crate) frames: WebSocketStream<TcpStream>,
    texts: Arc<Mutex<Vec<String>>>,
}

impl Wire {
    /// Hands each connection to `play` once it is upgraded, one after the other.
    pub(crate) async fn start<F: Future<Output = ()> + Send>(
        play: impl Fn(Line) -> F + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let wire = Self { address, heads: Arc::default(), texts: Arc::default() };
        let Self { heads, texts, .. } = wire.clone();
        tokio::spawn(async move {
            for number in 0.. {
                let (socket, _) = listener.accept().await.unwrap();
                socket.set_nodelay(true).unwrap();
                #[expect(clippy::result_large_err, reason = "the library's own type")]
                let upgraded = accept_hdr_async(socket, |request: &Request, response: Response| {
                    let head = format!("{} {:?}", request.uri(), request.headers());
                    heads.lock().unwrap().push(head);
                    Ok(response)
                });
                let frames = upgraded.await.unwrap();
                play(Line { number, frames, texts: Arc::clone(&texts) }).await;
            }
        });
        wire
    }

    /// Plays `bytes` after every upgrade, in pieces of `size`, and then closes without a closing frame,
    /// or holds the connection until the client closes it.
    pub(crate) async fn playing(bytes: impl Into<Vec<u8>>, size: usize, holds: bool) -> Self {
        let bytes = bytes.into();
        Self::start(move |line| line.play(bytes.clone(), size, holds)).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the received messages, and forgets them.
    pub(crate) fn take(&self) -> Vec<Value> {
        let texts = std::mem::take(&mut *self.texts.lock().unwrap());
        texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect()
    }
}

impl Line {
    /// The next event of the client's; null when it is gone.
    pub(crate) async fn receive(&mut self) -> Value {
        loop {
            match self.frames.next().await {
                Some(Ok(Message::Text(text))) => {
                    self.texts.lock().unwrap().push(text.as_str().to_owned());
                    return serde_json::from_str(&text).unwrap();
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => return Value::Null,
            }
        }
    }

    /// Sends events, a line each, until the client has had enough.
    pub(crate) async fn send_events(&mut self, events: &str) {
        for event in events.lines() {
            self.send(Message::text(event)).await;
        }
    }

    /// Sends a ping, and reports its answer to `ponged`.
    pub(crate) async fn ping(&mut self, ponged: oneshot::Sender<()>) {
        self.send(Message::Ping("there?".into())).await;
        while let Some(Ok(message)) = self.frames.next().await {
            if message.is_pong() {
                let _ = ponged.send(());
                return;
            }
        }
    }

    /// Writes bytes in pieces of `size`, and then closes without a word, or waits until the client
    /// does.
    pub(crate) async fn play(mut self, bytes: Vec<u8>, size: usize, holds: bool) {
        let socket = self.frames.get_mut();
        for piece in bytes.chunks(size) {
            if socket.write_all(piece).await.is_err() {
                return;
            }
        }
        if !holds {
            let _ = socket.shutdown().await;
        }
        // Unread data would reset the connection, and lose the data written with it.
        let _ = tokio::io::copy(socket, &mut tokio::io::sink()).await;
    }

    pub(crate) async fn send(&mut self, message: Message) {
        let _ = self.frames.send(message).await;
    }
}

/// A frame of a server's, byte for byte: the kinds are 0 for more of the last, 1 text, 2 bytes,
/// 8 close, 9 ping.
pub(crate) fn frame(kind: u8, last: bool, data: &[u8]) -> Vec<u8> {
    let first = kind | if last { 0x80 } else { 0 };
    let mut bytes = match data.len() {
        short @ ..126 => vec![first, short as u8],
        long @ 126..0x1_0000 => [&[first, 126][..], &(long as u16).to_be_bytes()].concat(),
        long => [&[first, 127][..], &(long as u64).to_be_bytes()].concat(),
    };
    bytes.extend_from_slice(data);
    bytes
}

/// Events, a line each, as texts.
pub(crate) fn texts(events: &str) -> Vec<u8> {
    events.lines().flat_map(|event| frame(1, true, event.as_bytes())).collect()
}

/// A close with this code and reason.
pub(crate) fn close(code: u16, reason: &str) -> Vec<u8> {
    frame(8, true, &[&code.to_be_bytes(), reason.as_bytes()].concat())
}
