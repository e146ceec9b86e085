//! The usage of one request, and the sum over several.

use std::time::Duration;

use silcrow_event::{Event, Metric, Usage, read_entry};

#[test]
fn a_sum_adds_up_every_field() {
    let reported = Usage { input: 5, output: 4, cached: 3, ..Usage::default() };
    let guessed = Usage {
        input: 1,
        cache_written: 1,
        reasoning: 2,
        sent_bytes: u64::MAX,
        time_to_first_delta: Duration::from_millis(500),
        duration: Duration::from_nanos(1),
        estimated: true,
        ..Usage::default()
    };
    let total = [reported, guessed, guessed].into_iter().fold(Usage::default(), |a, b| a + b);
    let expected = Usage {
        input: 7,
        output: 4,
        cached: 3,
        cache_written: 2,
        reasoning: 4,
        sent_bytes: u64::MAX,
        time_to_first_delta: Duration::from_secs(1),
        duration: Duration::from_nanos(2),
        estimated: true,
    };
    assert_eq!(total, expected);
    assert!(!(reported + reported).estimated);
}

#[test]
fn logs_without_the_newer_members_are_read() {
    let old = r#"{"type":"metric","step":{"input":2,"output":1,"cached":1,"duration":0.5},"total":{"input":3}}"#;
    let Event::Metric(Metric { step, total, .. }) = read_entry(old).unwrap().event else {
        panic!()
    };
    let expected = Usage {
        input: 2,
        output: 1,
        cached: 1,
        duration: Duration::from_millis(500),
        ..Usage::default()
    };
    assert_eq!(step, expected);
    assert_eq!(total, Usage { input: 3, ..Usage::default() });
}
