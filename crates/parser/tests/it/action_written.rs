//! The writer of the dialect `action`: P-20 and P-22.

use std::time::Duration;

use silcrow_event::{
    ActionAttributes, Call, CallKind, CallMode, Compensation, DiagnosticKind, Event, OnError,
    Respond,
};
use silcrow_lex::MAX_TAG;
use silcrow_parser::{Dialect, write};

use crate::parse::parse;

#[test]
fn written_action_matches_snapshot() {
    let call =
        |id: &str| Call::parse(id, "{\"name\":\"n\",\"args\":{\"t\":\"</action>\"}}").unwrap();
    let action = ActionAttributes {
        kind: CallKind::Agent,
        mode: CallMode::FireAndForget,
        depends_on: vec!["a1".to_owned(), "x\"y".to_owned()],
        output_key: Some("key".to_owned()),
        timeout: Some(Duration::from_millis(2500)),
        retry: Some(3),
        on_error: Some(OnError::Skip),
        compensate: Compensation::parse(r#"{"name":"m","args":{"of":"$key"}}"#).ok().map(Box::new),
        show: true,
        ..ActionAttributes::default()
    };
    let events = [
        Event::think("so <action> and\n<response>\n</thought> <<action a=b>"),
        Event::Call(call("a1").with_action(ActionAttributes::default())),
        Event::Call(call("say \"hi\"").with_action(action)),
        Event::Call(call("'\"").with_action(ActionAttributes::default())),
        Event::Respond(Respond { last: false, ..Respond::new("wait\n</response> <thought>") }),
        Event::respond("```\n</response>\n```\n~~~"),
    ];
    let wire = write(&events, Dialect::Action);
    let read = parse([&*wire], Dialect::Action);
    assert_eq!(read.events(), events);
    let notes: Vec<_> = read.diagnostics().map(|note| (note.kind, &*note.content)).collect();
    assert_eq!(notes, [(DiagnosticKind::HiddenDelimiter, "</response>")]);
    insta::assert_snapshot!(wire);
    // The id does not fit into a tag.
    let long = [Event::Call(call(&"x".repeat(MAX_TAG)).with_action(ActionAttributes::default()))];
    assert_eq!(parse([&*write(&long, Dialect::Action)], Dialect::Action).events(), long);
    let nameless = write(&[Event::Call(call(""))], Dialect::Action);
    assert!(!nameless.contains("id"), "{nameless}");
}
