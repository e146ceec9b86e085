//! The checks and decisions that all stores share.

use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::{ErrorKind, Summary, validate};

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
fn a_title_is_the_first_line_with_text() {
    assert_eq!(validate::title("one\ntwo"), "one");
    assert_eq!(validate::title(" \r\n\t\n  two  \n"), "two");
    assert_eq!(validate::title(""), "");
    assert_eq!(validate::title(&"𝄞".repeat(100)), "𝄞".repeat(80));
}

#[test]
fn a_summary_follows_the_log() {
    let at = |timestamp, event: Event| Entry { timestamp, ..event.into() };
    let [unknown, early, late] = [0, 2, 3].map(Timestamp::from_nanos);
    let mut summary = Summary::new("c");
    assert_eq!((summary.events, summary.first, summary.last), (0, unknown, unknown));
    summary.push(&at(None, Event::think("hm")));
    summary.push(&at(Some(early), Event::user("hello")));
    summary.push(&at(Some(late), Event::user("again")));
    assert_eq!(summary.title, "hello");
    assert_eq!((summary.events, summary.first, summary.last), (3, unknown, late));
}

#[test]
fn a_batch_gets_positions_or_is_rejected() {
    let mut batch: Vec<Entry> = vec![Event::user("a").into(), Event::think("b").into()];
    assert_eq!(validate::place(7, &mut batch).unwrap(), 9);
    assert_eq!(batch.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [Some(8), Some(9)]);
    // The greatest head is rejected without an overflow.
    assert_eq!(validate::place(u64::MAX, &mut batch).unwrap(), u64::MAX);
    let error = validate::place(0, &mut [Event::End.into()]).unwrap_err();
    assert_eq!(error.to_string(), "an event `end` is never stored; append the batch without it");
}
