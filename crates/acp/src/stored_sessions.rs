//! Sessions of the store: conversations with a folder.

use std::path::Path;

use jiff::Timestamp;
use serde_json::{Value, json};
use silcrow_event::{Entry, RunEventRef, error_chain};
use silcrow_front::TranscriptReader;
use silcrow_store::{ErrorKind, Summary};

use crate::client::AcpClient;
use crate::host::AcpHost;
use crate::message::RpcError;
use crate::session_plan;
use crate::session_update::SessionUpdates;

/// Lists the sessions of the host's user, a page at a time, the last one first.
pub(crate) async fn list<H: AcpHost + ?Sized>(host: &H, params: &Value) -> Result<Value, RpcError> {
    let begin = match params["cursor"].as_str() {
        Some(cursor) => cursor.parse().map_err(|_| {
            RpcError::params(format!("invalid cursor `{cursor}`; pass the `nextCursor` of a page"))
        })?,
        None => 0,
    };
    let store = host.store();
    let all = store.list(host.user()).await.map_err(|error| failed(&error))?;
    let folder = params["cwd"].as_str();
    let is_listed = |summary: &&Summary| {
        // The conversations of called agents have a `/` in their ids.
        let is_own = !summary.conversation.contains('/');
        is_own
            && summary.folder.is_some()
            && folder.is_none_or(|_| summary.folder.as_deref() == folder)
    };
    let mut rest = all.iter().filter(is_listed).skip(begin);
    let sessions: Vec<_> = rest.by_ref().take(PAGE).map(session).collect();
    let mut answer = json!({"sessions": sessions});
    if rest.next().is_some() {
        answer["nextCursor"] = json!((begin + PAGE).to_string());
    }
    Ok(answer)
}

/// Reads the log of a session.
pub(crate) async fn read<H: AcpHost + ?Sized>(host: &H, id: &str) -> Result<Vec<Entry>, RpcError> {
    let store = host.store();
    if let Some(user) = host.user() {
        let summary = match store.summary(id).await {
            // An editor may ask for anything.
            Err(error) if error.kind() == ErrorKind::Refused => None,
            summary => summary.map_err(|error| failed(&error))?,
        };
        if summary.is_none_or(|summary| summary.user.as_deref() != Some(user)) {
            return Err(RpcError::unknown_session(id));
        }
    }
    let entries = store.read(id, 1..=u64::MAX).await.map_err(|error| failed(&error))?;
    if entries.is_empty() { Err(RpcError::unknown_session(id)) } else { Ok(entries) }
}

/// Sends the updates of a log.
pub(crate) async fn replay(client: &AcpClient, id: &str, folder: &Path, entries: &[Entry]) {
    let mut updates = SessionUpdates::of_log(folder.to_owned());
    let mut reader = TranscriptReader::new(id);
    for entry in entries {
        let mut sent = Vec::new();
        reader.push(RunEventRef::Entry(entry), &mut |agent, change| {
            sent.extend(session_plan::plan(agent, &change));
            sent.extend(updates.update(agent, change));
        });
        for update in &sent {
            client.update(id, update).await;
        }
    }
}

fn session(summary: &Summary) -> Value {
    let mut session = json!({
        "sessionId": summary.conversation,
        "cwd": summary.folder,
        "title": summary.title,
    });
    if let Ok(last) = Timestamp::from_nanosecond(summary.last.as_nanos().into()) {
        session["updatedAt"] = json!(last.to_string());
    }
    session
}

fn failed(error: &silcrow_store::Error) -> RpcError {
    RpcError::internal(error_chain(error))
}

/// The number of sessions of a page.
const PAGE: usize = 100;
