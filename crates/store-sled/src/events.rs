//! The events of a conversation, read one after the other.
//!
//! This module knows how events are chained: each has a link, a hash of the event before it, and
//! the summary has the link of the event that would be next.
//!
//! ```text
//! reading ── an event ──► it waits until the next one, or the summary, shows that it is the right one
//!    │ the end, or damage
//!    ▼
//! done: the waiting event is returned, then the damage
//! ```

use std::fmt;
use std::iter::FusedIterator;
use std::path::Path;

use silcrow_event::{self as event, Entry};
use silcrow_store::Error;

use crate::engine::Trees;
use crate::fault::{flawed, stopped};
use crate::guard::guarded;
use crate::keys;
use crate::link::{self, SledLink};
use crate::record::{self, SledFlaw};
use crate::summary::SledSummary;

/// An iterator over the events of a conversation, from
/// [`SledReader::events`](crate::SledReader::events).
pub struct SledEvents<'a> {
    dir: &'a Path,
    trees: &'a Trees,
    conversation: String,
    /// `None` if the summary is damaged.
    summary: Option<SledSummary>,
    items: sled::Iter,
    /// The position of the next event.
    wanted: u64,
    /// The link that the next event must have.
    link: SledLink,
    waiting: Option<Entry>,
    damage: Option<Error>,
    is_done: bool,
}

impl<'a> SledEvents<'a> {
    pub(crate) fn new(
        dir: &'a Path,
        trees: &'a Trees,
        conversation: &str,
        summary: Option<SledSummary>,
    ) -> Self {
        let last = summary.as_ref().map_or(u64::MAX, |summary| summary.events);
        let range = keys::event(conversation, 0)..=keys::event(conversation, last);
        Self {
            dir,
            trees,
            conversation: conversation.to_owned(),
            summary,
            items: trees.ev.range(range),
            wanted: 1,
            link: link::FIRST,
            waiting: None,
            damage: None,
            is_done: false,
        }
    }

    /// Reads the next event; `None` at the end.
    fn read(&mut self) -> Result<Option<Entry>, Error> {
        let Some(item) = self.items.next() else { return self.check_end().map(|()| None) };
        let (key, value) = item.map_err(|error| self.damaged(self.wanted, error.into()))?;
        if keys::position(&key) != Some(self.wanted) {
            return Err(self.missing());
        }
        let (found, after, entry) =
            self.open(&key, &value).map_err(|flaw| self.damaged(self.wanted, flaw))?;
        if found != self.link {
            return Err(self.replaced());
        }
        self.link = after;
        self.wanted += 1;
        Ok(Some(entry))
    }

    /// Compares the end of the events with the summary.
    fn check_end(&mut self) -> Result<(), Error> {
        match &self.summary {
            Some(summary) if self.wanted <= summary.events => Err(self.missing()),
            Some(summary) if self.link != summary.link => Err(self.replaced()),
            _ => Ok(()),
        }
    }

    /// Returns the link of an event, the link of the event after it, and the event.
    fn open(&self, key: &[u8], value: &[u8]) -> Result<(SledLink, SledLink, Entry), SledFlaw> {
        let (link, record) = link::split(value).ok_or(SledFlaw::Damage("it is too short"))?;
        let parts = keys::event_parts(key);
        let piece = |number| self.trees.part.get(keys::part(&parts, number));
        let content = record::open(&keys::linked(key, link), record, piece)?;
        let text = str::from_utf8(&content).map_err(|_| SledFlaw::Damage("it is no text"))?;
        let entry = event::read_entry(text).map_err(|_| SledFlaw::Damage("it is no event"))?;
        Ok((*link, link::after(link, key, &content), entry))
    }

    fn missing(&self) -> Error {
        self.damaged(self.wanted, SledFlaw::Damage("it is missing"))
    }

    /// Returns the error for the waiting event, which is not the one that the next was appended to.
    fn replaced(&mut self) -> Error {
        self.waiting = None;
        let why = SledFlaw::Damage("it is not the one that was appended");
        self.damaged((self.wanted - 1).max(1), why)
    }

    fn damaged(&self, position: u64, flaw: SledFlaw) -> Error {
        flawed(self.dir, &format!("event {position} of conversation {:?}", self.conversation), flaw)
    }
}

impl Iterator for SledEvents<'_> {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_done {
            let dir = self.dir;
            match guarded(|| self.read()).unwrap_or_else(|_| Err(stopped(dir, "reading"))) {
                Ok(Some(entry)) => {
                    if let Some(confirmed) = self.waiting.replace(entry) {
                        return Some(Ok(confirmed));
                    }
                }
                Ok(None) => self.is_done = true,
                Err(error) => {
                    self.is_done = true;
                    self.damage = Some(error);
                }
            }
        }
        self.waiting.take().map(Ok).or_else(|| self.damage.take().map(Err))
    }
}

impl FusedIterator for SledEvents<'_> {}

impl fmt::Debug for SledEvents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SledEvents")
            .field("conversation", &self.conversation)
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}
