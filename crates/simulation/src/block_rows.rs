//! The control blocks of a simulation, and the calls in each of them.
//!
//! This module has the nesting of the text, and the ids of instances. `timeline` draws the rows.

use std::collections::BTreeMap;

/// The blocks of the answers of a simulation.
#[derive(Debug, Default)]
pub(crate) struct BlockRows {
    /// The blocks that are open, the outermost first.
    open: Vec<String>,
    /// The blocks around each block and each call that is written, by the number of its answer.
    around: BTreeMap<(u32, String), Vec<String>>,
}

impl BlockRows {
    /// Takes a call, or the beginning of a block, and returns the number of blocks around it.
    pub(crate) fn push(&mut self, turn: u32, id: &str) -> usize {
        self.around.insert((turn, id.to_owned()), self.open.clone());
        self.open.len()
    }

    /// Opens a block.
    pub(crate) fn open(&mut self, id: &str) {
        self.open.push(id.to_owned());
    }

    /// Closes a block, and those that are open in it.
    pub(crate) fn close(&mut self, id: &str) {
        if let Some(at) = self.open.iter().position(|open| open == id) {
            self.open.truncate(at);
        }
    }

    /// Returns the blocks around a call. An instance, such as `each[0].read`, is in its loop.
    pub(crate) fn around(&self, turn: u32, id: &str) -> Vec<String> {
        let of = |id: &str| self.around.get(&(turn, id.to_owned())).cloned().unwrap_or_default();
        match id.split_once('[') {
            Some((each, _)) if id.contains("].") => [of(each), vec![each.to_owned()]].concat(),
            _ => of(id),
        }
    }
}
