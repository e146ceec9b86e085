//! Reading events, values and summaries at the view's places.
//!
//! Every frame is checked each time it is read, so damage that came later is noticed, too.

use std::collections::BTreeSet;
use std::iter;
use std::ops::RangeInclusive;

use silcrow_event as event;
use silcrow_store::{Error, Summary, Versioned};

use crate::conversation_log::ConversationLog;
use crate::fault::damaged;
use crate::frame_place::ValuePlace;
use crate::link::{self, Link};
use crate::log::LogFiles;
use crate::read_ahead::ReadAhead;
use crate::record::LogRecord;

/// An event as the log has it.
#[derive(Debug)]
pub(crate) struct StoredEvent<'a> {
    pub(crate) link: &'a Link,
    pub(crate) json: &'a str,
}

impl LogFiles {
    pub(crate) fn head(&self, conversation: &str) -> u64 {
        self.view.log(conversation).map_or(0, ConversationLog::head)
    }

    pub(crate) fn entries(
        &self,
        conversation: &str,
        positions: &RangeInclusive<u64>,
    ) -> Result<Vec<event::Entry>, Error> {
        let Some(log) = self.view.log(conversation) else { return Ok(Vec::new()) };
        let first = (*positions.start()).max(1);
        let last = (*positions.end()).min(log.head());
        let mut entries = Vec::with_capacity(log.places_after(first - 1, last).count());
        let mut ahead = ReadAhead::default();
        for position in (first..=last).filter(|position| !log.is_lost(*position)) {
            let stored = self.event(conversation, position, last, &mut ahead)?;
            entries.push(entry(&stored, conversation, position)?);
        }
        Ok(entries)
    }

    pub(crate) fn entry(&self, conversation: &str, position: u64) -> Result<event::Entry, Error> {
        let mut ahead = ReadAhead::default();
        let stored = self.event(conversation, position, position, &mut ahead)?;
        entry(&stored, conversation, position)
    }

    /// Returns an event that is in the view. The caller reads up to the position `last`.
    pub(crate) fn event<'a>(
        &self,
        conversation: &str,
        position: u64,
        last: u64,
        ahead: &'a mut ReadAhead,
    ) -> Result<StoredEvent<'a>, Error> {
        let lost = || lost_event(conversation, position);
        let log = self.view.log(conversation).ok_or_else(lost)?;
        let place = log.place(position).ok_or_else(lost)?;
        let next = log.places_after(position, last);
        let frame = ahead.frame(&self.segments, place, next)?.ok_or_else(lost)?;
        match LogRecord::read(&frame) {
            Some(LogRecord::Event { conversation: of, position: at, link, json, .. })
                if (of, at) == (conversation, position) =>
            {
                let json = str::from_utf8(json).map_err(|_| lost())?;
                Ok(StoredEvent { link, json })
            }
            _ => Err(lost()),
        }
    }

    pub(crate) fn value(&self, space: &str, key: &str) -> Result<Option<Versioned>, Error> {
        let Some(ValuePlace { version, place }) = self.view.value(space, key) else {
            return Ok(None);
        };
        let lost = || damaged(&format!("the value {key:?} in {space:?}"));
        let mut ahead = ReadAhead::default();
        let frame = ahead.frame(&self.segments, place.ok_or_else(lost)?, iter::empty())?;
        let frame = frame.ok_or_else(lost)?;
        match LogRecord::read(&frame) {
            Some(LogRecord::Value { space: of, key: named, version: found, value })
                if (of, named, found) == (space, key, version) =>
            {
                Ok(Some(Versioned { version, value: value.to_owned() }))
            }
            _ => Err(lost()),
        }
    }

    /// Returns the link that the next event of a conversation carries. After an event that is
    /// damaged the chain restarts.
    pub(crate) fn next_link(&self, conversation: &str) -> Result<Link, Error> {
        let Some(log) = self.view.log(conversation) else { return Ok(link::FIRST) };
        if let Some(link) = log.next_link {
            return Ok(link);
        }
        let head = log.head();
        if log.place(head).is_none() {
            return Ok(link::FIRST);
        }
        match self.event(conversation, head, head, &mut ReadAhead::default()) {
            Ok(last) => Ok(link::next(last.link, conversation, head, last.json)),
            Err(error) if error.kind() == silcrow_store::ErrorKind::Damaged => Ok(link::FIRST),
            Err(error) => Err(error),
        }
    }

    /// Returns the summary of one conversation, if there is one.
    pub(crate) fn summary_of(&self, conversation: &str) -> Result<Option<Summary>, Error> {
        let log = self.view.log(conversation);
        log.map(|log| self.summary(conversation, log)).transpose()
    }

    /// Returns the summary of a conversation, from as few of its events as possible. Data that only
    /// a damaged event has is left out.
    pub(crate) fn summary(
        &self,
        conversation: &str,
        log: &ConversationLog,
    ) -> Result<Summary, Error> {
        if let Some(summary) = log.summary.get() {
            return Ok(summary.clone());
        }
        let mut summary = Summary::new(conversation);
        let mut is_whole = true;
        let head = log.head();
        let shown = [log.first_user, log.first_prompt, log.last_folder, log.last_title];
        let shown = BTreeSet::from_iter(shown.into_iter().flatten().chain([1, head]));
        let mut last_read = 0;
        for position in shown {
            if position <= last_read {
                continue;
            }
            is_whole &= self.push_to(&mut summary, position)?;
            last_read = position;
            // A first message may have only blank lines.
            let needs_more = log.last_title.is_none() && log.first_prompt == Some(position);
            while needs_more && summary.title.is_empty() && last_read < head {
                last_read += 1;
                is_whole &= self.push_to(&mut summary, last_read)?;
            }
        }
        summary.events = head;
        if is_whole {
            // Another reader may have been faster.
            let _ = log.summary.set(summary.clone());
        }
        Ok(summary)
    }

    /// Returns whether the event could be read.
    fn push_to(&self, summary: &mut Summary, position: u64) -> Result<bool, Error> {
        match self.entry(&summary.conversation, position) {
            Ok(entry) => summary.apply(&entry),
            Err(error) if error.kind() == silcrow_store::ErrorKind::Damaged => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }
}

fn entry(
    stored: &StoredEvent<'_>,
    conversation: &str,
    position: u64,
) -> Result<event::Entry, Error> {
    let entry = event::read_entry(stored.json);
    let entry = entry.map_err(|error| lost_event(conversation, position).with_source(error))?;
    Ok(event::Entry { seq: Some(position), ..entry })
}

fn lost_event(conversation: &str, position: u64) -> Error {
    damaged(&format!("event {position} of conversation {conversation:?}"))
}
