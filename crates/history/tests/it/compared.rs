//! Laws of comparisons, with generated logs.

use proptest::prelude::*;
use silcrow_event::{Entry, Event};
use silcrow_history::Comparison;

fn log(words: &[u8]) -> Vec<Entry> {
    words.iter().map(|word| Event::respond(format!("word {word}")).into()).collect()
}

proptest! {
    #[test]
    fn both_logs_are_in_the_pairs(
        a in prop::collection::vec(0..4_u8, 0..12),
        b in prop::collection::vec(0..4_u8, 0..12),
    ) {
        let comparison = Comparison::new(["a", "b"], [log(&a), log(&b)]);
        let shared = comparison.shared();
        prop_assert_eq!(&a[..shared], &b[..shared]);
        let pairs: Vec<_> = comparison.pairs().collect();
        let left: Vec<_> = pairs.iter().filter_map(|(left, _)| left.cloned()).collect();
        let right: Vec<_> = pairs.iter().filter_map(|(_, right)| right.cloned()).collect();
        prop_assert_eq!(left, log(&a[shared..]));
        prop_assert_eq!(right, log(&b[shared..]));
        // Events of both are equal, and each event is in at least one.
        for (left, right) in pairs {
            prop_assert!(left.is_some() || right.is_some());
            prop_assert!(left.is_none() || right.is_none() || left == right);
        }
    }
}

#[test]
fn json_has_ids_and_line_per_pair() {
    let comparison = Comparison::new(["a", "b"], [log(&[1, 2]), log(&[1])]);
    let json = comparison.to_json_lines();
    let lines: Vec<_> = json.lines().collect();
    assert_eq!(lines[0], r#"{"a":"a","b":"b","shared":1}"#);
    assert!(lines[1].starts_with(r#"{"same":false,"a":{"#) && lines[1].ends_with(r#","b":null}"#));
    assert_eq!(lines.len(), 2);
}

#[test]
fn two_branches_are_shown_narrow_and_wide() {
    let log = |answer: &str| {
        let events = [Event::user("go"), Event::respond(answer), Event::user("on")];
        events.map(Entry::from).to_vec()
    };
    let comparison = Comparison::new(["a", "b"], [log("one"), log("two")]);
    insta::assert_snapshot!(comparison.to_text(60), @r"
    a and b share 1 event
    < respond  one
    > respond  two
    = user     on
    ");
    let wide = comparison.to_text(100);
    let lines: Vec<_> = wide.lines().collect();
    assert_eq!(lines[1], format!("{:<48} <", "respond  one"));
    assert_eq!(lines[2], format!("{:<48} > respond  two", ""));
    assert_eq!(lines[3], format!("{:<48} = user     on", "user     on"));
    assert!(lines.iter().all(|line| silcrow_term::fit::width(line) <= 100), "{wide}");
}
