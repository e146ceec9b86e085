//! A WebSocket to a vendor, opened like any other request of HTTP.
//!
//! ```text
//!            ┌───────────── task ─────────────┐
//! send ────▶ │ texts of ours ──▶ frames       │ ──▶ TCP, TLS
//! next ◀──── │ texts of theirs ◀── frames     │ ◀──
//!            │ pings are answered in between  │
//!            └────────────────────────────────┘
//! ```
//!
//! The task lives as long as the [`Socket`]: a server may ask at any time whether we are still
//! there, also while tools run and nobody reads.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::header::{
    CONNECTION, DATE, HeaderMap, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use reqwest::{RequestBuilder, Response, StatusCode, Upgraded};
use silcrow_provider::{Activity, Error, sse};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Message};

use crate::error::{Cause, Peer};
use crate::http;

mod closed;

/// Texts that come and go. Dropping it hangs up.
pub(crate) struct Socket {
    to_send: mpsc::Sender<String>,
    heard: mpsc::Receiver<Result<String, Gone>>,
    task: Task,
    /// Where every frame is noted, pings too.
    pub(crate) activity: Activity,
    /// When it was opened, by the server's clock where it tells.
    pub(crate) opened: SystemTime,
}

/// Why nothing more comes.
pub(crate) enum Gone {
    /// The server closed it, with a code and a reason where it gave them.
    Closed(Option<u16>, String),
    /// Closed without a word.
    Broken(Cause),
    /// It sent what is no WebSocket's, or more than [`sse::MAX_EVENT`] at once.
    Malformed(String),
}

impl Socket {
    /// Opens one by this request, whose answer may take this long. What is no WebSocket there fails
    /// as a request would.
    pub(crate) async fn open(
        upgrade: RequestBuilder,
        peer: &Peer,
        limit: Duration,
    ) -> Result<Self, Error> {
        let key = generate_key();
        let upgrade = upgrade
            .header(CONNECTION, "Upgrade")
            .header(UPGRADE, WEBSOCKET)
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, &key);
        let response = timeout(limit, upgrade.send()).await.map_err(|_| peer.unopened(limit))?;
        let response = response.map_err(|error| peer.unreachable(error))?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Err(refused(response, peer).await);
        }
        if !is_agreed(response.headers(), &key) {
            return Err(peer.malformed("it switched to something else than a WebSocket"));
        }
        let opened = date(&response);
        let upgraded = response.upgrade().await.map_err(|error| peer.unreachable(error))?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(sse::MAX_EVENT))
            .max_frame_size(Some(sse::MAX_EVENT));
        let stream = WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await;
        let (to_send, texts) = mpsc::channel(WAITING);
        let (hears, heard) = mpsc::channel(WAITING);
        let activity = Activity::default();
        let task = Task(tokio::spawn(carry(stream, texts, hears, activity.clone())));
        Ok(Self { to_send, heard, task, activity, opened })
    }

    /// The next text. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Result<String, Gone> {
        let gone = || Err(Gone::Broken("the connection is closed".into()));
        self.heard.recv().await.unwrap_or_else(gone)
    }

    /// What came already.
    pub(crate) fn heard(&mut self) -> Option<Result<String, Gone>> {
        self.heard.try_recv().ok()
    }

    /// Hands on texts, and counts their bytes. Where they cannot be sent, [`next`](Self::next)
    /// says why. Cancel-safe.
    pub(crate) async fn send(&mut self, texts: &mut VecDeque<String>, sent: &mut u64) {
        while !texts.is_empty() {
            let Ok(place) = self.to_send.reserve().await else { return };
            if let Some(text) = texts.pop_front() {
                *sent += text.len() as u64;
                place.send(text);
            }
        }
    }

    /// Takes leave, without waiting for longer than it takes to say so.
    pub(crate) async fn close(self) {
        let Self { to_send, heard, mut task, .. } = self;
        drop((to_send, heard));
        let _ = timeout(LEAVE, &mut task.0).await;
    }
}

/// Hangs up when it is dropped.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The one loop in which frames come and go. It reads ahead of whoever listens, for a ping may stand
/// behind texts that nobody takes for a while.
async fn carry(
    mut stream: WebSocketStream<Upgraded>,
    mut texts: mpsc::Receiver<String>,
    hears: mpsc::Sender<Result<String, Gone>>,
    activity: Activity,
) {
    let (mut ahead, mut bytes, mut over) = (VecDeque::new(), 0, false);
    while !(over && ahead.is_empty()) {
        tokio::select! {
            text = texts.recv() => {
                let Some(text) = text else { break };
                // What cannot be sent shows in what is read next.
                let _ = stream.send(Message::text(text)).await;
            }
            place = hears.reserve(), if !ahead.is_empty() => {
                let (Ok(place), Some(item)) = (place, ahead.pop_front()) else { break };
                bytes -= size(&item);
                place.send(item);
            }
            item = stream.next(), if !over && bytes < AHEAD => {
                activity.note();
                let Some(item) = read(item) else { continue };
                over = item.is_err();
                bytes += size(&item);
                ahead.push_back(item);
            }
        }
    }
    // Whoever does not listen any more is left.
    let _ = stream.close(None).await;
}

/// What it takes in memory, which is more than nothing.
fn size(item: &Result<String, Gone>) -> usize {
    size_of_val(item) + item.as_ref().map_or(0, String::len)
}

/// A text, or why none comes; nothing of what concerns the connection alone.
fn read(item: Option<Result<Message, tungstenite::Error>>) -> Option<Result<String, Gone>> {
    let closed = "it closed the connection without a word";
    Some(match item {
        Some(Ok(Message::Text(text))) => Ok(text.as_str().to_owned()),
        // Some vendors send their JSON so.
        Some(Ok(Message::Binary(bytes))) => String::from_utf8(bytes.into())
            .map_err(|_| Gone::Malformed("it sent bytes that are no UTF-8".to_owned())),
        Some(Ok(Message::Close(Some(frame)))) => {
            Err(Gone::Closed(Some(frame.code.into()), frame.reason.as_str().to_owned()))
        }
        Some(Ok(Message::Close(None))) => Err(Gone::Closed(None, String::new())),
        Some(Ok(_)) => return None,
        Some(Err(error)) => Err(gone(error)),
        None => Err(Gone::Broken(closed.into())),
    })
}

fn gone(error: tungstenite::Error) -> Gone {
    use tungstenite::Error::{AlreadyClosed, ConnectionClosed, Io, Protocol};
    use tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
    match error {
        Io(_) | ConnectionClosed | AlreadyClosed | Protocol(ResetWithoutClosingHandshake) => {
            Gone::Broken(error.into())
        }
        other => Gone::Malformed(other.to_string()),
    }
}

/// Why no WebSocket was opened. What the API itself says of the request is told as of any other;
/// where nobody there knows WebSockets, the answer is none to the upgrade at all.
async fn refused(response: Response, peer: &Peer) -> Error {
    let status = response.status();
    // An API says in JSON what is wrong.
    let is_page = !http::media_type(response.headers()).contains("json");
    match http::accepted(response, peer).await {
        Ok(_) => peer.malformed("it answered instead of opening a WebSocket"),
        Err(_) if WITHOUT.contains(&status) || (is_page && FORBIDDING.contains(&status)) => {
            peer.malformed(&format!("it answered {status} instead of opening a WebSocket"))
        }
        Err(error) => error,
    }
}

/// Whether the answer to the upgrade is one to this key (RFC 6455, 4.1).
fn is_agreed(headers: &HeaderMap, key: &str) -> bool {
    let says = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    says(UPGRADE).is_some_and(|to| to.eq_ignore_ascii_case(WEBSOCKET))
        && says(SEC_WEBSOCKET_ACCEPT) == Some(&derive_accept_key(key.as_bytes()))
}

/// When the server answered, by its own clock.
fn date(response: &Response) -> SystemTime {
    let date = response.headers().get(DATE).and_then(|date| date.to_str().ok());
    let date = date.and_then(|date| httpdate::parse_http_date(date).ok());
    date.unwrap_or_else(SystemTime::now)
}

const WEBSOCKET: &str = "websocket";

/// What servers and gateways answer that have no WebSocket at this place.
const WITHOUT: [StatusCode; 4] = [
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::UPGRADE_REQUIRED,
    StatusCode::NOT_IMPLEMENTED,
];

/// What servers and gateways answer, with a page of their own or with nothing, that let no
/// WebSocket through.
const FORBIDDING: [StatusCode; 2] = [StatusCode::BAD_REQUEST, StatusCode::FORBIDDEN];

/// How many texts may wait on either side.
const WAITING: usize = 16;

/// How many bytes are read ahead: who reads more slowly slows the server down.
const AHEAD: usize = 1 << 20;

/// How long taking leave may take.
const LEAVE: Duration = Duration::from_secs(1);
