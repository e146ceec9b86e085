//! The value that a store keeps for a person: the facts, and the positions up to which messages
//! were read.
//!
//! This module reads and writes its JSON. Its callers move the marks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use silcrow_event::Timestamp;
use silcrow_store::Summary;

use crate::error::{Error, ErrorKind};
use crate::fact::WrittenFact;
use crate::profile::{Profile, VERSION};

/// The stored data about a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProfileRecord {
    pub(crate) profile: Profile,
    /// The position up to which each conversation was read.
    pub(crate) learned: LearnedMarks,
    /// The end positions of messages whose answer could not be read. The next request is about the
    /// same messages.
    pub(crate) retry: BTreeMap<String, u64>,
    pub(crate) claim: Option<LearnClaim>,
}

/// The marks of conversations.
pub(crate) type LearnedMarks = BTreeMap<String, LearnedMark>;

/// The position up to which a conversation was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LearnedMark {
    pub(crate) seq: u64,
    /// The time of the conversation's first event, in nanoseconds since 1970. It distinguishes the
    /// conversation from one of the same name that was deleted.
    pub(crate) began: i64,
}

/// The claim of a learner to the messages after the marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LearnClaim {
    /// The version of the value that first has the claim, which no other claim has.
    pub(crate) version: u64,
    /// The time of the claim, in nanoseconds since 1970.
    pub(crate) at: i64,
}

/// The value as it is written in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRecord {
    version: u32,
    facts: Vec<WrittenFact>,
    learned: LearnedMarks,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    retry: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claim: Option<LearnClaim>,
}

/// The member that marks a newer version.
#[derive(Deserialize)]
struct WrittenVersion {
    version: u32,
}

impl ProfileRecord {
    pub(crate) fn write(&self) -> Vec<u8> {
        let written = WrittenRecord {
            version: VERSION,
            facts: self.profile.written(),
            learned: self.learned.clone(),
            retry: self.retry.clone(),
            claim: self.claim,
        };
        serde_json::to_vec(&written).expect("a record has texts and numbers")
    }

    pub(crate) fn read(value: &[u8]) -> Result<Self, Error> {
        let bad = |why: String| {
            Error::new(ErrorKind::Format, format!("the kept profile cannot be read: {why}"))
        };
        let WrittenVersion { version } =
            serde_json::from_slice(value).map_err(|error| bad(error.to_string()))?;
        if version != VERSION {
            let why = format!("its version is {version}; use the silcrow that wrote it");
            return Err(bad(why));
        }
        let written: WrittenRecord =
            serde_json::from_slice(value).map_err(|error| bad(error.to_string()))?;
        let WrittenRecord { facts, learned, retry, claim, .. } = written;
        let profile = Profile::from_written(facts).map_err(bad)?;
        Ok(Self { profile, learned, retry, claim })
    }

    /// Returns the position up to which this conversation was read, if it was read at all.
    pub(crate) fn mark(&self, summary: &Summary) -> Option<u64> {
        let mark = self.learned.get(&summary.conversation)?;
        (mark.began == summary.first.as_nanos() && mark.seq <= summary.events).then_some(mark.seq)
    }

    /// Returns whether a learner works on the messages.
    pub(crate) fn is_claimed(&self, now: Timestamp) -> bool {
        let age = |claim: LearnClaim| claim.at.abs_diff(now.as_nanos());
        self.claim.is_some_and(|claim| age(claim) < CLAIM_NANOS)
    }
}

impl LearnedMark {
    pub(crate) const fn new(summary: &Summary, seq: u64) -> Self {
        Self { seq, began: summary.first.as_nanos() }
    }
}

/// The time for which a claim is valid: five minutes, longer than a request takes.
const CLAIM_NANOS: u64 = 300 * 1_000_000_000;
