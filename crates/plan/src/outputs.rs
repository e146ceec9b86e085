//! The names that are bound, and their values (P-26).
//!
//! This module resolves names to calls, without the outputs of calls.

use std::collections::HashMap;

use silcrow_event::Json;

/// The names that are bound so far. A name means the last output that was bound to it before its
/// use.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    by_key: HashMap<String, Source>,
    by_id: HashMap<String, usize>,
    /// The calls by the name of their action; `None` if several calls have the action.
    by_name: HashMap<String, Option<usize>>,
    presets: Vec<Json>,
    /// The names from outside of the block that the plan is in.
    lent: HashMap<String, Source>,
    longest: usize,
}

/// The origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Preset(usize),
    Call(usize),
}

impl Outputs {
    pub(crate) fn preset(&mut self, name: String, value: Json) {
        self.longest = self.longest.max(name.len());
        self.by_key.insert(name, Source::Preset(self.presets.len()));
        self.presets.push(value);
    }

    pub(crate) fn preset_value(&self, preset: usize) -> &Json {
        &self.presets[preset]
    }

    /// Binds the output of the call at `index`.
    pub(crate) fn bind(&mut self, index: usize, key: Option<&str>, id: &str, name: &str) {
        for name in [key.unwrap_or_default(), id, name] {
            self.longest = self.longest.max(name.len());
        }
        if let Some(key) = key {
            self.by_key.insert(key.to_owned(), Source::Call(index));
        }
        self.by_id.insert(id.to_owned(), index);
        self.by_name.entry(name.to_owned()).and_modify(|only| *only = None).or_insert(Some(index));
    }

    /// Binds the output of a node that stands for a call with this id in a block.
    pub(crate) fn bind_id(&mut self, index: usize, id: &str) {
        self.longest = self.longest.max(id.len());
        self.by_id.insert(id.to_owned(), index);
    }

    /// Binds the output of a node that stands for one with this name in a block.
    pub(crate) fn bind_key(&mut self, index: usize, key: &str) {
        self.longest = self.longest.max(key.len());
        self.by_key.insert(key.to_owned(), Source::Call(index));
    }

    /// Lets a name have a value, unless the plan itself binds it.
    pub(crate) fn lend_value(&mut self, name: String, value: Json) {
        self.lent.insert(name, Source::Preset(self.presets.len()));
        self.presets.push(value);
    }

    /// Lets a name mean the output of a node, unless the plan itself binds it.
    pub(crate) fn lend(&mut self, name: String, index: usize) {
        self.lent.insert(name, Source::Call(index));
    }

    pub(crate) fn find(&self, name: &str) -> Option<Source> {
        let by_key = self.by_key.get(name).copied();
        let by_id = || self.by_id.get(name).copied().map(Source::Call);
        let by_name = || self.by_name.get(name).copied().flatten().map(Source::Call);
        let lent = || self.lent.get(name).copied();
        by_key.or_else(by_id).or_else(by_name).or_else(lent)
    }

    /// Returns the length of the longest name, in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }
}
