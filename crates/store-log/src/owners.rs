//! The conversations of a log with their data, by their ids.
//!
//! Data in a checkpoint is read on demand, and moves here when it changes.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::checkpoint_owners::CheckpointOwners;
use crate::owned_records::OwnedRecords;

/// All conversations. Values that belong to no conversation belong to the one without an id.
#[derive(Debug, Default)]
pub(crate) struct Owners {
    /// By the id, the index in `owned`.
    indexes: BTreeMap<String, usize>,
    /// `None` for an owner that is gone.
    owned: Vec<Option<OwnedRecords>>,
    /// The index of the most recently changed one, which is often changed next.
    last: usize,
    checkpoint: Option<CheckpointOwners>,
}

impl Owners {
    /// Creates the owners in a checkpoint.
    pub(crate) fn of_checkpoint(checkpoint: CheckpointOwners) -> Self {
        Self { checkpoint: Some(checkpoint), ..Self::default() }
    }

    pub(crate) fn get(&self, id: &str) -> Option<&OwnedRecords> {
        match self.indexes.get(id) {
            Some(index) => self.owned.get(*index)?.as_ref(),
            None => self.checkpoint.as_ref()?.get(id),
        }
    }

    /// Returns one that is about to be changed.
    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut OwnedRecords> {
        let index = self.index(id)?;
        self.owned.get_mut(index)?.as_mut()
    }

    /// Returns one that is about to be changed, and that there is afterwards.
    pub(crate) fn entry(&mut self, id: &str) -> &mut OwnedRecords {
        let is_it = |owned: &Option<OwnedRecords>| owned.as_ref().is_some_and(|one| one.id == id);
        if !self.owned.get(self.last).is_some_and(is_it) {
            self.last = match self.index(id) {
                Some(index) => index,
                None => self.insert(OwnedRecords { id: id.to_owned(), ..OwnedRecords::default() }),
            };
        }
        self.owned[self.last].get_or_insert_default()
    }

    /// Removes one with all that belongs to it.
    pub(crate) fn remove(&mut self, id: &str) -> Option<OwnedRecords> {
        let index = self.index(id)?;
        self.indexes.remove(id);
        self.owned.get_mut(index)?.take()
    }

    /// Returns all of them, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &OwnedRecords> {
        let kept = self.checkpoint.iter().flat_map(CheckpointOwners::iter);
        self.owned.iter().flatten().chain(kept)
    }

    /// Returns those whose ids begin with a text, in no order.
    pub(crate) fn beginning_with(&self, beginning: &str) -> impl Iterator<Item = &OwnedRecords> {
        let ids = self.indexes.range::<str, _>((Bound::Included(beginning), Bound::Unbounded));
        let own = ids.take_while(move |(id, _)| id.starts_with(beginning));
        let own = own.filter_map(|(_, index)| self.owned.get(*index)?.as_ref());
        let kept = self.checkpoint.iter();
        own.chain(kept.flat_map(move |checkpoint| checkpoint.beginning_with(beginning)))
    }

    /// Returns the index in `owned` of one, which is moved there from the checkpoint.
    fn index(&mut self, id: &str) -> Option<usize> {
        if let Some(index) = self.indexes.get(id) {
            return Some(*index);
        }
        let taken = self.checkpoint.as_mut()?.take(id)?;
        Some(self.insert(taken))
    }

    fn insert(&mut self, owned: OwnedRecords) -> usize {
        let index = self.owned.len();
        self.indexes.insert(owned.id.clone(), index);
        self.owned.push(Some(owned));
        index
    }
}
