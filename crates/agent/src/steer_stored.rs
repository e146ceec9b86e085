//! Messages to a run of another process, which reads them from the log that both share.

use std::collections::BTreeSet;
use std::time::SystemTime;

use silcrow_event::{Call, CallMode, Content, Entry, Event, Respond};
use silcrow_store::{ErrorKind, Store, validate};

use crate::error::Error;

/// Stores a message of a person to the run at work in a conversation, in this process or another
/// one, and returns its position.
///
/// The run finds the message when it stores something next, and at once if it has answered and waits
/// for calls in the background. The model reads it with its next request. A run that is over, or in
/// its last step, does not read it; then it is read with the next prompt of the conversation.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_agent::steer_stored;
/// use silcrow_event::Event;
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("Count the seals.").into()]).await.unwrap();
/// let seq = steer_stored(&store, "c1", None, "And the walruses.".into()).await.unwrap();
/// let stored = store.read("c1", seq..=seq).await.unwrap();
/// assert_eq!(stored[0].event, Event::steer("And the walruses."));
/// # });
/// ```
///
/// # Errors
///
/// Returns an error if the conversation belongs to another user, or cannot be read or written.
pub async fn steer_stored(
    store: &dyn Store,
    conversation: &str,
    user: Option<&str>,
    content: Content,
) -> Result<u64, Error> {
    loop {
        let head = store.head(conversation).await?;
        let entries = match head {
            0 => Vec::new(),
            head => store.read(conversation, 1..=head).await?,
        };
        let owner = entries.iter().find_map(|entry| entry.user.as_deref());
        validate::access(conversation, owner, user)?;
        let message = Entry {
            timestamp: Some(SystemTime::now().into()),
            turn: Some(asked_turn(&entries)),
            user: user.map(str::to_owned),
            ..Event::User { content: content.clone(), steer: true }.into()
        };
        match store.append(conversation, head, vec![message]).await {
            Ok(head) => return Ok(head),
            // The run has stored something meanwhile.
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Returns the number of the turn that the model was asked for last. The request after a turn that is
/// over was made without the message, so the message belongs to that next turn.
fn asked_turn(entries: &[Entry]) -> u32 {
    let last = entries.iter().filter_map(|entry| entry.turn).max().unwrap_or(0);
    let own = entries.iter().filter(|entry| entry.turn == Some(last));
    let (mut calls, mut results, mut continues) = (BTreeSet::new(), BTreeSet::new(), false);
    for entry in own {
        match &entry.event {
            Event::Call(call) if is_awaited(call) => drop(calls.insert(call.id())),
            Event::Respond(Respond { malformed: Some(id), .. }) => drop(calls.insert(id)),
            Event::Respond(said) => continues = !said.last,
            Event::Result(result) => drop(results.insert(result.id.as_deref().unwrap_or_default())),
            _ => {}
        }
    }
    let is_over = if calls.is_empty() { continues } else { calls.is_subset(&results) };
    if is_over { last.saturating_add(1) } else { last }
}

/// Returns whether the model reads the result of a call (P-24).
fn is_awaited(call: &Call) -> bool {
    call.action().is_none_or(|action| action.mode != CallMode::FireAndForget)
}
