//! Ids of new conversations.

use std::hash::{BuildHasher as _, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the id of a new conversation: `c`, the time in seconds, and 41 random bits, in base 36.
/// Two runs that begin at the same moment, or under a clock that stands still, differ.
///
/// ```
/// use silcrow_session::new_conversation;
///
/// let id = new_conversation();
/// assert!(id.starts_with('c') && id != new_conversation());
/// ```
pub fn new_conversation() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // The system seeds the keys of the standard library's hasher.
    let random = RandomState::new().hash_one(since) % 36_u64.pow(RANDOM_DIGITS);
    let mut rest = u128::from(since.as_secs()) * 36_u128.pow(RANDOM_DIGITS) + u128::from(random);
    let mut digits = Vec::new();
    while rest > 0 {
        digits.push(char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize]));
        rest /= 36;
    }
    digits.push('c');
    digits.iter().rev().collect()
}

/// The number of random digits in an id, which have 41 bits.
const RANDOM_DIGITS: u32 = 8;

#[test]
fn ids_of_one_moment_differ() {
    let ids: std::collections::BTreeSet<_> = (0..1_000).map(|_| new_conversation()).collect();
    assert_eq!(ids.len(), 1_000);
    assert!(ids.iter().all(|id| id.starts_with('c') && id.len() <= 16), "{ids:?}");
}
