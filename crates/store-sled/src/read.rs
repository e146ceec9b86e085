use std::path::Path;

use silcrow_event as event;
use silcrow_store::{Error, ErrorKind, Versioned};

use crate::clock::Clock;
use crate::engine::{Trees, broken};
use crate::keys;
use crate::link::{self, SledLink};
use crate::meta::{Meta, number};
use crate::record::{self, SledFlaw};

/// Reads what the trees hold, checked. Blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) trees: &'a Trees,
}

/// An event and its place in the chain.
struct Opened {
    entry: event::Entry,
    link: SledLink,
    /// What the link of the next must be.
    next: SledLink,
}

impl Reader<'_> {
    /// What is known of a log; `None` where nothing was ever appended.
    pub(crate) fn meta(&self, conversation: &str) -> Result<Option<Meta>, Error> {
        let key = keys::meta(conversation);
        let Some(value) = self.value_of(&self.trees.meta, &key)? else { return Ok(None) };
        self.open_meta(conversation, &key, &value).map(Some)
    }

    /// The same for those who only read: where it is damaged, it is made again from the events.
    ///
    /// Nothing is appended to such a log, since nobody knows whether its last events are missing.
    pub(crate) fn log(&self, conversation: &str) -> Result<Option<Meta>, Error> {
        match self.meta(conversation) {
            Err(error) if error.kind() == ErrorKind::Damaged => self.remade(conversation).map(Some),
            log => log,
        }
    }

    /// What is known of every log, in no order, for those who only read.
    pub(crate) fn metas(&self) -> Result<Vec<Meta>, Error> {
        let mut metas = Vec::new();
        for item in &self.trees.meta {
            let (key, value) = item.map_err(|error| broken(self.dir, error))?;
            if *key == *keys::CLOCK {
                continue;
            }
            let conversation = keys::conversation(&key)
                .ok_or_else(|| self.damaged("an entry of its list", "its name is no name"))?;
            metas.push(match self.open_meta(conversation, &key, &value) {
                Err(error) if error.kind() == ErrorKind::Damaged => self.remade(conversation)?,
                log => log?,
            });
        }
        Ok(metas)
    }

    fn remade(&self, conversation: &str) -> Result<Meta, Error> {
        let mut log = Meta::new(conversation);
        for item in self.trees.ev.scan_prefix(keys::events(conversation)) {
            let (key, value) = item.map_err(|error| broken(self.dir, error))?;
            let Some(position) = keys::position(&key) else { continue };
            if let Ok(event) = self.open_event(conversation, position, &key, &value) {
                log.summary.push(&event.entry);
                log.link = event.next;
            }
            log.summary.events = position;
        }
        Ok(log)
    }

    /// The space and the key of every value, sorted.
    pub(crate) fn keys(&self) -> Result<Vec<(String, String)>, Error> {
        let mut names = Vec::new();
        for key in self.trees.value.iter().keys() {
            let key = key.map_err(|error| broken(self.dir, error))?;
            let (space, name) = keys::space_and_key(&key)
                .ok_or_else(|| self.damaged("a value", "its name is no name"))?;
            names.push((space.to_owned(), name.to_owned()));
        }
        names.sort_unstable();
        Ok(names)
    }

    /// The keys of `tree` that begin with `prefix`.
    pub(crate) fn stored(&self, tree: &sled::Tree, prefix: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let keys = tree.scan_prefix(prefix).keys();
        keys.map(|key| key.map(|key| key.to_vec()).map_err(|error| broken(self.dir, error)))
            .collect()
    }

    /// The keys of the pieces of a value, damaged or not.
    pub(crate) fn value_pieces(&self, key: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let value = self.value_of(&self.trees.value, key)?;
        let Some((version, _)) = value.as_deref().and_then(number) else { return Ok(Vec::new()) };
        let parts = keys::value_parts(&keys::versioned(key, version));
        let mut pieces = self.stored(&self.trees.part, &parts)?;
        // Those of a key that begins with this one are longer.
        pieces.retain(|piece| piece.len() == parts.len() + size_of::<u32>());
        Ok(pieces)
    }

    /// What was counted so far.
    pub(crate) fn clock(&self) -> Result<Clock, Error> {
        let value = self.value_of(&self.trees.meta, keys::CLOCK)?;
        let Some(value) = value else { return Ok(Clock::default()) };
        let what = "the clock";
        let content = record::open(keys::CLOCK, &value, |_| Ok(None))
            .map_err(|flaw| self.flawed(what, flaw))?;
        Clock::read(&content).ok_or_else(|| self.damaged(what, "its form is wrong"))
    }

    /// The entries of a log from `first` to `last`, which it must hold; each must be the one that
    /// the next was appended to.
    pub(crate) fn entries(
        &self,
        log: &Meta,
        first: u64,
        last: u64,
    ) -> Result<Vec<event::Entry>, Error> {
        let conversation = &*log.summary.conversation;
        let range = keys::event(conversation, first)..=keys::event(conversation, last);
        let mut entries = Vec::new();
        let mut wanted = first;
        // Of the event at `wanted`, as far as it can be known.
        let mut link = (first == 1).then_some(link::FIRST);
        for item in self.trees.ev.range(range) {
            let (key, value) = item.map_err(|error| broken(self.dir, error))?;
            if keys::position(&key) != Some(wanted) {
                break;
            }
            let event = self.open_event(conversation, wanted, &key, &value)?;
            if link.is_some_and(|link| link != event.link) {
                return Err(self.replaced(conversation, wanted - 1));
            }
            link = Some(event.next);
            entries.push(event.entry);
            wanted += 1;
        }
        if wanted <= last {
            return Err(self.damaged_event(conversation, wanted, "it is missing"));
        }
        if last == log.head() && link.is_some_and(|link| link != log.link) {
            return Err(self.replaced(conversation, last));
        }
        Ok(entries)
    }

    /// The value under a key of the tree `value`.
    pub(crate) fn value(
        &self,
        space: &str,
        name: &str,
        key: &[u8],
    ) -> Result<Option<Versioned>, Error> {
        loop {
            let Some(value) = self.value_of(&self.trees.value, key)? else { return Ok(None) };
            match self.open_value(key, &value) {
                Ok(versioned) => return Ok(Some(versioned)),
                // Between the record and its pieces it may have been replaced.
                Err(_) if self.value_of(&self.trees.value, key)?.as_ref() != Some(&value) => {}
                Err(flaw) => {
                    return Err(self.flawed(&format!("the value {name:?} in {space:?}"), flaw));
                }
            }
        }
    }

    pub(crate) fn open_meta(
        &self,
        conversation: &str,
        key: &[u8],
        value: &[u8],
    ) -> Result<Meta, Error> {
        let what = || format!("the summary of conversation {conversation:?}");
        let content =
            record::open(key, value, |_| Ok(None)).map_err(|flaw| self.flawed(&what(), flaw))?;
        Meta::read(conversation, &content).ok_or_else(|| self.damaged(&what(), "its form is wrong"))
    }

    fn open_event(
        &self,
        conversation: &str,
        position: u64,
        key: &[u8],
        value: &[u8],
    ) -> Result<Opened, Error> {
        let damaged = |why: &str| self.damaged_event(conversation, position, why);
        let (link, record) = link::split(value).ok_or_else(|| damaged("it is too short"))?;
        let parts = keys::event_parts(key);
        let piece = |number| self.trees.part.get(keys::part(&parts, number));
        let opened = record::open(&keys::linked(key, link), record, piece);
        let content = opened.map_err(|flaw| match flaw {
            SledFlaw::Damage(why) => damaged(why),
            SledFlaw::Sled(error) => broken(self.dir, error),
        })?;
        let text = str::from_utf8(&content)
            .map_err(|error| damaged("it is no text").with_source(error))?;
        let entry = event::read_entry(text).map_err(|error| {
            let why = error.to_string();
            self.damaged_event(conversation, position, &why).with_source(error)
        })?;
        Ok(Opened { entry, link: *link, next: link::after(link, key, &content) })
    }

    fn open_value(&self, key: &[u8], value: &[u8]) -> Result<Versioned, SledFlaw> {
        let (version, record) = number(value).ok_or(SledFlaw::Damage("it is too short"))?;
        let key = keys::versioned(key, version);
        let parts = keys::value_parts(&key);
        let piece = |number| self.trees.part.get(keys::part(&parts, number));
        Ok(Versioned { version, value: record::open(&key, record, piece)? })
    }

    fn value_of(&self, tree: &sled::Tree, key: &[u8]) -> Result<Option<sled::IVec>, Error> {
        tree.get(key).map_err(|error| broken(self.dir, error))
    }

    fn flawed(&self, what: &str, flaw: SledFlaw) -> Error {
        match flaw {
            SledFlaw::Damage(why) => self.damaged(what, why),
            SledFlaw::Sled(error) => broken(self.dir, error),
        }
    }

    fn replaced(&self, conversation: &str, position: u64) -> Error {
        self.damaged_event(conversation, position, "it is not the one that was appended")
    }

    fn damaged_event(&self, conversation: &str, position: u64, why: &str) -> Error {
        self.damaged(&format!("event {position} of conversation {conversation:?}"), why)
    }

    fn damaged(&self, what: &str, why: &str) -> Error {
        let dir = self.dir.display();
        let message = format!(
            "{what} in the store {dir} is damaged: {why}; put a copy of the store in its place, \
             or go on with what else can be read"
        );
        Error::new(ErrorKind::Damaged, message)
    }
}
