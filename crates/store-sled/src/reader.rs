//! The reader: what an old store has, and where it is damaged.
//!
//! This module knows conversations and values. It does not know files; `folder.rs` and `engine.rs`
//! open them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use silcrow_store::verify::{Damage, Place, Report};
use silcrow_store::{Error, ErrorKind, Versioned, validate};

use crate::data_copy::DataCopy;
use crate::engine::{Engine, Trees};
use crate::events::SledEvents;
use crate::fault::{cut_short, failed, flawed, stopped};
use crate::folder::Folder;
use crate::guard::{check_system, guarded};
use crate::keys;
use crate::mark;
use crate::record::{self, SledFlaw};
use crate::summary::{SledSummary, number};

/// A store of an earlier version that is open for reading.
///
/// It has the store's lock until it is dropped, so no other process can change or read the store.
#[derive(Debug)]
pub struct SledReader {
    dir: PathBuf,
    // The fields are dropped in this order: the copy is removed once it is closed, and the lock is
    // the last.
    engine: Engine,
    _copy: DataCopy,
    _folder: Folder,
}

/// A conversation of an old store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SledConversation {
    /// The conversation's id.
    pub id: String,
    /// The number of its events, including damaged ones.
    pub events: u64,
}

impl SledReader {
    /// Opens a copy of the store in the folder `dir`, which is made in this folder. Nothing that
    /// sled does to it changes the store.
    ///
    /// # Errors
    ///
    /// - [`Format`](silcrow_store::ErrorKind::Format) if the folder is not a store of this kind.
    ///   Nothing in it was touched.
    /// - [`Locked`](silcrow_store::ErrorKind::Locked) if a process has it open. The message names
    ///   the process.
    /// - [`Untrusted`](silcrow_store::ErrorKind::Untrusted) if the folder or a file in it belongs
    ///   to another user or is a link, or if others can write to the folder.
    /// - [`Damaged`](silcrow_store::ErrorKind::Damaged) if sled cannot open its files, or if the
    ///   last changes are missing. The message says how to read the rest.
    /// - [`Unavailable`](silcrow_store::ErrorKind::Unavailable) if the system does not provide the
    ///   threads that sled needs, or if sled stopped without a reason.
    /// - [`Io`](silcrow_store::ErrorKind::Io) if the disk is full, or if the system refused
    ///   something else.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, Error> {
        let dir = dir.as_ref();
        // sled opens some of its files late, when the working folder may be another one.
        let dir = std::path::absolute(dir).map_err(|error| failed("opening", dir, error))?;
        let folder = Folder::take(&dir)?;
        check_system(&dir, folder.size()?)?;
        let copy = folder.copy()?;
        let engine = Engine::open(&dir, copy.folder())?;
        let reader = Self { dir, engine, _copy: copy, _folder: folder };
        reader.check_end()?;
        Ok(reader)
    }

    /// Returns the conversations that have events. The one that was appended to last comes last.
    ///
    /// Damaged summaries, and conversations that cannot be read at all, are added to the report.
    /// The events of a conversation whose summary is damaged can be read, but nobody knows whether
    /// its last events are missing.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk fails.
    pub fn conversations(&self, report: &mut Report) -> Result<Vec<SledConversation>, Error> {
        self.read(|trees| {
            let mut summaries = self.summaries(trees, report)?;
            self.find_others(trees, &mut summaries, report)?;
            let mut found = Vec::new();
            for (id, summary) in summaries {
                let (place, events) = match summary {
                    Some(summary) => (summary.place, summary.events),
                    None => {
                        let place = Place::Summary { conversation: id.clone() };
                        let why = "it is damaged or missing".to_owned();
                        report.damage.push(Damage { place, why });
                        (
                            0,
                            self.last_position(trees, &id)
                                .or_else(|error| report.unread("events", error))?,
                        )
                    }
                };
                found.push((place, SledConversation { id, events }));
            }
            found.sort_by_key(|(place, _)| *place);
            Ok(found.into_iter().map(|(_, conversation)| conversation).collect())
        })
    }

    /// Returns the events of a conversation in order, each compared with its checksum and with the
    /// event after it. The iterator ends after its first error, which names the damaged event.
    ///
    /// # Errors
    ///
    /// Returns [`Refused`](silcrow_store::ErrorKind::Refused) for an id that no conversation can
    /// have, and an error if the disk fails.
    pub fn events(&self, conversation: &str) -> Result<SledEvents<'_>, Error> {
        validate::name("conversation id", conversation)?;
        self.read(|trees| {
            let summary = self.summary(trees, conversation);
            let summary = match summary.map_err(|flaw| self.flawed("a summary", flaw)) {
                // The events are there all the same.
                Err(error) if error.kind() == ErrorKind::Damaged => None,
                summary => summary?,
            };
            Ok(SledEvents::new(&self.dir, trees, conversation, summary))
        })
    }

    /// Returns the space and the key of every value, sorted. What cannot be read is added to the
    /// report.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk fails.
    pub fn keys(&self, report: &mut Report) -> Result<Vec<(String, String)>, Error> {
        self.read(|trees| {
            let mut names = Vec::new();
            for key in trees.value.iter().keys() {
                let read = key.map_err(SledFlaw::from).and_then(|key| {
                    let (space, name) = keys::space_and_key(&key).ok_or(NAMELESS)?;
                    Ok((space.to_owned(), name.to_owned()))
                });
                match read {
                    Ok(name) => names.push(name),
                    Err(flaw) => {
                        let is_end = matches!(flaw, SledFlaw::Sled(_));
                        report.unread::<()>("values", self.flawed("a value", flaw))?;
                        // sled's iterators never move past a page that sled cannot read.
                        if is_end {
                            break;
                        }
                    }
                }
            }
            names.sort_unstable();
            Ok(names)
        })
    }

    /// Returns the value under a key with its version, or `None` if the key has no value.
    ///
    /// # Errors
    ///
    /// - [`Damaged`](silcrow_store::ErrorKind::Damaged) if it is not what was put.
    /// - [`Refused`](silcrow_store::ErrorKind::Refused) for a name that no value can have.
    pub fn value(&self, space: &str, key: &str) -> Result<Option<Versioned>, Error> {
        validate::name("space", space)?;
        validate::name("key", key)?;
        self.read(|trees| {
            let tree_key = keys::value(space, key);
            let open = || -> Result<_, SledFlaw> {
                let Some(value) = trees.value.get(&tree_key)? else { return Ok(None) };
                let (version, record) =
                    number(&value).ok_or(SledFlaw::Damage("it is too short"))?;
                let sealed_with = keys::versioned(&tree_key, version);
                let parts = keys::value_parts(&sealed_with);
                let piece = |number| trees.part.get(keys::part(&parts, number));
                Ok(Some(Versioned { version, value: record::open(&sealed_with, record, piece)? }))
            };
            open().map_err(|flaw| self.flawed(&format!("the value {key:?} in {space:?}"), flaw))
        })
    }

    /// Compares the number of groups of changes with the mark.
    fn check_end(&self) -> Result<(), Error> {
        let marked = mark::groups(&self.dir)?;
        if marked == 0 {
            return Ok(());
        }
        let there = self.read(|trees| {
            let count = || -> Result<u64, SledFlaw> {
                let Some(value) = trees.meta.get(keys::CLOCK)? else { return Ok(0) };
                let content = record::open(keys::CLOCK, &value, |_| Ok(None))?;
                let (_place, rest) = number(&content).ok_or(SHAPELESS)?;
                number(rest).map(|(groups, _)| groups).ok_or(SHAPELESS)
            };
            match count() {
                Err(SledFlaw::Damage(_)) => Ok(None),
                count => count.map(Some).map_err(|flaw| self.flawed("the count of changes", flaw)),
            }
        })?;
        match there {
            Some(there) if there >= marked => Ok(()),
            there => Err(cut_short(&self.dir, there, marked)),
        }
    }

    /// Returns all summaries by conversation, `None` for those that are damaged.
    fn summaries(
        &self,
        trees: &Trees,
        report: &mut Report,
    ) -> Result<BTreeMap<String, Option<SledSummary>>, Error> {
        let mut summaries = BTreeMap::new();
        for item in &trees.meta {
            let (key, value) = match item {
                Ok(item) => item,
                Err(error) => {
                    report.unread::<()>("conversations", self.flawed("a summary", error.into()))?;
                    break;
                }
            };
            if *key == *keys::CLOCK {
                continue;
            }
            match keys::conversation(&key) {
                Some(id) => {
                    summaries.insert(id.to_owned(), SledSummary::open(&key, &value).ok());
                }
                None => report.unread("conversations", self.flawed("a summary", NAMELESS))?,
            }
        }
        Ok(summaries)
    }

    /// Adds the conversations that have events and no summary.
    fn find_others(
        &self,
        trees: &Trees,
        summaries: &mut BTreeMap<String, Option<SledSummary>>,
        report: &mut Report,
    ) -> Result<(), Error> {
        let mut after = Vec::new();
        loop {
            let key = match trees.ev.get_gt(&after) {
                Ok(Some((key, _))) => key,
                Ok(None) => return Ok(()),
                Err(error) => {
                    return report.unread("conversations", self.flawed("an event", error.into()));
                }
            };
            after = match keys::place(&key) {
                Some((id, _)) => {
                    summaries.entry(id.to_owned()).or_insert(None);
                    keys::event(id, u64::MAX)
                }
                None => {
                    report.unread::<()>("conversations", self.flawed("an event", NAMELESS))?;
                    key.to_vec()
                }
            };
        }
    }

    /// Returns the position of the last event that is there.
    fn last_position(&self, trees: &Trees, conversation: &str) -> Result<u64, Error> {
        let last = trees.ev.range(..=keys::event(conversation, u64::MAX)).next_back();
        let last = last.transpose().map_err(|error| self.flawed("an event", error.into()))?;
        let place = last.as_ref().and_then(|(key, _)| keys::place(key));
        Ok(place.filter(|place| place.0 == conversation).map_or(0, |place| place.1))
    }

    fn summary(&self, trees: &Trees, conversation: &str) -> Result<Option<SledSummary>, SledFlaw> {
        let key = keys::summary(conversation);
        let value = trees.meta.get(&key)?;
        value.map(|value| SledSummary::open(&key, &value)).transpose()
    }

    fn flawed(&self, what: &str, flaw: SledFlaw) -> Error {
        flawed(&self.dir, what, flaw)
    }

    /// Calls sled, whose panics become errors.
    fn read<'a, T>(&'a self, read: impl FnOnce(&'a Trees) -> Result<T, Error>) -> Result<T, Error> {
        guarded(|| read(self.engine.trees())).unwrap_or_else(|_| Err(stopped(&self.dir, "reading")))
    }
}

const NAMELESS: SledFlaw = SledFlaw::Damage("its name is no name");
const SHAPELESS: SledFlaw = SledFlaw::Damage("its form is wrong");
