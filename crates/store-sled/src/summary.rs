//! The summary of a conversation: how many events it has, and when it was appended to.
//!
//! This module knows how a summary is stored. It skips the title, the times and the user, which the
//! events have as well.

use crate::link::{self, SledLink};
use crate::record::{self, SledFlaw};

/// A summary, as far as reading needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SledSummary {
    /// The number of events.
    pub(crate) events: u64,
    /// The place in the list: the higher, the later the conversation was appended to.
    pub(crate) place: u64,
    /// The link that the next event would have.
    pub(crate) link: SledLink,
}

impl SledSummary {
    /// Reads the record of a summary under its key.
    pub(crate) fn open(key: &[u8], value: &[u8]) -> Result<Self, SledFlaw> {
        let content = record::open(key, value, |_| Ok(None))?;
        Self::read(&content).ok_or(SledFlaw::Damage("its form is wrong"))
    }

    /// Reads the number of events, the place, the first and the last time, each 8 bytes, and the
    /// link.
    fn read(content: &[u8]) -> Option<Self> {
        let (events, rest) = number(content)?;
        let (place, rest) = number(rest)?;
        let (_first, rest) = number(rest)?;
        let (_last, rest) = number(rest)?;
        let (link, _title_and_user) = link::split(rest)?;
        Some(Self { events, place, link: *link })
    }
}

/// Returns the number at the beginning, and what follows it.
pub(crate) fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_be_bytes(*number), rest))
}
