//! The number of a store, and the identity in a segment.
//!
//! This module converts bytes and digits. It does not read or write files.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};

/// The number of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StoreId(u128);

/// The identity of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentIdentity {
    pub(crate) store: StoreId,
    pub(crate) number: u32,
    pub(crate) generation: u32,
}

impl StoreId {
    /// Creates the number of a new store.
    pub(crate) fn new() -> Self {
        // The system seeds the keys of the standard library's hasher.
        let random = || u128::from(RandomState::new().hash_one(()));
        Self(random() << 64 | random())
    }

    pub(crate) const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    pub(crate) const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }

    /// Reads the digits that a number is written with.
    pub(crate) fn parse(digits: &str) -> Option<Self> {
        u128::from_str_radix(digits, 16).ok().map(Self)
    }

    /// Returns the number that most segments name, if any names one.
    pub(crate) fn of_most(named: impl Iterator<Item = SegmentIdentity>) -> Option<Self> {
        let mut counts = BTreeMap::<Self, u32>::new();
        named.for_each(|identity| *counts.entry(identity.store).or_default() += 1);
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(id, _)| id)
    }
}

impl fmt::Display for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl SegmentIdentity {
    /// The number of bytes that it takes.
    pub(crate) const LENGTH: usize = 24;

    pub(crate) fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..16].copy_from_slice(&self.store.to_bytes());
        bytes[16..20].copy_from_slice(&self.number.to_le_bytes());
        bytes[20..].copy_from_slice(&self.generation.to_le_bytes());
        bytes
    }

    /// Reads an encoding by [`to_bytes`](Self::to_bytes); `None` for a segment without one.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::LENGTH] = bytes.try_into().ok()?;
        let (store, rest) = bytes.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (generation, _) = rest.split_first_chunk()?;
        Some(Self {
            store: StoreId::from_bytes(*store),
            number: u32::from_le_bytes(*number),
            generation: u32::from_le_bytes(*generation),
        })
    }
}
