//! The checks that all stores share.

use silcrow_event::{Entry, Event};
use silcrow_store::{ErrorKind, validate};

#[test]
fn names_are_1_to_256_bytes() {
    assert!(validate::name("key", "a").is_ok());
    assert!(validate::name("key", &"a".repeat(256)).is_ok());
    let error = validate::name("key", &"a".repeat(257)).unwrap_err();
    assert_eq!(error.to_string(), "the key is 257 bytes long; at most 256 are kept");
    assert_eq!(error.kind(), ErrorKind::Refused);
    let error = validate::name("space", "").unwrap_err();
    assert_eq!(error.to_string(), "the space is empty; give it a name");
}

#[test]
fn a_batch_gets_positions_or_is_rejected() {
    let mut batch: Vec<Entry> = vec![Event::user("a").into(), Event::think("b").into()];
    assert_eq!(validate::assign_positions(7, &mut batch).unwrap(), 9);
    assert_eq!(batch.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [Some(8), Some(9)]);
    // The maximum head is rejected without an overflow.
    assert_eq!(validate::assign_positions(u64::MAX, &mut batch).unwrap(), u64::MAX);
    let error = validate::assign_positions(0, &mut [Event::End.into()]).unwrap_err();
    assert_eq!(error.to_string(), "an event `end` is never stored; append the batch without it");
}
