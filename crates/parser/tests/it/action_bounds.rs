//! The bounds of the dialect `action`: P-9 and P-21.

use silcrow_parser::{Dialect, Fragment, MAX_BODY, Parser};
use silcrow_testkit::random_chars;

use crate::action::line;
use crate::parse::parse;

/// P-21: the first 64 KiB are pending, the rest streams.
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
    let lines: Vec<String> = whole.units.iter().map(line).collect();
    assert_eq!(lines[0], "think: t");
    assert_eq!(lines[1], format!("respond: a\n{long}"));
    assert_eq!(lines[2..4], ["think: u", "respond: b"]);
    assert!(lines[4].starts_with("a1: "));
    assert!(lines[5].ends_with("stray_text: c"));
    assert_eq!(lines.len(), 6);
}

/// P-9: the rest of the body is dropped up to the closing tag.
#[test]
fn a_body_that_is_too_long_is_text_up_to_the_cap() {
    let long = "x".repeat(MAX_BODY);
    let wire = format!("<action>{{\"name\":\"{long}\"}} <action></action><response>b</response>");
    let whole = parse([&*wire], Dialect::Action);
    assert_eq!(parse(random_chars(&wire, 3), Dialect::Action), whole);
    let lines: Vec<String> = whole.units.iter().map(line).collect();
    assert_eq!(lines[0].len(), "respond (not final): ".len() + MAX_BODY);
    assert!(lines[1].starts_with("8 malformed_call: the body is longer than"), "{}", lines[1]);
    assert_eq!(lines[2..], ["a1 bad", "respond: b"]);
}
