//! Chats whose requests do not name them: one is found again by its history.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use silcrow_event::{Entry, Event};
use silcrow_front::{ClientMessage, ClientRole, CompletionRequest};

use crate::branches::chat_of;
use crate::error::Error;
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;

/// Returns whether a conversation was begun by a request without a name for it.
pub(crate) fn is_one_off(conversation: &str) -> bool {
    let chat = chat_of(conversation);
    let random = chat.strip_prefix("chat-").or_else(|| chat.strip_prefix("response-"));
    random.is_some_and(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns the unnamed chat that a history continues: one with the same messages of the person,
/// whose last answer is the client's last one.
pub(super) async fn unnamed(
    server: &Server,
    request: &CompletionRequest,
    user: Option<&str>,
) -> Result<Option<RunPlace>, Error> {
    let is_of = |role| move |message: &&ClientMessage| message.role == role;
    let Some(answer) = request.messages.iter().rev().find(is_of(ClientRole::Assistant)) else {
        return Ok(None);
    };
    let said: Vec<_> = request.user_texts().collect();
    let new = request.new_texts().len();
    let earlier = &said[..said.len() - new];
    let (space, key) = (space_of_unnamed(user), key_of(earlier.iter().copied()));
    let Some(kept) = server.store.get(&space, &key).await? else { return Ok(None) };
    let chats: Vec<String> = serde_json::from_slice(&kept.value).unwrap_or_default();
    for chat in chats {
        let chat = RunPlace::new(chat).with_user(user.map(str::to_owned));
        let current = server.current_branch(chat.clone()).await?;
        let Ok(log) = server.entries(&current, 0).await else { continue };
        if is_last_answer(&log, &answer.text) {
            return Ok(Some(chat));
        }
    }
    Ok(None)
}

/// Returns whether a client that shows this text has the end of a log: the last answer, or a question.
fn is_last_answer(log: &[Entry], shown: &str) -> bool {
    let said = log.iter().rev().find_map(|entry| match &entry.event {
        Event::Respond(respond) => Some(respond.content.trim()),
        Event::Parked(_) => Some(""),
        _ => None,
    });
    said.is_some_and(|said| shown.trim().ends_with(said))
}

/// Keeps the messages after which a chat without a name was continued, so that its next request
/// finds it.
pub(super) async fn keep_unnamed(
    server: &Server,
    run: &ServedRun,
    request: &CompletionRequest,
) -> Result<(), Error> {
    let chat = chat_of(run.conversation());
    if !is_one_off(chat) {
        return Ok(());
    }
    let space = space_of_unnamed(run.run.place.user.as_deref());
    let key = key_of(request.user_texts());
    let kept = server.store.get(&space, &key).await?;
    let version = kept.as_ref().map_or(0, |kept| kept.version);
    let mut chats: Vec<String> =
        kept.and_then(|kept| serde_json::from_slice(&kept.value).ok()).unwrap_or_default();
    chats.retain(|known| known != chat);
    chats.insert(0, chat.to_owned());
    chats.truncate(MOST_ALIKE);
    let value = serde_json::to_vec(&chats).unwrap_or_default();
    match server.store.put(&space, &key, version, value).await {
        Ok(_) => Ok(()),
        // Two chats with the same words have begun at once: one of them begins anew next time.
        Err(error) if error.kind() == silcrow_store::ErrorKind::Conflict => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Returns the key under which the unnamed chats of a user are kept.
fn space_of_unnamed(user: Option<&str>) -> String {
    format!("unnamed-chats/{}", user.unwrap_or_default())
}

/// Returns the key of messages of a person.
fn key_of<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.trim().len().to_le_bytes());
        hash.update(text.trim());
    }
    hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The maximum number of chats with the same words that are searched for one.
const MOST_ALIKE: usize = 8;
