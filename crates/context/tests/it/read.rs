use silcrow_event::{Call, Diagnostic, Event};
use silcrow_parser::{Options, Parser, read_results};
use silcrow_testkit::{Joined, Unit};

/// What a parser makes of wire text: events without their white space, and notes.
pub(crate) fn read(wire: &str, options: impl Into<Options>) -> (Vec<Event>, Vec<Diagnostic>) {
    let mut joined = Joined::default();
    let mut parser = Parser::new(options);
    parser.push(wire, &mut |fragment| joined.push(fragment));
    parser.finish(&mut |fragment| joined.push(fragment));
    let joined = joined.finish();
    let bad = joined.units.iter().any(|unit| matches!(unit, Unit::Bad { .. }));
    assert!(!bad, "{joined:?}");
    (joined.events(), joined.notes().cloned().collect())
}

pub(crate) fn call(id: &str, name: &str, args: &str) -> Event {
    let content = format!(r#"{{"name": "{name}", "args": {args}}}"#);
    Event::Call(Call::parse(id, content).unwrap())
}

/// The contents of the results in a message, by position.
pub(crate) fn contents_of(message: &str, options: impl Into<Options>) -> Vec<String> {
    read_results(message, options).into_iter().map(|result| result.content.into_text()).collect()
}
