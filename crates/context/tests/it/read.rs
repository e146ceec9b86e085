//! Helpers that read the messages to a model, and that write a log.

use silcrow_context::assemble;
use silcrow_event::{Call, CallResult, Diagnostic, Event, Message, read_entry};
use silcrow_parser::{Dialect, Options, Parser, read_results};
use silcrow_testkit::{Joined, Unit};

/// Returns the results of parsing wire text: trimmed events, and diagnostics.
pub(crate) fn read(wire: &str, options: impl Into<Options>) -> (Vec<Event>, Vec<Diagnostic>) {
    let mut joined = Joined::default();
    let mut parser = Parser::new(options);
    parser.push(wire, &mut |fragment| joined.push(fragment));
    parser.finish(&mut |fragment| joined.push(fragment));
    let joined = joined.finish();
    let bad = joined.units.iter().any(|unit| matches!(unit, Unit::Bad { .. }));
    assert!(!bad, "{joined:?}");
    (joined.events(), joined.diagnostics().cloned().collect())
}

pub(crate) fn call(id: &str, name: &str, args: &str) -> Event {
    let content = format!(r#"{{"name": "{name}", "args": {args}}}"#);
    Event::Call(Call::parse(id, content).unwrap())
}

/// Returns the contents of the results in a message, by position.
pub(crate) fn contents_of(message: &str, options: impl Into<Options>) -> Vec<String> {
    read_results(message, options).into_iter().map(|result| result.content.into_text()).collect()
}

/// Returns the messages as readable text: the role, then the text.
pub(crate) fn shown(messages: &[Message]) -> String {
    let shown = |message: &Message| {
        let lines: Vec<_> =
            message.text().lines().map(|line| format!("  {line}").trim_end().to_owned()).collect();
        format!("{}\n{}", message.role.as_str(), lines.join("\n"))
    };
    messages.iter().map(shown).collect::<Vec<_>>().join("\n")
}

pub(crate) fn sigil(events: &[Event]) -> String {
    shown(&assemble(events, Dialect::Sigil))
}

pub(crate) fn phase(events: &[Event]) -> String {
    shown(&assemble(events, Dialect::Phase))
}

pub(crate) fn action(events: &[Event]) -> String {
    shown(&assemble(events, Dialect::Action))
}

pub(crate) fn list(id: &str) -> Event {
    call(id, "file_list", "{}")
}

pub(crate) fn result(id: &str, content: &str) -> Event {
    Event::Result(CallResult::success(id, "file_list", "", content))
}

/// Returns a log as a file has it.
pub(crate) fn log(lines: &[&str]) -> Vec<Event> {
    lines.iter().map(|line| read_entry(line).unwrap().event).collect()
}

pub(crate) fn debug_app() -> Vec<Event> {
    log(&[
        r#"{"type": "user", "content": "debug app.py"}"#,
        r#"{"type": "think", "content": "should read file"}"#,
        r#"{"type": "call", "content": "{\"name\": \"file_read\", \"args\": {\"file\": \"app.py\"}}"}"#,
        r#"{"type": "result", "payload": {"outcome": "Found file", "content": "x = <1>", "error": false}, "timestamp": 1234567890.0}"#,
        r#"{"type": "respond", "content": "fixed the bug"}"#,
        r#"{"type": "metrics", "total": {"input": 100, "output": 50, "duration": 1.5}}"#,
    ])
}
