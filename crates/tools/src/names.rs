//! The names in a folder, in order and in bounded memory.

use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::io;

use cap_std::fs::Dir;
use silcrow_exec::CancellationToken;

/// The first names in a folder, sorted, and the number of others, which are counted and not kept.
pub(crate) struct FirstNames {
    pub(crate) first: Vec<OsString>,
    pub(crate) others: usize,
}

impl FirstNames {
    /// Reads the first `max` names of a folder. If the call is cancelled meanwhile, names are
    /// missing.
    pub(crate) fn read(dir: &Dir, max: usize, cancel: &CancellationToken) -> io::Result<Self> {
        // The greatest name is on top of the heap and is removed when there are too many.
        let mut first = BinaryHeap::new();
        let mut others = 0;
        for entry in dir.read_dir(".")? {
            if cancel.is_cancelled() {
                break;
            }
            first.push(entry?.file_name());
            if first.len() > max {
                first.pop();
                others += 1;
            }
        }
        Ok(Self { first: first.into_sorted_vec(), others })
    }
}
