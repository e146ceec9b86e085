//! Finding events in the index, and reading them from the log.
//!
//! The order is the same as in [`silcrow_store::search::Index`]. Every hit is compared with its
//! event, so a wrong index is detected.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use memchr::memmem::Finder;
use silcrow_store::search::{Hit, Query, searched_text};
use silcrow_store::{ErrorKind, Summary};

use super::block::{BlockHead, Dictionary, events_of};
use super::engine::IndexEngine;
use super::failure::IndexFailure;
use super::state::{BlockInfo, IndexState};
use crate::shared::Shared;

/// Returns the events that match a query, the best first.
pub(crate) fn find(
    shared: &Shared,
    engine: &IndexEngine,
    state: &IndexState,
    query: &Query,
) -> Result<Vec<Hit>, IndexFailure> {
    let words = query.distinct_words();
    let mut found = candidates(engine, state, query, &words)?;
    let mut summaries = HashMap::new();
    let mut hits = Vec::new();
    while hits.len() < query.limit {
        let Some(candidate) = found.pop() else { break };
        hits.extend(read(shared, &candidate, query, &words, &mut summaries)?);
    }
    Ok(hits)
}

/// An event that the index has found. The greatest is the best.
#[derive(Debug, PartialEq, Eq)]
struct RankedEvent {
    matched_words: usize,
    time: i64,
    conversation: Reverse<Arc<str>>,
    position: u64,
}

impl Ord for RankedEvent {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |of: &Self| (of.matched_words, of.time);
        let named = || self.conversation.cmp(&other.conversation);
        let last = || self.position.cmp(&other.position);
        rank(self).cmp(&rank(other)).then_with(named).then_with(last)
    }
}

impl PartialOrd for RankedEvent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn candidates(
    engine: &IndexEngine,
    state: &IndexState,
    query: &Query,
    words: &[String],
) -> Result<BinaryHeap<RankedEvent>, IndexFailure> {
    let words: Vec<_> = words.iter().map(Finder::new).collect();
    let mut found = Vec::new();
    let mut deleted: HashSet<String> = HashSet::new();
    // A deletion is in a newer block than the deleted event.
    for block in state.blocks.iter().rev() {
        let head = BlockHead::parse(&block.head(engine)?).ok_or(IndexFailure::Damaged)?;
        let searched = |id: &String| {
            let counts = !id.is_empty() && !deleted.contains(id) && !query.excludes(id);
            counts.then(|| Arc::<str>::from(id.as_str()))
        };
        let conversations: Vec<_> = head.conversations.iter().map(searched).collect();
        let counts = matches(engine, block, &words, head.events.len())?;
        for (event, matched_words) in head.events.iter().zip(counts).filter(|(_, n)| *n > 0) {
            let conversation = conversations.get(event.conversation as usize);
            if let Some(conversation) = conversation.ok_or(IndexFailure::Damaged)? {
                found.push(RankedEvent {
                    matched_words,
                    time: event.time,
                    conversation: Reverse(Arc::clone(conversation)),
                    position: event.position,
                });
            }
        }
        deleted.extend(head.deleted);
    }
    Ok(found.into())
}

/// Returns the number of the words that each event of a block contains.
fn matches(
    engine: &IndexEngine,
    block: &BlockInfo,
    words: &[Finder<'_>],
    events: usize,
) -> Result<Vec<usize>, IndexFailure> {
    let dictionary = Dictionary::parse(block.dictionary(engine)?).ok_or(IndexFailure::Damaged)?;
    let mut counts = vec![0; events];
    let mut bytes = Vec::new();
    for word in words {
        let mut is_found = vec![false; events];
        let mut postings = block.postings(engine);
        for range in dictionary.find(word).ok_or(IndexFailure::Damaged)? {
            bytes.clear();
            postings.read(range, &mut bytes)?;
            for event in events_of(&bytes) {
                let event = event.and_then(|event| is_found.get_mut(event as usize));
                *event.ok_or(IndexFailure::Damaged)? = true;
            }
        }
        for (count, is_found) in counts.iter_mut().zip(is_found) {
            *count += usize::from(is_found);
        }
    }
    Ok(counts)
}

/// Reads the event of a candidate; `None` if it is damaged, or belongs to another user.
fn read(
    shared: &Shared,
    candidate: &RankedEvent,
    query: &Query,
    words: &[String],
    summaries: &mut HashMap<Arc<str>, Option<Summary>>,
) -> Result<Option<Hit>, IndexFailure> {
    let log = shared.log()?;
    let id = &candidate.conversation.0;
    if !summaries.contains_key(id) {
        summaries.insert(Arc::clone(id), log.summary_of(id)?);
    }
    let Some(Some(summary)) = summaries.get(id) else { return Ok(None) };
    if !query.user.includes(summary.user.as_deref()) {
        return Ok(None);
    }
    let entry = match log.entry(id, candidate.position) {
        Ok(entry) => entry,
        Err(error) if error.kind() == ErrorKind::Damaged => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let text = searched_text(&entry).unwrap_or_default();
    let matched_words = words.iter().filter(|word| text.contains(word.as_str())).count();
    if matched_words != candidate.matched_words {
        return Err(IndexFailure::OtherLog);
    }
    let (conversation, title) = (id.to_string(), summary.title.clone());
    Ok(Some(Hit { conversation, title, entry, matched_words }))
}
