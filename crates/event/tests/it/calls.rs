//! P-9: what is a call, and why something is none.

use silcrow_event::Call;

#[track_caller]
fn reads(content: &str, name: &str, args: &str) {
    let call = Call::parse("a1", content).unwrap_or_else(|why| panic!("{content}: {why}"));
    assert_eq!((call.name(), call.args(), call.content()), (name, args, content));
}

#[track_caller]
fn refuses(content: &str, why: &str) {
    let error = Call::parse("a1", content).expect_err(content).to_string();
    assert!(error.contains(why), "{content}: {error}");
}

#[test]
fn calls_are_read_as_they_stand() {
    reads(r#"{"name":"a","args":{"x":1}}"#, "a", r#"{"x":1}"#);
    reads(r#"{"args":{"b":2,"a":1.0e0},"name":"a"}"#, "a", r#"{"b":2,"a":1.0e0}"#);
    reads(r#"{"name":"a"}"#, "a", "{}");
    reads(r#"{"name":"a","args":null}"#, "a", "{}");
    reads(r#"{"name":"a","args": null , "id":"7"}"#, "a", "{}");
    reads("{\n  \"name\" : \"a\",\n  \"args\" : { } \n}", "a", "{ }");
    reads(r#"{"\u006eame":"\u0061","args":{"}":"{\"]"}}"#, "a", r#"{"}":"{\"]"}"#);
    reads(r#"{"other":{"name":[1,"]"]},"name":"a"}"#, "a", "{}");
}

#[test]
fn what_is_no_call_says_why() {
    refuses("", "empty");
    refuses(" \n", "empty");
    refuses("ls", "not valid JSON");
    refuses(r#"{"name":"a""#, "not valid JSON");
    refuses(r#"{"name":"a"} x"#, "not valid JSON");
    refuses(r#"{"name":"a",}"#, "not valid JSON");
    refuses(r#"["a"]"#, "not a JSON object");
    refuses("{}", "`name` is missing");
    refuses(r#"{"name":1}"#, "`name` is not a string");
    refuses(r#"{"name":""}"#, "`name` is empty");
    refuses(r#"{"name":"a","name":"b"}"#, "`name` is given twice");
    refuses(r#"{"name":"a","args":{},"args":{}}"#, "`args` is given twice");
    refuses(r#"{"name":"a","args":null,"args":{}}"#, "`args` is given twice");
    refuses(r#"{"name":"a","args":[]}"#, "`args` is not a JSON object");
    refuses(
        &format!(r#"{{"name":"a","args":{}1{}}}"#, r#"{"x":"#.repeat(200), "}".repeat(200)),
        "nested deeper",
    );
}
