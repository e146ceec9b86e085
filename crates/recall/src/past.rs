//! The conversations that a call may read: the other conversations of its user, and the part of its
//! own that the model no longer reads.
//!
//! Only this module reads the store. Others show the messages.

use std::collections::HashSet;

use silcrow_event::{Entry, Event, Timestamp, error_chain};
use silcrow_store::search::{Hit, Query, SearchedUser};
use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Error, ErrorKind, Store, Summary};
use silcrow_tool::{CallContext, ToolError};

use crate::terms::QueryTerm;

/// The other conversations of a call's user, and the summarized part of the call's own
/// conversation.
pub(crate) struct PastConversations<'a> {
    store: &'a dyn Store,
    user: SearchedUser,
    /// The current conversation. The conversations of its calls belong to it.
    current: String,
    /// The conversation of the call, which is the current one or belongs to a call of it.
    caller: String,
    /// The position of the last event of the current conversation that the caller no longer reads.
    replaced: u64,
}

impl<'a> PastConversations<'a> {
    /// Creates the view of a call. Only its context determines the user.
    pub(crate) async fn new(
        store: &'a dyn Store,
        context: &CallContext,
    ) -> Result<Self, ToolError> {
        let user = context.user().map(str::to_owned);
        let caller = context.conversation_id();
        let current = outermost(caller, context.agent_path().len());
        let replaced = if caller == current { replaced(store, caller).await } else { Ok(0) };
        Ok(Self {
            store,
            user: user.map_or(SearchedUser::Nobody, SearchedUser::One),
            current: current.to_owned(),
            caller: caller.to_owned(),
            replaced: replaced.map_err(|error| failed(&error))?,
        })
    }

    /// Returns messages that may match terms, at most [`MAX_CANDIDATES`] and a few for each term.
    ///
    /// The store returns the messages with most of the words. If there are more than it returns, a
    /// rare word might be in none of them, so each word is also searched for alone.
    pub(crate) async fn candidates(&self, terms: &[QueryTerm]) -> Result<Vec<Hit>, ToolError> {
        let counting = || terms.iter().filter(|term| !term.is_stop());
        let keys: Vec<_> = counting().map(|term| term.key.as_str()).collect();
        let mut hits = self.search(keys.join(" "), MAX_CANDIDATES).await?;
        if hits.len() >= MAX_CANDIDATES {
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

    /// Returns whether the model still reads a message of another conversation in the current one,
    /// because one was forked from the other, or both from a third one.
    pub(crate) async fn is_in_current(&self, entry: &Entry) -> Result<bool, ToolError> {
        let Some(seq) = entry.seq.filter(|&seq| seq > self.replaced) else { return Ok(false) };
        let same = self.store.read(&self.current, seq..=seq).await;
        let is_copy = |own: &Entry| own.event == entry.event && own.timestamp == entry.timestamp;
        match same {
            Ok(same) => Ok(same.iter().any(is_copy)),
            Err(error) if error.kind() == ErrorKind::Damaged => Ok(false),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Returns the time of the last event of the call's conversation, which is about the time of
    /// the call; `None` if it is not known.
    pub(crate) async fn now(&self) -> Option<Timestamp> {
        let head = self.store.head(&self.caller).await.ok()?;
        self.store.read(&self.caller, head..=head).await.ok()?.pop()?.timestamp
    }

    async fn search(&self, words: String, limit: usize) -> Result<Vec<Hit>, ToolError> {
        let query = Query { words, limit, ..self.others() };
        let mut hits = self.store.search(&query).await.map_err(|error| failed(&error))?;
        if self.replaced > 0 {
            let own = Query { except: None, ..query };
            let own = self.store.search(&own).await.map_err(|error| failed(&error))?;
            hits.extend(own.into_iter().filter(|hit| {
                hit.conversation == self.current && hit.entry.seq <= Some(self.replaced)
            }));
        }
        Ok(hits)
    }

    /// Returns a query without words for the other conversations.
    fn others(&self) -> Query {
        Query { except: Some(self.current.clone()), user: self.user.clone(), ..Query::default() }
    }

    /// Returns the number of the first events of a conversation that may be read.
    fn readable(&self, summary: &Summary) -> u64 {
        if !self.user.includes(summary.user.as_deref()) {
            0
        } else if summary.conversation == self.current {
            self.replaced
        } else if self.others().excludes(&summary.conversation) {
            0
        } else {
            summary.events
        }
    }

    /// Returns the messages and answers of a conversation around an event, by default the last ones,
    /// and whether there are more.
    pub(crate) async fn around(
        &self,
        conversation: &str,
        event: Option<u64>,
    ) -> Result<(Vec<Entry>, bool), ToolError> {
        let summary = match self.store.summary(conversation).await {
            // A model may write anything.
            Err(error) if error.kind() == ErrorKind::Refused => None,
            summary => summary.map_err(|error| failed(&error))?,
        };
        let readable = summary.map_or(0, |summary| self.readable(&summary));
        if readable == 0 {
            // The same words for the conversation of another user, for the current one and for none.
            let why = "no other conversation has this id; search for one first";
            return Err(ToolError::new(why));
        }
        let centre = event.unwrap_or(readable).clamp(1, readable);
        let (first, last) = (centre.saturating_sub(REACH).max(1), (centre + REACH).min(readable));
        let mut report = Report::default();
        let entries = read_whole(self.store, conversation, first..=last, &mut report).await;
        let mut entries = entries.map_err(|error| failed(&error))?;
        entries.retain(is_message);
        let is_whole = first == 1 && last == readable && entries.len() <= MAX_MESSAGES;
        // The messages next to the event stay.
        let after = entries.partition_point(|entry| entry.seq.unwrap_or_default() < centre);
        let start = after.saturating_sub(MAX_MESSAGES / 2);
        let end = (start + MAX_MESSAGES).min(entries.len());
        let start = end.saturating_sub(MAX_MESSAGES);
        Ok((entries.drain(start..end).collect(), !is_whole))
    }
}

/// Returns the position of the last event that the last summary of a conversation replaces, or 0.
async fn replaced(store: &dyn Store, conversation: &str) -> Result<u64, Error> {
    let mut last = store.head(conversation).await?;
    while last > 0 {
        let first = last.saturating_sub(REACH).max(1);
        let entries = read_whole(store, conversation, first..=last, &mut Report::default()).await?;
        let summary = entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Summary(summary) => Some(summary.until),
            _ => None,
        });
        if let Some(until) = summary {
            return Ok(until);
        }
        last = first - 1;
    }
    Ok(0)
}

fn is_message(entry: &Entry) -> bool {
    match &entry.event {
        Event::User { .. } => true,
        Event::Respond(respond) => respond.malformed.is_none(),
        _ => false,
    }
}

/// Returns the person's conversation whose agents, at this depth of nesting, have this one. The id
/// of a call's conversation is `CONVERSATION/TURN/CALL`.
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

/// The number of events before and after an event in which messages are searched.
const REACH: u64 = 100;

/// The number of messages that are read around an event.
const MAX_MESSAGES: usize = 12;

/// The number of messages that are ranked, for all words together.
const MAX_CANDIDATES: usize = 200;

/// The number of messages that are ranked for one word in addition, if there are many.
const CANDIDATES_OF_TERM: usize = 50;

/// The maximum number of words that are searched separately.
const MAX_SEARCHES: usize = 12;
