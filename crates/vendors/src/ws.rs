//! A WebSocket to a vendor, opened like any other HTTP request.
//!
//! ```text
//!            ┌───────────── task ─────────────┐
//! send ────▶ │ texts to the server ─▶ frames │ ──▶ TCP, TLS
//! next ◀──── │ texts of the server ◀─ frames │ ◀──
//!            │ pings are answered in between  │
//!            └────────────────────────────────┘
//! ```
//!
//! The task lives as long as the [`Socket`], because a server may ping at any time, even while
//! tools run and nothing is read.

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

use crate::error::{ErrorCause, Peer};
use crate::http;

mod closed;

/// A connection for texts. Dropping it closes the connection.
pub(crate) struct Socket {
    to_send: mpsc::Sender<String>,
    received: mpsc::Receiver<Result<String, Disconnect>>,
    task: SocketTask,
    /// The record of all frames, including pings.
    pub(crate) activity: Activity,
    /// The time at which it was opened, by the server's clock if the server sent a date.
    pub(crate) opened: SystemTime,
}

/// The reason why no more texts arrive.
pub(crate) enum Disconnect {
    /// The server closed the connection, perhaps with a code and a reason.
    Closed(Option<u16>, String),
    /// The connection broke, or was closed without a closing frame.
    Broken(ErrorCause),
    /// The server violated the protocol, or sent more than [`sse::MAX_EVENT`] bytes at once.
    Malformed(String),
}

impl Socket {
    /// Opens a connection with this request, whose response may take `limit`. The errors are the
    /// same as of other requests.
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
            return Err(peer.malformed("it switched to another protocol than WebSocket"));
        }
        let opened = date(&response);
        let upgraded = response.upgrade().await.map_err(|error| peer.unreachable(error))?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(sse::MAX_EVENT))
            .max_frame_size(Some(sse::MAX_EVENT));
        let stream = WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await;
        let (to_send, texts) = mpsc::channel(WAITING);
        let (receives, received) = mpsc::channel(WAITING);
        let activity = Activity::default();
        let task = SocketTask(tokio::spawn(carry(stream, texts, receives, activity.clone())));
        Ok(Self { to_send, received, task, activity, opened })
    }

    /// Returns the next text. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Result<String, Disconnect> {
        let gone = || Err(Disconnect::Broken("the connection is closed".into()));
        self.received.recv().await.unwrap_or_else(gone)
    }

    /// Returns a text that has arrived, if there is one.
    pub(crate) fn received(&mut self) -> Option<Result<String, Disconnect>> {
        self.received.try_recv().ok()
    }

    /// Sends texts and counts their bytes. If they cannot be sent, [`next`](Self::next) returns the
    /// reason. Cancel-safe.
    pub(crate) async fn send(&mut self, texts: &mut VecDeque<String>, sent: &mut u64) {
        while !texts.is_empty() {
            let Ok(place) = self.to_send.reserve().await else { return };
            if let Some(text) = texts.pop_front() {
                *sent += text.len() as u64;
                place.send(text);
            }
        }
    }

    /// Closes the connection, and waits only until the closing frame is sent.
    pub(crate) async fn close(self) {
        let Self { to_send, received, mut task, .. } = self;
        drop((to_send, received));
        let _ = timeout(LEAVE, &mut task.0).await;
    }
}

/// The task of a socket, which is aborted when this is dropped.
struct SocketTask(JoinHandle<()>);

impl Drop for SocketTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends and receives frames. It reads ahead of the receiver, because a ping may follow texts that
/// are not received for a while.
async fn carry(
    mut stream: WebSocketStream<Upgraded>,
    mut texts: mpsc::Receiver<String>,
    receives: mpsc::Sender<Result<String, Disconnect>>,
    activity: Activity,
) {
    let (mut ahead, mut bytes, mut over) = (VecDeque::new(), 0, false);
    while !(over && ahead.is_empty()) {
        tokio::select! {
            text = texts.recv() => {
                let Some(text) = text else { break };
                // A failure also occurs at the next read.
                let _ = stream.send(Message::text(text)).await;
            }
            place = receives.reserve(), if !ahead.is_empty() => {
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
    // Without a receiver it does not matter whether the closing frame arrives.
    let _ = stream.close(None).await;
}

/// Returns the size of an item in memory, which is never 0.
fn size(item: &Result<String, Disconnect>) -> usize {
    size_of_val(item) + item.as_ref().map_or(0, String::len)
}

/// Returns a text or the end of texts, and nothing for a frame that concerns the connection alone.
fn read(item: Option<Result<Message, tungstenite::Error>>) -> Option<Result<String, Disconnect>> {
    let closed = "it closed the connection without a reason";
    Some(match item {
        Some(Ok(Message::Text(text))) => Ok(text.as_str().to_owned()),
        // Some vendors send their JSON in binary frames.
        Some(Ok(Message::Binary(bytes))) => String::from_utf8(bytes.into())
            .map_err(|_| Disconnect::Malformed("it sent bytes that are not UTF-8".to_owned())),
        Some(Ok(Message::Close(Some(frame)))) => {
            Err(Disconnect::Closed(Some(frame.code.into()), frame.reason.as_str().to_owned()))
        }
        Some(Ok(Message::Close(None))) => Err(Disconnect::Closed(None, String::new())),
        Some(Ok(_)) => return None,
        Some(Err(error)) => Err(gone(error)),
        None => Err(Disconnect::Broken(closed.into())),
    })
}

fn gone(error: tungstenite::Error) -> Disconnect {
    use tungstenite::Error::{AlreadyClosed, ConnectionClosed, Io, Protocol};
    use tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
    match error {
        Io(_) | ConnectionClosed | AlreadyClosed | Protocol(ResetWithoutClosingHandshake) => {
            Disconnect::Broken(error.into())
        }
        other => Disconnect::Malformed(other.to_string()),
    }
}

/// Returns the error for a response that does not open a WebSocket. An error of the API is reported
/// as for any other request, and a server or gateway without WebSockets as malformed.
async fn refused(response: Response, peer: &Peer) -> Error {
    let status = response.status();
    // An API reports its errors as JSON.
    let is_page = !http::media_type(response.headers()).contains("json");
    match http::accepted(response, peer).await {
        Ok(_) => peer.malformed("it answered instead of opening a WebSocket"),
        Err(_) if WITHOUT.contains(&status) || (is_page && FORBIDDING.contains(&status)) => {
            peer.malformed(&format!("it answered {status} instead of opening a WebSocket"))
        }
        Err(error) => error,
    }
}

/// Returns whether the headers accept the upgrade with this key (RFC 6455, 4.1).
fn is_agreed(headers: &HeaderMap, key: &str) -> bool {
    let says = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    says(UPGRADE).is_some_and(|to| to.eq_ignore_ascii_case(WEBSOCKET))
        && says(SEC_WEBSOCKET_ACCEPT) == Some(&derive_accept_key(key.as_bytes()))
}

/// Returns the time of the response by the server's clock.
fn date(response: &Response) -> SystemTime {
    let date = response.headers().get(DATE).and_then(|date| date.to_str().ok());
    let date = date.and_then(|date| httpdate::parse_http_date(date).ok());
    date.unwrap_or_else(SystemTime::now)
}

const WEBSOCKET: &str = "websocket";

/// Statuses of servers and gateways without a WebSocket at this URL.
const WITHOUT: [StatusCode; 4] = [
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::UPGRADE_REQUIRED,
    StatusCode::NOT_IMPLEMENTED,
];

/// Statuses of servers and gateways that let no WebSocket through, with their own page or with
/// an empty body.
const FORBIDDING: [StatusCode; 2] = [StatusCode::BAD_REQUEST, StatusCode::FORBIDDEN];

/// The number of texts that may wait in each direction.
const WAITING: usize = 16;

/// The number of bytes that are read ahead. A slower receiver slows the server down.
const AHEAD: usize = 1 << 20;

/// The time limit for closing.
const LEAVE: Duration = Duration::from_secs(1);
