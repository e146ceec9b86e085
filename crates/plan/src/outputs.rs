use std::collections::HashMap;

use silcrow_event::Json;

/// What a name stands for: the last that is written before its use (P-26).
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    by_key: HashMap<String, Source>,
    by_id: HashMap<String, usize>,
    /// By what is called; `None` where several actions are so called.
    by_name: HashMap<String, Option<usize>>,
    presets: Vec<Json>,
    longest: usize,
}

/// Where a value comes from.
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

    /// The call at `index` binds its output.
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

    pub(crate) fn find(&self, name: &str) -> Option<Source> {
        let by_key = self.by_key.get(name).copied();
        let by_id = || self.by_id.get(name).copied().map(Source::Call);
        let by_name = || self.by_name.get(name).copied().flatten().map(Source::Call);
        by_key.or_else(by_id).or_else(by_name)
    }

    /// Bytes of the longest name there is.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }
}
