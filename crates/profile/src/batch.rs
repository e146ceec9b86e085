//! The messages of one request: those after the marks, the oldest conversation first.
//!
//! This module reads the store, and changes nothing in it. `learn` asks a model.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use silcrow_event::{ConversationOrigin, Entry, Event, Timestamp};
use silcrow_store::{ErrorKind, Summary, imported};

use crate::error::Error;
use crate::record::{LearnedMark, LearnedMarks, ProfileRecord};
use crate::stored::StoredProfile;

/// Messages of a person that were not learned yet, with the answers between them.
#[derive(Debug, Default)]
pub(crate) struct MessageBatch {
    pub(crate) messages: Vec<BatchMessage>,
    /// The marks after these messages, of all conversations that there are.
    pub(crate) marks: LearnedMarks,
    /// The number of messages of the person.
    pub(crate) new: usize,
    /// Whether some messages did not fit.
    pub(crate) has_more: bool,
    bytes: usize,
}

/// A message of the person, or the last answer before or after it.
#[derive(Clone, Debug)]
pub(crate) struct BatchMessage {
    pub(crate) conversation: String,
    pub(crate) seq: u64,
    pub(crate) time: Option<Timestamp>,
    pub(crate) is_by_person: bool,
    pub(crate) text: String,
}

impl MessageBatch {
    /// Reads the next messages. If an answer could not be read, they are the same as before.
    pub(crate) async fn read(
        stored: &StoredProfile<'_>,
        record: &ProfileRecord,
    ) -> Result<Self, Error> {
        let list = stored.conversations().await?;
        if !record.retry.is_empty() {
            let again = Self::up_to(stored, record, &list, |summary| {
                record.retry.get(&summary.conversation).copied().unwrap_or(0)
            });
            let again = again.await?;
            if again.new > 0 {
                return Ok(again);
            }
        }
        Self::up_to(stored, record, &list, |summary| summary.events).await
    }

    /// Returns the positions of the last messages, by conversation.
    pub(crate) fn ends(&self) -> BTreeMap<String, u64> {
        let by_person = self.messages.iter().filter(|message| message.is_by_person);
        by_person.map(|message| (message.conversation.clone(), message.seq)).collect()
    }

    async fn up_to(
        stored: &StoredProfile<'_>,
        record: &ProfileRecord,
        list: &[Summary],
        end: impl Fn(&Summary) -> u64,
    ) -> Result<Self, Error> {
        let mut batch = Self::default();
        for summary in list {
            if batch.has_more {
                break;
            }
            let start = match record.mark(summary) {
                Some(mark) => Some(mark),
                None => start(stored, record, summary).await?,
            };
            let Some(start) = start else { continue };
            let mark = batch.push_log(stored, summary, start..=end(summary)).await?;
            batch.marks.insert(summary.conversation.clone(), LearnedMark::new(summary, mark));
        }
        // A fork of a deleted conversation that was not reached needs its mark.
        for (conversation, mark) in &record.learned {
            let is_listed = || list.iter().any(|summary| summary.conversation == *conversation);
            if batch.has_more || is_listed() {
                batch.marks.entry(conversation.clone()).or_insert(*mark);
            }
        }
        Ok(batch)
    }

    /// Adds the messages of a conversation after a position until the batch is full. Returns the
    /// position up to which it was read.
    async fn push_log(
        &mut self,
        stored: &StoredProfile<'_>,
        summary: &Summary,
        positions: RangeInclusive<u64>,
    ) -> Result<u64, Error> {
        let (mut mark, end) = positions.into_inner();
        let mut answer: Option<BatchMessage> = None;
        let before = self.new;
        while mark < end {
            let last = end.min(mark + PAGE);
            for entry in page(stored, &summary.conversation, mark + 1..=last).await? {
                let Some(message) = message(stored, summary, &entry) else { continue };
                if !message.is_by_person {
                    answer = Some(message);
                    continue;
                }
                let room = answer.as_ref().map_or(0, |answer| answer.text.len());
                self.bytes += message.text.len() + room;
                if self.new > 0 && self.bytes > MAX_BYTES {
                    self.has_more = true;
                    return Ok(message.seq - 1);
                }
                self.messages.extend(answer.take());
                self.messages.push(message);
                self.new += 1;
            }
            mark = last;
        }
        self.messages.extend(answer.filter(|_| self.new > before));
        Ok(mark)
    }
}

/// Returns the position at which reading of a conversation without a mark begins, or `None` if
/// nothing is learned from it.
async fn start(
    stored: &StoredProfile<'_>,
    record: &ProfileRecord,
    summary: &Summary,
) -> Result<Option<u64>, Error> {
    let imported = imported::head(stored.store(), &summary.conversation).await?;
    let first = page(stored, &summary.conversation, 1..=1).await?.pop();
    let copied = match first.and_then(|first| first.origin) {
        None => 0,
        Some(ConversationOrigin::Replay(_)) => return Ok(None),
        Some(ConversationOrigin::Fork(point)) => {
            let original = &*point.conversation;
            if stored.store().head(original).await? >= point.seq {
                copies(stored, original, point.seq).await?
            } else {
                // The original is deleted, so messages that were not learned from it are learned
                // here.
                record.learned.get(original).map_or(0, |mark| mark.seq.min(point.seq))
            }
        }
    };
    Ok(Some(imported.max(copied).min(summary.events)))
}

/// Returns the number of events that a fork at a position has of a conversation.
async fn copies(stored: &StoredProfile<'_>, original: &str, at: u64) -> Result<u64, Error> {
    let mut copied = 0;
    for first in (1..=at).step_by(PAGE as usize) {
        copied += page(stored, original, first..=at.min(first + PAGE - 1)).await?.len() as u64;
    }
    Ok(copied)
}

/// Returns the entries at these positions. Damaged ones are left out.
async fn page(
    stored: &StoredProfile<'_>,
    conversation: &str,
    positions: RangeInclusive<u64>,
) -> Result<Vec<Entry>, Error> {
    match stored.store().read(conversation, positions.clone()).await {
        Err(error) if error.kind() == ErrorKind::Damaged => {}
        read => return Ok(read?),
    }
    let mut entries = Vec::new();
    for position in positions {
        match stored.store().read(conversation, position..=position).await {
            Err(error) if error.kind() == ErrorKind::Damaged => {}
            read => entries.extend(read?),
        }
    }
    Ok(entries)
}

/// Returns a message of the person or a final answer to it, shortened.
fn message(stored: &StoredProfile<'_>, summary: &Summary, entry: &Entry) -> Option<BatchMessage> {
    // A message of another agent to a called one is not a person's message.
    if entry.agent_path.is_some() {
        return None;
    }
    let (is_by_person, text) = match &entry.event {
        Event::User { content, .. } => {
            let is_theirs = entry.user.is_none() || entry.user.as_deref() == stored.user();
            // The parts after the first one are files that go with the person's words.
            let words = content.parts().first().filter(|_| is_theirs)?.text();
            (true, shortened(words.trim(), MAX_MESSAGE))
        }
        Event::Respond(respond) if respond.last && respond.malformed.is_none() => {
            (false, shortened(respond.content.trim(), MAX_ANSWER))
        }
        _ => return None,
    };
    let (conversation, seq) = (summary.conversation.clone(), entry.seq.unwrap_or_default());
    let message = BatchMessage { conversation, seq, time: entry.timestamp, is_by_person, text };
    (!message.text.is_empty()).then_some(message)
}

/// Returns a text of at most this many bytes: the beginning and the end of a longer one.
fn shortened(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(max * 2 / 3);
    let tail = text.ceil_char_boundary(text.len() - max / 3);
    format!("{} […] {}", &text[..head], &text[tail..])
}

/// The number of entries that are read at once.
const PAGE: u64 = 64;

/// The length of the messages of a request, in bytes. One message may be longer.
const MAX_BYTES: usize = 16 * 1024;

/// The length of a message of the person, in bytes, without the mark of the omitted part.
const MAX_MESSAGE: usize = 6 * 1024;

/// The length of an answer, in bytes, without the mark of the omitted part.
const MAX_ANSWER: usize = 600;
