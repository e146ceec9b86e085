//! The data about a conversation that is available without reading its events.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use silcrow_event::Timestamp;
use silcrow_store::Summary;

use crate::bytes::{ByteReader, ByteWriter};
use crate::event_places::{EventPlaces, PackedPlaces};
use crate::file_bytes::FileBytes;
use crate::frame_place::FramePlace;
use crate::link::Link;
use crate::record::Traits;

/// The log of a conversation. One without events is empty.
#[derive(Debug, Default)]
pub(crate) struct ConversationLog {
    places: EventPlaces,
    /// The positions of events that the log skips since it was mended.
    lost: BTreeSet<u64>,
    /// The position of the first message of a person.
    pub(crate) first_prompt: Option<u64>,
    /// The position of the first event that names a user.
    pub(crate) first_user: Option<u64>,
    /// The position of the last event that names a folder.
    pub(crate) last_folder: Option<u64>,
    /// The position of the last event that names the conversation.
    pub(crate) last_title: Option<u64>,
    /// The number of the record that changed it last.
    pub(crate) changed: u64,
    /// The link that the next event carries, if it is known.
    pub(crate) next_link: Option<Link>,
    /// The summary as it is listed, once it was asked for.
    pub(crate) summary: OnceLock<Summary>,
}

impl ConversationLog {
    /// Returns the position of the last event.
    pub(crate) fn head(&self) -> u64 {
        self.places.len() as u64
    }

    /// Returns the place of an event, if it exists.
    pub(crate) fn place(&self, position: u64) -> Option<FramePlace> {
        self.places.get(usize::try_from(position.checked_sub(1)?).ok()?)
    }

    /// Returns the places of the events after a position, up to the position `last`, without
    /// missing ones.
    pub(crate) fn places_after(
        &self,
        position: u64,
        last: u64,
    ) -> impl Iterator<Item = FramePlace> {
        let index = |position: u64| usize::try_from(position).unwrap_or(usize::MAX);
        self.places.range(index(position)..index(last)).flatten()
    }

    /// Returns the places of all existing events.
    pub(crate) fn places(&self) -> impl Iterator<Item = FramePlace> {
        self.places.iter().flatten()
    }

    /// Returns whether the log skips an event since it was mended.
    pub(crate) fn is_lost(&self, position: u64) -> bool {
        self.lost.contains(&position)
    }

    /// Returns the positions of events that are damaged.
    pub(crate) fn damaged(&self) -> impl Iterator<Item = u64> {
        let positions = (1..).zip(self.places.iter());
        positions.filter(|(at, place)| place.is_none() && !self.is_lost(*at)).map(|(at, _)| at)
    }

    /// Counts missing events up to a position as damaged.
    pub(crate) fn grow(&mut self, head: u64) {
        self.places.grow(usize::try_from(head).unwrap_or(usize::MAX));
    }

    /// Takes the next event into account. Returns whether it is the first one at its position,
    /// which is the acknowledged one.
    pub(crate) fn apply(&mut self, position: u64, place: FramePlace, traits: Traits) -> bool {
        self.grow(position);
        let index = position.saturating_sub(1) as usize;
        if index >= self.places.len() {
            return true;
        }
        if self.places.get(index).is_some() {
            return false;
        }
        self.places.set(index, place);
        self.next_link = None;
        if traits.is_prompt {
            self.first_prompt.get_or_insert(position);
        }
        if traits.has_user {
            self.first_user.get_or_insert(position);
        }
        if traits.has_folder {
            self.last_folder = self.last_folder.max(Some(position));
        }
        if traits.is_title {
            self.last_title = self.last_title.max(Some(position));
        }
        true
    }

    /// Takes into account that the log does without an event.
    pub(crate) fn lose(&mut self, position: u64) {
        self.grow(position);
        self.lost.insert(position);
    }

    /// Takes into account that an event is in another place.
    pub(crate) fn moved(&mut self, position: u64, place: FramePlace) {
        self.places.set(position.saturating_sub(1) as usize, place);
    }

    /// Appends the log to a checkpoint.
    pub(crate) fn write(&self, to: &mut ByteWriter) {
        to.number(self.head());
        if self.head() == 0 {
            return;
        }
        to.number(self.changed);
        for position in [self.first_prompt, self.first_user, self.last_folder, self.last_title] {
            to.number(position.unwrap_or_default());
        }
        to.number(self.lost.len() as u64);
        self.lost.iter().for_each(|position| to.number(*position));
        to.number(u64::from(self.summary.get().is_some()));
        if let Some(Summary { title, user, folder, first, last, .. }) = self.summary.get() {
            to.text(title);
            to.optional(user.as_deref());
            to.optional(folder.as_deref());
            to.signed(first.as_nanos());
            to.signed(last.as_nanos());
        }
        self.places.write(to);
    }

    /// Reads an encoding by [`write`](Self::write); `None` if it is something else.
    pub(crate) fn read(
        file: &Arc<FileBytes>,
        conversation: &str,
        from: &mut ByteReader<'_>,
    ) -> Option<Self> {
        let head = from.number()?;
        if head == 0 {
            return Some(Self::default());
        }
        let changed = from.number()?;
        let mut position = || Some(Some(from.number()?).filter(|position| *position > 0));
        let (first_prompt, first_user) = (position()?, position()?);
        let (last_folder, last_title) = (position()?, position()?);
        let lost = (0..from.number()?).map(|_| from.number()).collect::<Option<_>>()?;
        let summary = match from.number()? {
            0 => OnceLock::new(),
            1 => OnceLock::from(Summary {
                conversation: conversation.to_owned(),
                title: from.text()?.to_owned(),
                user: from.optional()?.map(str::to_owned),
                folder: from.optional()?.map(str::to_owned),
                events: head,
                first: Timestamp::from_nanos(from.signed()?),
                last: Timestamp::from_nanos(from.signed()?),
            }),
            _ => return None,
        };
        let places = EventPlaces::packed(PackedPlaces::read(file, from, head)?);
        let next_link = None;
        Some(Self {
            places,
            lost,
            first_prompt,
            first_user,
            last_folder,
            last_title,
            changed,
            next_link,
            summary,
        })
    }
}
