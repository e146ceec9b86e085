//! Runs of other servers, as they are read here.
//!
//! ```text
//! server A: run ─► lines ─► server B: mirror ─► readers of every face
//! ```
//!
//! A mirror is a run whose messages come from the server that has it, at the positions that they
//! have there. Readers find it at the same place as a run of this server. If the other server is
//! gone, they continue with the stored events.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use silcrow_agent::RunOrder;
use silcrow_event::read_run_event;
use silcrow_front::RunEnd;
use silcrow_store::{HeldRun, Holder};
use tokio::time::{sleep, timeout};

use crate::conversations::is_inside;
use crate::error::{Error, ErrorKind};
use crate::live_run::{LiveRun, MirrorHead};
use crate::peers::{NONCE, PROOF, PeerAnswer, PeerQuestion, PeerSecret, PeerSide, TIME, USER};
use crate::position::MessagePosition;
use crate::random::{hex, random_name};
use crate::runs::MirrorPlace;
use crate::server::Server;
use crate::source::RunPlace;

/// A line of a mirrored run: a message, with the event or the end of the run.
#[derive(Deserialize, Serialize)]
pub(crate) struct MirrorLine {
    pub(crate) at: MessagePosition,
    /// The event, as a line of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<MirrorEnd>,
}

/// The end of a mirrored run.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MirrorEnd {
    Answered,
    Stopped,
    Waiting,
    Failed { code: String, message: String },
}

impl Server {
    /// Returns the run that is at work in a conversation of a user, on any server, to read it.
    pub(crate) async fn readable(&self, place: &RunPlace) -> Option<Arc<LiveRun>> {
        self.look_elsewhere(place).await;
        self.runs.readable(&place.conversation).filter(|run| run.place.user == place.user)
    }

    /// Mirrors the run of a conversation, if another server has it.
    pub(crate) async fn look_elsewhere(&self, place: &RunPlace) {
        if self.peers.is_none() || self.runs.readable(&place.conversation).is_some() {
            return;
        }
        let held = self.store.shared_runs().holder(&place.conversation).await;
        if let Ok(Some(Holder { address: Some(address), .. })) = held {
            // Without a mirror, the stored events are read.
            let _ = self.mirror(place, &address).await;
        }
    }

    /// Mirrors the runs that other servers begin, while there are readers here.
    pub(crate) fn watch_peers(&self) {
        if self.peers.is_none() || !self.runs.begin_watch() {
            return;
        }
        let server = self.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = server.closing.cancelled() => return,
                    () = sleep(PAUSE) => {}
                }
                if server.runs.end_watch_if_unread() {
                    return;
                }
                // A store that cannot be read now may be readable later.
                let held = server.store.shared_runs().held().await.unwrap_or_default();
                for HeldRun { conversation, user, holder } in held {
                    let place = RunPlace::new(conversation).with_user(user);
                    let Some(address) = holder.address else { continue };
                    if !is_inside(&place.conversation) && server.runs.is_read(&place) {
                        let server = server.clone();
                        tokio::spawn(async move { drop(server.mirror(&place, &address).await) });
                    }
                }
            }
        });
    }

    /// Opens the stream of a run at another server, and mirrors it in its own task.
    async fn mirror(&self, place: &RunPlace, address: &str) -> Result<(), Error> {
        let Some(reserved) = self.runs.reserve_mirror(&place.conversation) else { return Ok(()) };
        let mut lines = self.ask_peer(place, address).await?;
        let head =
            lines.next().await.and_then(|line| serde_json::from_str::<MirrorHead>(&line).ok());
        let head = head.ok_or_else(|| unclear(address))?;
        let journal = self.runs.journal(place.user.as_deref())?;
        let run = LiveRun::mirror(head, place.clone(), self.runs.limits(), journal);
        let run = Arc::new(run);
        reserved.fill(&run);
        let server = self.clone();
        tokio::spawn(async move { server.follow_peer(&run, lines, reserved).await });
        Ok(())
    }

    /// Asks another server for the stream of a run, and believes it only if it proves that it has
    /// the secret.
    async fn ask_peer(&self, place: &RunPlace, address: &str) -> Result<PeerLines, Error> {
        let unknown = || {
            Error::new(ErrorKind::NotOffered, "the servers of this store do not know each other")
        };
        let (peers, secret) = (self.peers.as_ref().ok_or_else(unknown)?, self.peer_secret().await?);
        let (time, nonce) = (now().to_string(), random_name()?);
        let user = place.user.as_deref();
        let question =
            PeerQuestion { conversation: &place.conversation, user, time: &time, nonce: &nonce };
        let proof = secret.proof(PeerSide::Asks, &question);
        let mut headers = vec![(TIME, time.clone()), (NONCE, nonce.clone()), (PROOF, proof)];
        headers.extend(user.map(|user| (USER, hex(user.as_bytes()))));
        let id = hex(place.conversation.as_bytes());
        let url = format!("{}/peer/runs/{id}", address.trim_end_matches('/'));
        let PeerAnswer { proof, body } = peers.get(&url, &headers).await?;
        if !secret.is_proof(PeerSide::Answers, &question, &proof) {
            return Err(Error::new(
                ErrorKind::Forbidden,
                format!("the server at {address} does not know the secret of this store"),
            ));
        }
        Ok(PeerLines { body, rest: Vec::new() })
    }

    /// Returns the secret of the store.
    pub(crate) async fn peer_secret(&self) -> Result<PeerSecret, Error> {
        let secret = self.store.shared_runs().secret().await?;
        let none = || Error::new(ErrorKind::NotOffered, "the store has no secret for its servers");
        secret.map(PeerSecret::new).ok_or_else(none)
    }

    /// Passes the messages of a run on, until it ends, its server is gone, or no readers are left.
    async fn follow_peer(&self, run: &Arc<LiveRun>, mut lines: PeerLines, _place: MirrorPlace) {
        let mut is_stopped = false;
        loop {
            let line = tokio::select! {
                biased;
                () = self.closing.cancelled() => return,
                () = run.cancel.cancelled(), if !is_stopped => {
                    is_stopped = true;
                    let (id, user) = (&run.place.conversation, run.place.user.as_deref());
                    let _ = RunOrder::Stop.send(&*self.store, id, user).await;
                    continue;
                }
                line = timeout(SILENCE, lines.next()) => line,
            };
            let Ok(Some(line)) = line else { return };
            if line.is_empty() {
                if !run.is_read() && !self.runs.is_read(&run.place) {
                    return;
                }
                continue;
            }
            let Ok(MirrorLine { at, event, end }) = serde_json::from_str(&line) else { return };
            if let Some(end) = end {
                return self.runs.end_mirror(run, end.into());
            }
            match event.map(|event| read_run_event(&event)) {
                Some(Ok(event)) => run.publish_at(event.as_ref(), at),
                _ => return,
            }
        }
    }
}

/// The lines that another server sends.
struct PeerLines {
    body: BoxStream<'static, Vec<u8>>,
    rest: Vec<u8>,
}

impl PeerLines {
    /// Waits for the next line; `None` if the connection has ended, or if a line is too long.
    /// Cancel-safe.
    async fn next(&mut self) -> Option<String> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.rest[searched..].iter().position(|byte| *byte == b'\n') {
                let line = self.rest.drain(..=searched + end).collect::<Vec<_>>();
                return String::from_utf8(line).ok().map(|line| line.trim_end().to_owned());
            }
            searched = self.rest.len();
            if searched > LONGEST {
                return None;
            }
            self.rest.extend(self.body.next().await?);
        }
    }
}

impl From<MirrorEnd> for RunEnd {
    fn from(end: MirrorEnd) -> Self {
        match end {
            MirrorEnd::Answered => Self::Answered,
            MirrorEnd::Stopped => Self::Stopped,
            MirrorEnd::Waiting => Self::Waiting,
            MirrorEnd::Failed { code, message } => Self::Failed { code, message },
        }
    }
}

impl From<&RunEnd> for MirrorEnd {
    fn from(end: &RunEnd) -> Self {
        match end {
            RunEnd::Answered => Self::Answered,
            RunEnd::Stopped => Self::Stopped,
            RunEnd::Waiting => Self::Waiting,
            RunEnd::Failed { code, message } => {
                Self::Failed { code: code.clone(), message: message.clone() }
            }
        }
    }
}

/// Returns the time in seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn unclear(address: &str) -> Error {
    let why = format!("the server at {address} streams something that this version cannot read");
    Error::new(ErrorKind::Unavailable, why)
}

/// The time between two looks at the runs of other servers.
const PAUSE: Duration = Duration::from_millis(400);

/// After this time of silence the other server is considered gone. It says three times as often
/// that it lives.
const SILENCE: Duration = Duration::from_secs(6);

/// The maximum length of a line, in bytes: an event may have 64 MiB, and twice as much in JSON.
const LONGEST: usize = 160 << 20;
