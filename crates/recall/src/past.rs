//! The conversations that a call may read: the other ones of its user.
//!
//! This module is the only one that reads the store. It does not know how messages are shown.

use std::collections::HashSet;

use silcrow_event::{Entry, Event, Timestamp, error_chain};
use silcrow_exec::{CallContext, ToolError};
use silcrow_store::search::{Hit, Query, SearchedUser};
use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Error, ErrorKind, Store};

use crate::terms::QueryTerm;

/// The other conversations of the user of a call.
pub(crate) struct PastConversations<'a> {
    store: &'a dyn Store,
    user: SearchedUser,
    /// The current conversation. Those of its calls belong to it.
    current: String,
    /// The conversation of the call, which is the current one or belongs to a call of it.
    caller: String,
}

impl<'a> PastConversations<'a> {
    /// Creates the view of a call. Nothing but its context decides whose conversations these are.
    pub(crate) fn new(store: &'a dyn Store, context: &CallContext) -> Self {
        let user = context.user().map(str::to_owned);
        Self {
            store,
            user: user.map_or(SearchedUser::Nobody, SearchedUser::One),
            current: outermost(context.conversation_id(), context.agent_path().len()).to_owned(),
            caller: context.conversation_id().to_owned(),
        }
    }

    /// Returns messages that may match terms, at most [`MAX_CANDIDATES`] and a few for each term.
    ///
    /// The store returns those with most of the words. If there are more than that, a rare word might
    /// be in none of them, so each word is searched for by itself, too.
    pub(crate) async fn candidates(&self, terms: &[QueryTerm]) -> Result<Vec<Hit>, ToolError> {
        let counting = || terms.iter().filter(|term| !term.is_stop());
        let keys: Vec<_> = counting().map(|term| term.key.as_str()).collect();
        let mut hits = self.search(keys.join(" "), MAX_CANDIDATES).await?;
        if hits.len() == MAX_CANDIDATES {
            let place = |hit: &Hit| (hit.conversation.clone(), hit.entry.seq);
            let mut known: HashSet<_> = hits.iter().map(place).collect();
            for term in counting().take(MAX_SEARCHES) {
                // The word as it is comes before its other forms.
                let forms = format!("{} {}", term.folded, term.key);
                let more = self.search(forms, CANDIDATES_OF_TERM).await?;
                hits.extend(more.into_iter().filter(|hit| known.insert(place(hit))));
            }
        }
        Ok(hits)
    }

    /// Returns whether a message of another conversation is in the current one, too, because one was
    /// forked from the other, or both from a third one.
    pub(crate) async fn is_in_current(&self, entry: &Entry) -> Result<bool, ToolError> {
        let Some(seq) = entry.seq else { return Ok(false) };
        let same = self.store.read(&self.current, seq..=seq).await;
        let is_copy = |own: &Entry| own.event == entry.event && own.timestamp == entry.timestamp;
        match same {
            Ok(same) => Ok(same.iter().any(is_copy)),
            Err(error) if error.kind() == ErrorKind::Damaged => Ok(false),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Returns the time of the last event of the conversation of the call, which is about that of
    /// the call; `None` if it is not known.
    pub(crate) async fn now(&self) -> Option<Timestamp> {
        let head = self.store.head(&self.caller).await.ok()?;
        self.store.read(&self.caller, head..=head).await.ok()?.pop()?.timestamp
    }

    async fn search(&self, words: String, limit: usize) -> Result<Vec<Hit>, ToolError> {
        let query = Query { words, limit, ..self.query() };
        self.store.search(&query).await.map_err(|error| failed(&error))
    }

    /// Returns a query without words for these conversations.
    fn query(&self) -> Query {
        Query { except: Some(self.current.clone()), user: self.user.clone(), ..Query::default() }
    }

    /// Returns the messages and answers of a conversation around an event, by default the last ones,
    /// and whether there are more.
    pub(crate) async fn around(
        &self,
        conversation: &str,
        event: Option<u64>,
    ) -> Result<(Vec<Entry>, bool), ToolError> {
        let list = self.store.list(self.user.name()).await.map_err(|error| failed(&error))?;
        let is_mine = self.query();
        let mut mine = list.into_iter().filter(|summary| {
            self.user.includes(summary.user.as_deref()) && !is_mine.excludes(&summary.conversation)
        });
        let summary = mine.find(|summary| summary.conversation == conversation);
        // The same words for the conversation of another user, for the current one and for none.
        let summary = summary.ok_or_else(|| {
            ToolError::new("there is no other conversation with this id; search for one first")
        })?;
        let centre = event.unwrap_or(summary.events).clamp(1, summary.events.max(1));
        let (first, last) =
            (centre.saturating_sub(REACH).max(1), (centre + REACH).min(summary.events));
        let mut report = Report::default();
        let entries = read_whole(self.store, conversation, first..=last, &mut report).await;
        let mut entries = entries.map_err(|error| failed(&error))?;
        entries.retain(is_message);
        let is_whole = first == 1 && last == summary.events && entries.len() <= MAX_MESSAGES;
        // The messages next to the event stay.
        let after = entries.partition_point(|entry| entry.seq.unwrap_or_default() < centre);
        let start = after.saturating_sub(MAX_MESSAGES / 2);
        let end = (start + MAX_MESSAGES).min(entries.len());
        let start = end.saturating_sub(MAX_MESSAGES);
        Ok((entries.drain(start..end).collect(), !is_whole))
    }
}

fn is_message(entry: &Entry) -> bool {
    match &entry.event {
        Event::User { .. } => true,
        Event::Respond(respond) => respond.malformed.is_none(),
        _ => false,
    }
}

/// Returns the conversation of the person whose agents, nested so deeply, have this one. The id of a
/// call's conversation is `CONVERSATION/TURN/CALL`.
fn outermost(conversation: &str, depth: usize) -> &str {
    let outer = |id: &str| {
        let (id, _call) = id.rsplit_once('/')?;
        let (id, turn) = id.rsplit_once('/')?;
        let is_turn = !turn.is_empty() && turn.bytes().all(|byte| byte.is_ascii_digit());
        is_turn.then_some(id.len())
    };
    (0..depth).fold(conversation, |id, _| outer(id).map_or(id, |length| &id[..length]))
}

fn failed(error: &Error) -> ToolError {
    ToolError::new(format!("the store: {}", error_chain(error)))
}

/// The number of events before and after an event in which messages are looked for.
const REACH: u64 = 100;

/// The number of messages that are read around an event.
const MAX_MESSAGES: usize = 12;

/// The number of messages that are ranked, for all words together.
const MAX_CANDIDATES: usize = 200;

/// The number of messages that are ranked for one word in addition, if there are many.
const CANDIDATES_OF_TERM: usize = 50;

/// The greatest number of words that are searched for by themselves.
const MAX_SEARCHES: usize = 12;
