//! The ids that clients of AG-UI gave the messages of a conversation, beside its log.

use serde::{Deserialize, Serialize};
use silcrow_event::{Entry, Event};
use silcrow_front::{AgUiKnownMessage, AgUiMessage, prompt_words};
use silcrow_store::Store;

use crate::error::{Error, ErrorKind};

/// The messages that clients have sent.
pub(super) struct SentMessages {
    space: String,
    version: u64,
    list: Vec<IdentifiedMessage>,
}

/// A message that a client has sent. Several may be one prompt.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct IdentifiedMessage {
    /// The position in the log after which its prompt comes.
    after: u64,
    id: String,
    text: String,
}

impl SentMessages {
    pub(super) async fn read(store: &dyn Store, conversation: &str) -> Result<Self, Error> {
        let space = format!("ag-ui/{conversation}");
        let Some(kept) = store.get(&space, KEY).await? else {
            return Ok(Self { space, version: 0, list: Vec::new() });
        };
        let list = serde_json::from_slice(&kept.value).map_err(|why| {
            Error::new(ErrorKind::Failed, format!("the ids of the messages are damaged: {why}"))
        })?;
        Ok(Self { space, version: kept.version, list })
    }

    /// Adds messages whose prompt comes after a position.
    pub(super) async fn add(
        &mut self,
        store: &dyn Store,
        after: u64,
        messages: &[AgUiMessage],
    ) -> Result<(), Error> {
        if messages.is_empty() {
            return Ok(());
        }
        self.list.extend(messages.iter().map(|message| IdentifiedMessage {
            after,
            id: message.id.clone(),
            text: message.text.clone(),
        }));
        let list = serde_json::to_vec(&self.list).unwrap_or_default();
        self.version = store.put(&self.space, KEY, self.version, list).await?;
        Ok(())
    }

    /// Returns the messages of the person that the conversation has. Messages that no client of
    /// this protocol has sent are named by their positions.
    pub(super) fn known(&self, log: &[Entry]) -> Vec<IdentifiedMessage> {
        let mut known: Vec<_> = self.list.clone();
        let others = prompts(log).filter(|(before, seq, _)| self.between(*before, *seq).is_none());
        known.extend(others.map(|(before, seq, text)| IdentifiedMessage {
            after: before.max(seq - 1),
            id: format!("u{seq}"),
            text,
        }));
        known.sort_by_key(|one| one.after);
        known
    }

    /// Returns the position in a log of the message after this many of the [known](Self::known)
    /// ones.
    pub(super) fn place_of(&self, kept: usize, log: &[Entry]) -> u64 {
        let Some(first) = self.known(log).into_iter().nth(kept) else { return 1 };
        let next = prompts(log).find(|(_, seq, _)| *seq > first.after);
        next.map_or(1, |(_, seq, _)| seq)
    }

    /// Takes over the messages before a position of the log that a branch has copied.
    pub(super) async fn copy(
        &mut self,
        store: &dyn Store,
        from: &Self,
        before: u64,
    ) -> Result<(), Error> {
        self.list = from.list.iter().filter(|one| one.after + 1 < before).cloned().collect();
        let list = serde_json::to_vec(&self.list).unwrap_or_default();
        self.version = store.put(&self.space, KEY, self.version, list).await?;
        Ok(())
    }

    /// Returns the id that a client gave the message of an entry.
    pub(super) fn id_of(&self, entry: &Entry, log: &[Entry]) -> Option<&str> {
        let (before, seq, _) = prompts(log).find(|(_, seq, _)| Some(*seq) == entry.seq)?;
        Some(&self.between(before, seq)?.id)
    }

    fn between(&self, before: u64, seq: u64) -> Option<&IdentifiedMessage> {
        self.list.iter().find(|one| before <= one.after && one.after < seq)
    }
}

impl IdentifiedMessage {
    pub(super) fn as_known(&self) -> AgUiKnownMessage<'_> {
        AgUiKnownMessage { id: &self.id, text: &self.text }
    }
}

/// Returns the messages of the person, each with the position of the one before, its own position
/// and its text.
fn prompts(log: &[Entry]) -> impl Iterator<Item = (u64, u64, String)> {
    let mut before = 0;
    log.iter().filter_map(move |entry| {
        let (Event::User { content, .. }, Some(seq)) = (&entry.event, entry.seq) else {
            return None;
        };
        Some((std::mem::replace(&mut before, seq), seq, prompt_words(content)))
    })
}

/// The key of the list.
const KEY: &str = "messages";
