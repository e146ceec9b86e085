//! The endpoint with which other servers of the store read the runs of this one.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use futures_util::{StreamExt as _, stream};
use tokio::time::timeout;

use crate::error::{Error, ErrorKind};
use crate::live_run::{LiveMessage, LiveRun, LiveSubscription, RunOutput};
use crate::mirror::{MirrorLine, now};
use crate::path_id::PathId;
use crate::peers::{NONCE, PROOF, PeerQuestion, PeerSide, TIME, USER};
use crate::random::unhex;
use crate::server::Server;

/// Streams the run that is at work here, to a server that has the secret of the store.
pub(super) async fn run(
    State(server): State<Server>,
    PathId(id): PathId,
    headers: HeaderMap,
) -> Result<Response, Error> {
    if server.peers.is_none() {
        return Err(nothing());
    }
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let text = |hex: &str| String::from_utf8(unhex(hex)?).ok();
    let (Some(conversation), Some(time), Some(nonce), Some(proof)) =
        (text(&id), header(TIME), header(NONCE), header(PROOF))
    else {
        return Err(unknown());
    };
    let user = match header(USER) {
        Some(user) => Some(text(user).ok_or_else(unknown)?),
        None => None,
    };
    let secret = server.peer_secret().await?;
    let question = PeerQuestion { conversation: &conversation, user: user.as_deref(), time, nonce };
    let is_new = time.parse().is_ok_and(|time: u64| time.abs_diff(now()) < LATE);
    if !is_new || !secret.is_proof(PeerSide::Asks, &question, proof) {
        return Err(unknown());
    }
    let run = server.runs.at_work(&conversation).filter(|run| run.place.user == user);
    let run = run.ok_or_else(nothing)?;
    let proof = secret.proof(PeerSide::Answers, &question);
    let mut answer = Response::new(lines(&run));
    let kind = HeaderValue::from_static("application/x-ndjson");
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    let proof = HeaderValue::from_str(&proof).map_err(|_| unknown())?;
    answer.headers_mut().insert(HeaderName::from_static(PROOF), proof);
    Ok(answer)
}

/// Returns the description of the run, and its messages, as lines.
fn lines(run: &Arc<LiveRun>) -> Body {
    let LiveSubscription { floor, ring, later, is_over } = run.subscribe();
    let head = serde_json::to_string(&run.head(floor)).unwrap_or_default();
    let first = std::iter::once(head).chain(ring.filter_map(|message| line(&message)));
    let first: String = first.map(|line| line + "\n").collect();
    let state = (!is_over).then_some(later);
    let later = stream::unfold(state, |later| async {
        let mut later = later?;
        match timeout(SIGN_OF_LIFE, later.recv()).await {
            // An empty line is a sign of life.
            Err(_) => Some(("\n".to_owned(), Some(later))),
            Ok(message) => {
                let message = message?;
                let is_end = message.is_end();
                let line = line(&message).map(|line| line + "\n").unwrap_or_default();
                Some((line, (!is_end).then_some(later)))
            }
        }
    });
    let pieces = stream::once(async { first }).chain(later);
    Body::from_stream(pieces.map(Ok::<_, Infallible>))
}

/// Writes a message; `None` for a question to a reader of the run, which has no message.
fn line(message: &LiveMessage) -> Option<String> {
    let at = message.position;
    let line = match &message.output {
        RunOutput::Event(event) => {
            MirrorLine { at, event: Some(event.as_ref().to_line()?), end: None }
        }
        RunOutput::End(end) => MirrorLine { at, event: None, end: Some(end.into()) },
    };
    serde_json::to_string(&line).ok()
}

fn unknown() -> Error {
    Error::new(ErrorKind::Unauthorized, "this is for the other servers of the store")
}

fn nothing() -> Error {
    Error::new(ErrorKind::NotFound, "no run is at work here in this conversation")
}

/// The age in seconds at which a question is too old. Clocks of machines may differ.
const LATE: u64 = 120;

const SIGN_OF_LIFE: Duration = Duration::from_secs(2);
