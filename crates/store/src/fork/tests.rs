use silcrow_event::{ContextSummary, Entry, Event};

use super::renumber_summaries;

#[test]
fn a_summary_names_the_positions_of_the_copies() {
    let at = |seq, event: Event| Entry { seq: Some(seq), ..event.into() };
    let summary = ContextSummary { until: 5, shortened: 8, ..ContextSummary::default() };
    // Events 2, 3 and 7 were lost.
    let mut entries = vec![
        at(1, Event::user("one")),
        at(4, Event::respond("two")),
        at(5, Event::user("three")),
        at(6, Event::respond("four")),
        at(8, Event::user("five")),
        at(9, Event::Summary(summary)),
    ];
    renumber_summaries(&mut entries);
    let Event::Summary(renumbered) = &entries[5].event else { panic!() };
    assert_eq!((renumbered.until, renumbered.shortened), (3, 5));
}
