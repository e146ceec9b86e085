//! The summary of a conversation.

use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::Summary;

#[test]
fn a_title_is_the_first_line_with_text() {
    let title = |content: &str| {
        let mut summary = Summary::new("c");
        summary.apply(&Event::user(content).into());
        summary.title
    };
    assert_eq!(title("one\ntwo"), "one");
    assert_eq!(title(" \r\n\t\n  two  \n"), "two");
    assert_eq!(title(""), "");
    assert_eq!(title(&"𝄞".repeat(100)), "𝄞".repeat(80));
}

#[test]
fn a_summary_follows_the_log() {
    let at = |timestamp, event: Event| Entry { timestamp, ..event.into() };
    let [unknown, early, late] = [0, 2, 3].map(Timestamp::from_nanos);
    let mut summary = Summary::new("c");
    assert_eq!((summary.events, summary.first, summary.last), (0, unknown, unknown));
    summary.apply(&at(None, Event::think("hm")));
    summary.apply(&at(Some(early), Event::user("hello")));
    summary.apply(&at(Some(late), Event::user("again")));
    assert_eq!(summary.title, "hello");
    assert_eq!((summary.events, summary.first, summary.last), (3, unknown, late));
}
