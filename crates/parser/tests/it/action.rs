//! The dialect `action`: tests that would be too long as cases, or that a case cannot show: P-9 and
//! P-21.

use silcrow_parser::{DiagnosticKind, Dialect, Event, Fragment, MAX_BODY, Parser, TextKind};
use silcrow_testkit::{Unit, random_chars};

use crate::parse::parse;

/// P-21: the first 64 KiB are pending, the rest streams.
#[test]
fn long_text_outside_sections_is_emitted_early() {
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
fn too_long_body_is_text_up_to_cap() {
    let long = "x".repeat(MAX_BODY);
    let wire = format!("<action>{{\"name\":\"{long}\"}} <action></action><response>b</response>");
    let whole = parse([&*wire], Dialect::Action);
    assert_eq!(parse(random_chars(&wire, 3), Dialect::Action), whole);
    let [
        Unit::Text { kind: TextKind::Malformed, text, .. },
        Unit::Diagnostic(malformed),
        Unit::Bad { id, truncated: false },
        Unit::Text { kind: TextKind::Respond { last: true }, text: answer, .. },
    ] = &whole.units[..]
    else {
        panic!("{:?}", whole.units)
    };
    assert_eq!((text.len(), malformed.at, &**id, &**answer), (MAX_BODY, Some(8), "a1", "b"));
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
    let expected = [(1, "b"), (2, "c"), (3, "{}"), (4, "d")];
    assert_eq!(parts, expected.map(|(part, text)| (part, text.to_owned())));
}
