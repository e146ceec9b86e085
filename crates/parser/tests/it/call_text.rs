//! The bodies of calls while they are written.

use silcrow_event::{CallTextFragment, Fragment};
use silcrow_parser::{Dialect, MAX_BODY, Options, Parser};
use silcrow_testkit::{Unit, WrittenBody, by_chars, random_chars};

use crate::parse::parse;

/// Returns each call as its number, its text, and its name with the position at which it becomes
/// known.
fn bodies(text: &str, options: impl Into<Options>) -> Vec<String> {
    let options = options.into();
    let whole = parse([text], options);
    assert_eq!(parse(by_chars(text), options), whole);
    let told = |WrittenBody { call, name, text, .. }: &WrittenBody| match name {
        Some((name, at)) => format!("{call} {}│{} ({name})", &text[..*at], &text[*at..]),
        None => format!("{call} {text}"),
    };
    whole.bodies.iter().map(told).collect()
}

#[test]
fn each_dialect_shows_its_call_text() {
    let sigil = "§call: {\"name\":\"a\"}\n§call: ```json\n{\"name\":\"b\"}\n```\n§execute";
    assert_eq!(bodies(sigil, Dialect::Sigil), [r#"1 {"name":"a│"} (a)"#, r#"2 {"name":"b│"} (b)"#]);
    let phase = r#"<execute>[{"name":"a"}, "7", {"name":"b"}]</execute>"#;
    assert_eq!(
        bodies(phase, Dialect::Phase),
        [r#"1 {"name":"a│"} (a)"#, r#"2 "7""#, r#"3 {"name":"b│"} (b)"#],
    );
    let action = r#"<action id="x">{"name":"a","parameters":{}}</action>"#;
    assert_eq!(bodies(action, Dialect::Action), [r#"1 {"name":"a│","parameters":{}} (a)"#]);
}

#[test]
fn name_is_reported_from_closing_quote_on() {
    let told = |body: &str| bodies(&format!("§call: {body}"), Dialect::Sigil);
    let cases = [
        // After the arguments.
        (r#"{"args":{"name":"x"},"name":"a"}"#, r#"1 {"args":{"name":"x"},"name":"a│"} (a)"#),
        // Escapes, even in the key.
        (r#"{"n\u0061me":"\u0061\""}"#, r#"1 {"n\u0061me":"\u0061\"│"} (a")"#),
        // A raw line break will be repaired.
        ("{\"name\":\"a\nb\"}", "1 {\"name\":\"a\nb│\"} (a\nb)"),
        // Of two names, the first counts.
        (r#"{"name":"a","name":"b"}"#, r#"1 {"name":"a│","name":"b"} (a)"#),
        // The first is not a string, so there is no name.
        (r#"{"name":"\x","name":"b"}"#, r#"1 {"name":"\x","name":"b"}"#),
        // A value, a deeper member, a list, and not a string.
        (r#"{"x":"name","y":"a"}"#, r#"1 {"x":"name","y":"a"}"#),
        (r#"{"x":["name","a"]}"#, r#"1 {"x":["name","a"]}"#),
        (r#"["name":"a"]"#, r#"1 ["name":"a"]"#),
        (r#"{"name":{"name":"a"},"b":"c"}"#, r#"1 {"name":{"name":"a"},"b":"c"}"#),
        ("name: a", "1 name: a"),
    ];
    for (body, expected) in cases {
        assert_eq!(told(body), [expected]);
    }
}

#[test]
fn long_name_is_reported_by_call_alone() {
    for (length, is_told) in
        [(CallTextFragment::MAX_NAME, true), (CallTextFragment::MAX_NAME + 1, false)]
    {
        let text = format!("§call: {{\"name\":\"{}\"}}", "n".repeat(length));
        assert_eq!(parse([&*text], Dialect::Sigil).bodies[0].name.is_some(), is_told);
    }
}

#[test]
fn each_byte_comes_with_its_push() {
    let body = r#"{"args":{"text":"§end \n \u00e9 ß"},"name":"note"}"#;
    let mut parser = Parser::new(Dialect::Sigil).with_call_text();
    parser.push("§call: ", &mut |fragment| panic!("{fragment:?}"));
    for char in by_chars(body) {
        let mut shown = String::new();
        parser.push(char, &mut |fragment| {
            if let Fragment::CallText(piece) = fragment {
                shown.push_str(piece.text);
            }
        });
        assert_eq!(shown, char);
    }
}

/// The last piece joins the number to the id of the call, of its malformed text and of its result,
/// whatever the id is: generated, written in the tag or in the body, or repeated.
#[test]
fn last_piece_of_call_has_id() {
    let sigil = "§call: {\"name\":\"a\"}\n§call: no\n§call:\n§call: [1]\n§execute";
    let phase = r#"<execute>[{"name":"a"}, "7", {"name":1}, {"name":"b"}]</execute>"#;
    let action = [
        r#"<action id="x">{"name":"a"}</action>"#,
        r#"<action id="x">{"name":"a"}</action>"#,
        r#"<action>{"id":"y","name":"a"}</action>"#,
        "<action>no</action><action></action>",
        r#"<action id="z">{"name":"cut"#,
    ];
    let cases = [
        (sigil.to_owned(), Dialect::Sigil, &["a1", "a2", "a3", "a4"][..]),
        (phase.to_owned(), Dialect::Phase, &["a1", "a2", "a3", "a4"]),
        (action.concat(), Dialect::Action, &["x", "a1", "y", "a2", "a3", "z"]),
    ];
    for (text, dialect, ids) in cases {
        let whole = parse([&*text], dialect);
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            let (left, right) = text.split_at(cut);
            assert_eq!(parse([left, right], dialect), whole, "{dialect:?} {cut}");
        }
        let told = |body: &WrittenBody| (body.call, body.id.clone().unwrap());
        let expected = (1..).zip(ids.iter().map(|&id| id.to_owned()));
        assert!(whole.bodies.iter().map(told).eq(expected), "{:?}", whole.bodies);
    }
}

/// A part of a body never becomes a call.
#[test]
fn cut_call_gives_text_and_no_call() {
    let cut = [
        (Dialect::Sigil, "§call: {\"name\":\"a\",\"args\":{\"text\":\"half"),
        (Dialect::Phase, "<execute>[{\"name\":\"a\",\"args\":{\"text\":\"half"),
        (Dialect::Action, "<action>{\"name\":\"a\",\"parameters\":{\"text\":\"half"),
    ];
    for (dialect, text) in cut {
        for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            let events = parse([&text[..end]], dialect).events();
            assert!(events.iter().all(|event| event.type_name() == "respond"), "{events:?}");
        }
        let read = parse([text], dialect);
        assert!(read.bodies[0].text.ends_with("half"));
        assert_eq!(read.bodies[0].name.as_ref().unwrap().0, "a");
        assert!(read.units.iter().any(|unit| matches!(unit, Unit::Bad { truncated: true, .. })));
    }
}

/// P-9: text beyond the size limit is not emitted.
#[test]
fn the_cap_of_a_body_holds() {
    let body = format!("{{\"args\":{{\"text\":\"{}\"}},\"name\":\"a\"}}", "ß".repeat(MAX_BODY));
    for (opening, dialect) in [("§call: ", Dialect::Sigil), ("<execute>[", Dialect::Phase)] {
        let text = format!("{opening}{body}");
        let whole = parse([&*text], dialect);
        assert!(whole.bodies[0].text == body[..body.ceil_char_boundary(MAX_BODY)]);
        assert_eq!(whole.bodies.len(), 1);
        let (left, right) = text.split_at(text.ceil_char_boundary(MAX_BODY + 5));
        assert!(parse(random_chars(left, 1).into_iter().chain([right]), dialect) == whole);
    }
}
