//! P-9: which text is a call, and the reason why other text is not.

use silcrow_event::{Call, Event, read_entry};

#[track_caller]
fn accepts(content: &str, name: &str, args: &str) {
    let call = Call::parse("a1", content).unwrap_or_else(|why| panic!("{content}: {why}"));
    assert_eq!((call.name(), call.args(), call.content()), (name, args, content));
}

#[track_caller]
fn rejects(content: &str, why: &str) {
    let error = Call::parse("a1", content).expect_err(content).to_string();
    assert!(error.contains(why), "{content}: {error}");
}

#[test]
fn a_call_keeps_its_text() {
    accepts(r#"{"name":"a","args":{"x":1}}"#, "a", r#"{"x":1}"#);
    accepts(r#"{"args":{"b":2,"a":1.0e0},"name":"a"}"#, "a", r#"{"b":2,"a":1.0e0}"#);
    accepts(r#"{"name":"a"}"#, "a", "{}");
    accepts(r#"{"name":"a","args":null}"#, "a", "{}");
    accepts(r#"{"name":"a","args": null , "id":"7"}"#, "a", "{}");
    accepts("{\n  \"name\" : \"a\",\n  \"args\" : { } \n}", "a", "{ }");
    accepts(r#"{"\u006eame":"\u0061","args":{"}":"{\"]"}}"#, "a", r#"{"}":"{\"]"}"#);
    accepts(r#"{"other":{"name":[1,"]"]},"name":"a","args":{}}"#, "a", "{}");
}

#[test]
fn arguments_may_be_under_other_keys() {
    for key in ["args", "arguments", "parameters", "input"] {
        accepts(&format!(r#"{{"name":"a","{key}":{{"x":1}}}}"#), "a", r#"{"x":1}"#);
        accepts(&format!(r#"{{"name":"a","{key}":null}}"#), "a", "{}");
        rejects(&format!(r#"{{"name":"a","{key}":"{{\"x\":1}}"}}"#), "without quotes");
        rejects(&format!(r#"{{"name":"a","{key}":"x"}}"#), "is not a JSON object");
    }
    rejects(r#"{"name":"a","args":{},"input":{}}"#, "`args` and `input` are both given");
    rejects(r#"{"name":"a","path":"."}"#, "put `path` and all other arguments into it");
    rejects(r#"{"other":{"name":[1,"]"]},"name":"a"}"#, "put `other`");
}

/// A call in an older log may have members that are not arguments.
#[test]
fn a_call_of_an_older_log_is_read() {
    for content in [r#"{"name":"a","path":"."}"#, r#"{"name":"a","args":{},"input":1}"#] {
        let line = format!(r#"{{"type":"call","id":"a1","content":{content:?}}}"#);
        let Event::Call(call) = read_entry(&line).unwrap().event else { panic!("{line}") };
        assert_eq!((call.name(), call.args(), call.content()), ("a", "{}", content));
    }
}

#[test]
fn the_error_names_the_reason() {
    rejects("", "empty");
    rejects(" \n", "empty");
    rejects("ls", "not valid JSON");
    rejects(r#"{"name":"a""#, "not valid JSON");
    rejects(r#"{"name":"a"} x"#, "not valid JSON");
    rejects(r#"{"name":"a",}"#, "not valid JSON");
    rejects(r#"["a"]"#, "not a JSON object");
    rejects("{}", "`name` is missing");
    rejects(r#"{"name":1}"#, "`name` is not a string");
    rejects(r#"{"name":""}"#, "`name` is empty");
    rejects(r#"{"name":"a","name":"b"}"#, "`name` is given twice");
    rejects(r#"{"name":"a","args":{},"args":{}}"#, "`args` is given twice");
    rejects(r#"{"name":"a","args":null,"args":{}}"#, "`args` is given twice");
    rejects(r#"{"name":"a","args":[]}"#, "`args` is not a JSON object");
    rejects(
        &format!(r#"{{"name":"a","args":{}1{}}}"#, r#"{"x":"#.repeat(200), "}".repeat(200)),
        "nested deeper",
    );
}
