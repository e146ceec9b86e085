use std::path::Path;

use silcrow_event as event;
use silcrow_store::{Error, ErrorKind, Versioned};

use crate::engine::{Trees, broken};
use crate::keys;
use crate::meta::{Meta, number};
use crate::record::{self, Flaw};

/// Reads what the trees hold, checked. Blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) trees: &'a Trees,
}

impl Reader<'_> {
    /// What is known of a log; `None` where nothing was ever appended.
    pub(crate) fn meta(&self, conversation: &str) -> Result<Option<Meta>, Error> {
        let key = keys::meta(conversation);
        let Some(value) = self.value_of(&self.trees.meta, &key)? else { return Ok(None) };
        self.open_meta(conversation, &key, &value).map(Some)
    }

    /// What is known of every log, in no order.
    pub(crate) fn metas(&self) -> Result<Vec<Meta>, Error> {
        let mut metas = Vec::new();
        for item in &self.trees.meta {
            let (key, value) = item.map_err(|error| broken(self.dir, error))?;
            if *key == *keys::CLOCK {
                continue;
            }
            let conversation = keys::conversation(&key)
                .ok_or_else(|| self.damaged("an entry of its list", "its name is no name"))?;
            metas.push(self.open_meta(conversation, &key, &value)?);
        }
        Ok(metas)
    }

    /// The next place in the list that no log has ever had.
    pub(crate) fn clock(&self) -> Result<u64, Error> {
        let Some(value) = self.value_of(&self.trees.meta, keys::CLOCK)? else { return Ok(0) };
        let what = "the end of its list";
        let content = record::open(keys::CLOCK, &value, |_| Ok(None))
            .map_err(|flaw| self.flawed(what, flaw))?;
        number(&content).map(|(place, _)| place).ok_or_else(|| self.damaged(what, "it is short"))
    }

    /// The entries of a log from `first` to `last`, which it must hold.
    pub(crate) fn entries(
        &self,
        conversation: &str,
        first: u64,
        last: u64,
    ) -> Result<Vec<event::Entry>, Error> {
        let range = keys::event(conversation, first)..=keys::event(conversation, last);
        let mut entries = Vec::new();
        let mut wanted = first;
        for item in self.trees.ev.range(range) {
            let (key, value) = item.map_err(|error| broken(self.dir, error))?;
            if keys::position(&key) != Some(wanted) {
                break;
            }
            entries.push(self.open_event(conversation, wanted, &key, &value)?);
            wanted += 1;
        }
        if wanted <= last {
            return Err(self.damaged_event(conversation, wanted, "it is missing"));
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

    fn open_meta(&self, conversation: &str, key: &[u8], value: &[u8]) -> Result<Meta, Error> {
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
    ) -> Result<event::Entry, Error> {
        let parts = keys::event_parts(key);
        let piece = |number| self.trees.part.get(keys::part(&parts, number));
        let content = record::open(key, value, piece).map_err(|flaw| match flaw {
            Flaw::Damage(why) => self.damaged_event(conversation, position, why),
            Flaw::Sled(error) => broken(self.dir, error),
        })?;
        let text = str::from_utf8(&content).map_err(|error| {
            self.damaged_event(conversation, position, "it is no text").caused_by(error)
        })?;
        event::read_entry(text).map_err(|error| {
            let why = error.to_string();
            self.damaged_event(conversation, position, &why).caused_by(error)
        })
    }

    fn open_value(&self, key: &[u8], value: &[u8]) -> Result<Versioned, Flaw> {
        let (version, record) = number(value).ok_or(Flaw::Damage("it is too short"))?;
        let key = keys::versioned(key, version);
        let parts = keys::value_parts(&key);
        let piece = |number| self.trees.part.get(keys::part(&parts, number));
        Ok(Versioned { version, value: record::open(&key, record, piece)? })
    }

    fn value_of(&self, tree: &sled::Tree, key: &[u8]) -> Result<Option<sled::IVec>, Error> {
        tree.get(key).map_err(|error| broken(self.dir, error))
    }

    fn flawed(&self, what: &str, flaw: Flaw) -> Error {
        match flaw {
            Flaw::Damage(why) => self.damaged(what, why),
            Flaw::Sled(error) => broken(self.dir, error),
        }
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
