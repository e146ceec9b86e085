use std::collections::HashMap;

use silcrow_event as event;
use silcrow_store::{Error, Versioned, spaces, validate};

use crate::clock::Clock;
use crate::engine::Trees;
use crate::keys;
use crate::meta::Meta;
use crate::pending::Before;
use crate::read::Reader;
use crate::record;

/// What somebody asks to be written.
#[derive(Debug)]
pub(crate) enum SledChange {
    /// A batch at the end of a log.
    Append {
        conversation: String,
        expected: u64,
        batch: Vec<event::Entry>,
        /// The same entries as they are kept.
        lines: Vec<String>,
    },
    /// A value under a key.
    Put { space: String, name: String, expected: u64, value: Vec<u8> },
    /// The end of a log and of what belongs to it.
    Delete { conversation: String, expected: u64 },
}

impl SledChange {
    /// Of what it adds, in bytes, about.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Append { lines, .. } => lines.iter().map(String::len).sum(),
            Self::Put { value, .. } => value.len(),
            Self::Delete { .. } => 0,
        }
    }
}

/// Compares the changes of a group one after the other and gathers what those that hold write.
#[derive(Debug)]
pub(crate) struct SledStage<'a> {
    reader: Reader<'a>,
    clock: &'a mut Clock,
    logs: HashMap<String, Staged<Meta>>,
    values: HashMap<Vec<u8>, Staged<Versioned>>,
    writes: Vec<SledWrite>,
}

/// One key to set, or to remove.
#[derive(Debug)]
pub(crate) struct SledWrite {
    pub(crate) tree: Tree,
    pub(crate) key: Vec<u8>,
    pub(crate) value: Option<Vec<u8>>,
}

/// Which tree, as an index of [`Tree::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    Ev,
    Meta,
    Part,
    Value,
}

/// What a stage comes to.
#[derive(Debug)]
pub(crate) struct Staging {
    pub(crate) writes: Vec<SledWrite>,
    pub(crate) before: Before,
    /// The new head of each log that has grown.
    pub(crate) heads: Vec<(String, u64)>,
}

#[derive(Debug)]
struct Staged<T> {
    before: Option<T>,
    /// `None` once deleted.
    now: Option<T>,
}

impl<'a> SledStage<'a> {
    pub(crate) fn new(reader: Reader<'a>, clock: &'a mut Clock) -> Self {
        let (logs, values) = Default::default();
        Self { reader, clock, logs, values, writes: Vec::new() }
    }

    /// The new head or version, of a deletion 0, if the change holds; else nothing of it is staged.
    pub(crate) fn add(&mut self, change: SledChange) -> Result<u64, Error> {
        match change {
            SledChange::Append { conversation, expected, batch, lines } => {
                self.append(conversation, expected, &batch, &lines)
            }
            SledChange::Put { space, name, expected, value } => {
                self.put(&space, &name, expected, value)
            }
            SledChange::Delete { conversation, expected } => self.delete(conversation, expected),
        }
    }

    /// What to write for all of them.
    pub(crate) fn finish(mut self) -> Staging {
        let mut before = Before::default();
        let mut heads = Vec::new();
        for (conversation, log) in std::mem::take(&mut self.logs) {
            let key = keys::meta(&conversation);
            // A reader cannot see what is deleted as it was: its events are gone.
            let Some(now) = log.now else {
                self.write(Tree::Meta, key, None);
                continue;
            };
            self.set(Tree::Meta, key, &now.write());
            heads.push((conversation.clone(), now.head()));
            before.logs.insert(conversation, log.before);
        }
        let kept =
            std::mem::take(&mut self.values).into_iter().filter(|(_, value)| value.now.is_some());
        before.values.extend(kept.map(|(key, value)| (key, value.before)));
        if !self.writes.is_empty() {
            let clock = self.clock.tick();
            self.set(Tree::Meta, keys::CLOCK.to_vec(), &clock);
        }
        Staging { writes: self.writes, before, heads }
    }

    fn append(
        &mut self,
        conversation: String,
        expected: u64,
        batch: &[event::Entry],
        lines: &[String],
    ) -> Result<u64, Error> {
        let (before, now) = self.log(&conversation)?;
        let mut now = now.unwrap_or_else(|| Meta::new(&conversation));
        let head = now.head();
        if head != expected {
            return Err(validate::head_conflict(&conversation, expected, head));
        }
        if batch.is_empty() {
            return Ok(head);
        }
        for (entry, line) in batch.iter().zip(lines) {
            let key = keys::event(&conversation, now.head() + 1);
            let sealed = record::seal(&keys::linked(&key, &now.link), line.as_bytes());
            self.set_pieces(&keys::event_parts(&key), sealed.pieces);
            let value = [&now.link[..], &sealed.value].concat();
            now.push(entry, &key, line);
            self.write(Tree::Ev, key, Some(value));
        }
        now.place = self.clock.place();
        let head = now.head();
        self.logs.insert(conversation, Staged { before, now: Some(now) });
        Ok(head)
    }

    /// What was known of a log before the group, and what is now.
    fn log(&self, conversation: &str) -> Result<(Option<Meta>, Option<Meta>), Error> {
        if let Some(staged) = self.logs.get(conversation) {
            return Ok((staged.before.clone(), staged.now.clone()));
        }
        let read = self.reader.meta(conversation)?;
        Ok((read.clone(), read))
    }

    fn delete(&mut self, conversation: String, expected: u64) -> Result<u64, Error> {
        let (_, now) = self.log(&conversation)?;
        let head = now.map_or(0, |now| now.head());
        if head != expected {
            return Err(validate::head_conflict(&conversation, expected, head));
        }
        let events = keys::events(&conversation);
        let parts = keys::event_parts(&events);
        let values = self.values_of(&conversation)?;
        let mut gone = Vec::new();
        let trees = self.reader.trees;
        gone.extend(self.reader.stored(&trees.ev, &events)?.into_iter().map(|key| (Tree::Ev, key)));
        let mut pieces = self.reader.stored(&trees.part, &parts)?;
        for key in &values {
            pieces.extend(self.reader.value_pieces(key)?);
        }
        gone.extend(pieces.into_iter().map(|key| (Tree::Part, key)));

        // Nothing fails from here on. What the group has added to it goes first.
        self.writes.retain(|write| match write.tree {
            Tree::Ev => keys::place(&write.key).is_none_or(|place| place.0 != conversation),
            Tree::Part => !write.key.starts_with(&parts),
            Tree::Meta | Tree::Value => true,
        });
        for (tree, key) in gone {
            self.write(tree, key, None);
        }
        for key in values {
            if let Some(now) = self.values.get(&key).and_then(|staged| staged.now.clone()) {
                self.remove_pieces(&key, &now);
            }
            self.write(Tree::Value, key.clone(), None);
            self.values.insert(key, Staged { before: None, now: None });
        }
        self.logs.insert(conversation, Staged { before: None, now: None });
        Ok(0)
    }

    fn put(
        &mut self,
        space: &str,
        name: &str,
        expected: u64,
        value: Vec<u8>,
    ) -> Result<u64, Error> {
        let key = keys::value(space, name);
        let (before, now) = match self.values.get(&key) {
            Some(staged) => (staged.before.clone(), staged.now.clone()),
            None => {
                let read = self.reader.value(space, name, &key)?;
                (read.clone(), read)
            }
        };
        let version = now.as_ref().map_or(0, |now| now.version);
        if version != expected {
            return Err(validate::version_conflict(space, name, expected, version));
        }
        if let Some(now) = now {
            self.remove_pieces(&key, &now);
        }
        let version = version + 1;
        let versioned = keys::versioned(&key, version);
        let sealed = record::seal(&versioned, &value);
        self.set_pieces(&keys::value_parts(&versioned), sealed.pieces);
        let record = [&version.to_be_bytes()[..], &sealed.value].concat();
        self.write(Tree::Value, key.clone(), Some(record));
        self.values.insert(key, Staged { before, now: Some(Versioned { version, value }) });
        Ok(version)
    }

    /// The keys of the values that belong to a conversation.
    fn values_of(&self, conversation: &str) -> Result<Vec<Vec<u8>>, Error> {
        let mut keys = self.reader.stored(&self.reader.trees.value, &[])?;
        keys.extend(self.values.keys().cloned());
        keys.retain(|key| {
            let space = keys::space_and_key(key).map(|(space, _)| space);
            space.and_then(spaces::conversation) == Some(conversation)
        });
        Ok(keys)
    }

    fn remove_pieces(&mut self, key: &[u8], of: &Versioned) {
        let parts = keys::value_parts(&keys::versioned(key, of.version));
        for number in 0..record::pieces(of.value.len()) {
            self.write(Tree::Part, keys::part(&parts, number), None);
        }
    }

    fn set(&mut self, tree: Tree, key: Vec<u8>, content: &[u8]) {
        let sealed = record::seal(&key, content);
        self.write(tree, key, Some(sealed.value));
    }

    fn set_pieces(&mut self, parts: &[u8], pieces: std::slice::Chunks<'_, u8>) {
        for (number, piece) in (0..).zip(pieces) {
            self.write(Tree::Part, keys::part(parts, number), Some(piece.to_vec()));
        }
    }

    fn write(&mut self, tree: Tree, key: Vec<u8>, value: Option<Vec<u8>>) {
        self.writes.push(SledWrite { tree, key, value });
    }
}

impl Tree {
    /// The trees in the order of the variants.
    pub(crate) fn all(trees: &Trees) -> [sled::Tree; 4] {
        let Trees { ev, meta, part, value } = trees.clone();
        [ev, meta, part, value]
    }
}
