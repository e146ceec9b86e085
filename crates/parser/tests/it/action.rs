//! The dialect `action`, where a case would be too long or does not show it: P-9 and P-21.

use silcrow_parser::{DiagnosticKind, Dialect, Event, Fragment, MAX_BODY, Parser, TextKind};
use silcrow_testkit::{Unit, random_chars};

use crate::parse::parse;

<<<<<<< HEAD
/// Compares events and diagnostics, for every cut of the text.
#[track_caller]
fn check(wire: &str, expected: &[&str]) {
    let whole = parse([wire], Dialect::Action);
    let lines: Vec<String> = whole.units.iter().map(line).collect();
    assert_eq!(lines, expected, "{wire:?}");
    for (at, _) in wire.char_indices() {
        let (left, right) = wire.split_at(at);
        assert_eq!(parse([left, right], Dialect::Action), whole, "{left:?} {right:?}");
    }
    assert_eq!(parse(by_chars(wire), Dialect::Action), whole, "{wire:?} by characters");
}

/// Returns a unit in a short notation.
pub(crate) fn line(unit: &Unit) -> String {
    match unit {
        Unit::Text { kind, text, .. } => {
            let is_final = !matches!(kind, TextKind::Respond { last: false });
            let mark = if is_final { "" } else { " (not final)" };
            format!("{}{mark}: {text}", kind.type_name())
        }
        Unit::Event(Event::Call(call)) => {
            let action = call.action().expect("an action");
            let mut said = vec![action.kind.as_str().to_owned(), action.mode.as_str().to_owned()];
            said.extend(action.depends_on.iter().map(|id| format!("after {id}")));
            said.extend(action.output_key.iter().map(|key| format!("as {key}")));
            said.extend(action.timeout.map(|seconds| format!("{} s", seconds.as_secs_f64())));
            said.extend(action.retry.map(|count| format!("{count} more")));
            said.extend(action.on_error.map(|policy| policy.as_str().to_owned()));
            format!("{}: {} {}", call.id(), call.content(), said.join(", "))
        }
        Unit::Bad { id, truncated } => format!("{id} {}", if *truncated { "cut" } else { "bad" }),
        Unit::Diagnostic(diagnostic) => {
            format!("{} {}: {}", diagnostic.at, diagnostic.kind, diagnostic.content)
        }
        Unit::Event(event) => panic!("{event:?} in this dialect"),
    }
}

=======
/// P-21: the first 64 KiB are pending, the rest streams.
>>>>>>> main
#[test]
fn much_text_outside_of_sections_is_emitted_at_once() {
    let long = "x".repeat(64 << 10);
    let first = |wire: &str| {
        let mut emitted = 0;
        let mut parser = Parser::new(Dialect::Action);
        parser.push(wire, &mut |fragment| {
            if let Fragment::Text(text) = fragment {
                emitted += text.text.len();
            }
        });
        emitted
    };
    assert_eq!(first(&long), 0);
    assert_eq!(first(&format!("{long}y")), long.len() + 1);
    let wire = format!(
        "a<thought>t</thought>{long}\n<thought>u</thought>b<action>{{\"name\":\"n\"}}</action>c"
    );
    let whole = parse([&*wire], Dialect::Action);
    assert_eq!(parse(random_chars(&wire, 7), Dialect::Action), whole);
    let events = whole.events();
    let answer = Event::respond(format!("a\n{long}"));
    let expected = [Event::think("t"), answer, Event::think("u"), Event::respond("b")];
    assert_eq!(events[..4], expected);
    assert!(matches!(&events[4..], [Event::Call(call)] if call.id() == "a1"), "{:?}", &events[4..]);
    let Some(Unit::Diagnostic(stray)) = whole.units.last() else { panic!("{:?}", whole.units) };
    assert_eq!((stray.kind, &*stray.content), (DiagnosticKind::StrayText, "c"));
}

/// P-9: the rest of the body is dropped up to the closing tag.
#[test]
fn a_body_that_is_too_long_is_text_up_to_the_cap() {
    let long = "x".repeat(MAX_BODY);
    let wire = format!("<action>{{\"name\":\"{long}\"}} <action></action><response>b</response>");
    let whole = parse([&*wire], Dialect::Action);
    assert_eq!(parse(random_chars(&wire, 3), Dialect::Action), whole);
    let [
        Unit::Text { kind: TextKind::Respond { last: false }, text, .. },
        Unit::Diagnostic(malformed),
        Unit::Bad { id, truncated: false },
        Unit::Text { kind: TextKind::Respond { last: true }, text: answer, .. },
    ] = &whole.units[..]
    else {
        panic!("{:?}", whole.units)
    };
    assert_eq!((text.len(), malformed.at, &**id, &**answer), (MAX_BODY, 8, "a1", "b"));
    assert_eq!(malformed.kind, DiagnosticKind::MalformedCall);
    assert!(malformed.content.contains("longer"), "{}", malformed.content);
}

#[test]
fn each_section_with_text_has_a_number() {
    let wire = "a<action>b</action><thought>c<action>{}</action>d</thought>";
    let part = |unit: &Unit| match unit {
        Unit::Text { part, text, .. } => Some((*part, text.clone())),
        _ => None,
    };
    let parts: Vec<_> = parse([wire], Dialect::Action).units.iter().filter_map(part).collect();
    let expected = [(1, "b"), (2, "c"), (3, "{}"), (4, "d"), (5, "a")];
    assert_eq!(parts, expected.map(|(part, text)| (part, text.to_owned())));
}
