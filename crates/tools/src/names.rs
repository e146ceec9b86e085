//! The names in a folder, in order and in bounded memory.

use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::io;

use cap_std::fs::Dir;
use silcrow_exec::CancellationToken;

/// The first names in a folder, sorted, and how many others there are. Others are counted and not
/// kept, so a folder of any size takes little memory.
pub(crate) struct FirstNames {
    pub(crate) first: Vec<OsString>,
    pub(crate) others: usize,
}

impl FirstNames {
    /// Reads at most `max` names of a folder; fewer if the call is cancelled meanwhile.
    pub(crate) fn read(dir: &Dir, max: usize, cancel: &CancellationToken) -> io::Result<Self> {
        // The last name is on top, to make way for an earlier one.
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
