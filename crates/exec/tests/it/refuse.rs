use std::sync::Arc;

use silcrow_event::ResultStatus;
use silcrow_tool::{ToolError, Toolbox, Validator};

use crate::{ended, next, plain, ready, runner, summary, tool, toolbox, with};

#[tokio::test]
async fn unknown_tool_error_suggests_closest_name() {
    let mut runner = runner(with(toolbox(plain("file_read")), plain("file_list")));
    runner.start(ready("a1", "file_raed", "{}"));
    let (id, outcome) = ended(&mut runner).await;
    assert_eq!(id, "a1");
    assert_eq!(summary(&outcome), "unknown tool");
    assert_eq!(
        outcome.content,
        "unknown tool `file_raed`. Did you mean `file_read`? Available: `file_list`, `file_read`."
    );
    assert_eq!(outcome.payload.unwrap().tool.as_deref(), Some("file_raed"));
}

#[tokio::test]
async fn unknown_tool_without_close_names() {
    let mut some = runner(toolbox(plain("file_read")));
    some.start(ready("a1", "weather", "{}"));
    let (_, _, why) = next(&mut some).await;
    assert_eq!(why, "unknown tool `weather`. Available: `file_read`.");

    let mut none = runner(Toolbox::new());
    none.start(ready("a1", "weather", "{}"));
    let (_, _, why) = next(&mut none).await;
    assert_eq!(why, "unknown tool `weather`. No tool is available.");
}

#[tokio::test]
async fn invalid_arguments_never_reach_the_tool() {
    let never = tool("read", |_, _| panic!("it ran"))
        .shaped(r#"{"type":"object","properties":{"file":{"type":"string"}},"required":["file"]}"#);
    let mut runner = runner(toolbox(never));
    runner.start(ready("a1", "read", r#"{"file":3}"#));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(summary(&outcome), "bad arguments");
    assert_eq!(
        outcome.content,
        "the arguments do not fit: `file` must be a string, but is the number `3`"
    );
    assert!(runner.next().await.is_none());
}

#[tokio::test]
async fn a_broken_schema_is_a_failure() {
    let mut runner = runner(toolbox(plain("read").shaped("{\"type\": object}")));
    runner.start(ready("a1", "read", "{}"));
    let (_, status, why) = next(&mut runner).await;
    assert_eq!(status, ResultStatus::Failure);
    assert!(why.starts_with("the tool's own schema is not valid JSON"), "{why}");
}

#[tokio::test]
async fn another_validator_may_be_plugged_in() {
    struct Moody;
    impl Validator for Moody {
        fn check(&self, _: &str, args: &str) -> Result<(), ToolError> {
            if args == "{}" { Ok(()) } else { Err(ToolError::new("not today")) }
        }
    }
    let mut runner = runner(toolbox(plain("read"))).with_validator(Arc::new(Moody));
    runner.start(ready("a1", "read", r#"{"x":1}"#));
    runner.start(ready("a2", "read", "{}"));
    assert_eq!(next(&mut runner).await, ("a1".into(), ResultStatus::Failure, "not today".into()));
    assert_eq!(next(&mut runner).await, ("a2".into(), ResultStatus::Success, "read".into()));
}

#[tokio::test]
async fn a_refusal_is_capped_too() {
    let mut runner = runner(Toolbox::new());
    runner.start(ready("a1", &"x".repeat(1 << 20), "{}"));
    let (_, _, why) = next(&mut runner).await;
    assert!(why.len() < 257 * 1024, "{}", why.len());
}

#[tokio::test]
async fn duplicate_keys_are_refused_by_name() {
    let mut runner = runner(toolbox(tool("write", |_, _| panic!("it ran")).asking()));
    for (args, key) in [
        (r#"{"file":"a","file":"b"}"#, "file"),
        (r#"{"file":"a","\u0066ile":"b"}"#, "file"),
        (r#"{"file":"a","x":1,"file":"a"}"#, "file"),
        (r#"{"to":{"host":1,"host":2}}"#, "to.host"),
        (r#"{"edits":[{"old":1},{"old":1,"at":{"":1,"":2}}]}"#, "edits[1].at."),
        (r#"{"a":[[0,{"b":null,"b":null}]]}"#, "a[0][1].b"),
    ] {
        runner.start(ready("a1", "write", args));
        let (_, outcome) = ended(&mut runner).await;
        assert_eq!(summary(&outcome), "bad arguments");
        let expected = format!("`{key}` is given twice in the arguments; give each key once");
        assert_eq!(outcome.content, expected);
    }
}

#[tokio::test]
async fn a_key_may_be_in_many_objects() {
    let mut runner = runner(toolbox(plain("read")));
    for args in [
        r#"{"a":{"a":[{"a":1},{"a":1}]},"b":{"a":"a"}}"#,
        r#"{"a":1,"A":2,"a ":3,"":4}"#,
        r#"{"a":"\"a\":1,\"a\":2","b":1.5e300,"c":-0,"d":[true,null,18446744073709551615]}"#,
    ] {
        runner.start(ready("a1", "read", args));
        assert_eq!(next(&mut runner).await.2, "read");
    }
}
