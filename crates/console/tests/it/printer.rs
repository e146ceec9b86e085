//! A run as JSON lines.

use std::io::Read as _;

use silcrow_console::printer::Printer;
use silcrow_event::{
    CallResult, ErrorEvent, ErrorOrigin, Event, LogPosition, RunEventRef, TextFragment, TextKind,
};

fn printed(tokens: bool, events: &[Event]) -> (String, bool) {
    let (mut read, written) = std::io::pipe().unwrap();
    let mut printer = Printer::new(written, tokens);
    let kind = TextKind::Respond { last: true };
    let text = TextFragment { kind, part: 1, id: None, text: "It is \u{202e}4." };
    printer.show(RunEventRef::Text(text, LogPosition::default()));
    for event in events {
        printer.show(RunEventRef::Entry(&event.clone().into()));
    }
    printer.finish().unwrap();
    let failed = printer.has_failed();
    drop(printer);
    let mut text = String::new();
    read.read_to_string(&mut text).unwrap();
    (text, failed)
}

#[test]
fn last_batch_is_printed_at_the_end() {
    let (mut read, written) = std::io::pipe().unwrap();
    let mut printer = Printer::new(written, false).with_result_batches(true);
    for (id, tool) in [("b", "two"), ("a", "one")] {
        let result = CallResult::success(id, tool, "", "x");
        printer.entry(&Event::Result(result).into());
    }
    printer.finish().unwrap();
    drop(printer);
    let mut text = String::new();
    read.read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("\"tools_executed\":2"), "{text}");
}

#[test]
fn text_is_printed_once_as_fragments_or_events() {
    let events = [Event::respond("It is \u{202e}4."), Event::End];
    for (tokens, parts) in [(true, 2), (false, 2)] {
        let (text, failed) = printed(tokens, &events);
        assert!(!failed);
        assert_eq!(text.lines().count(), parts, "{text}");
        assert_eq!(text.matches("It is \\u202e4.").count(), 1, "{text}");
        for line in text.lines() {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
    }
}

#[test]
fn only_errors_of_the_whole_run_are_noted() {
    let error = |at| {
        let (code, content) = ("parse".to_owned(), "half a call".to_owned());
        Event::Error(ErrorEvent { code, content, origin: ErrorOrigin::Model, retry: false, at })
    };
    assert!(!printed(false, &[error(Some(3))]).1);
    assert!(printed(false, &[error(None)]).1);
}
