//! Tools from functions of several arguments.

use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput};
use silcrow_typed::tool_fn;

use crate::tool::called;

async fn divide(a: f64, b: Option<f64>) -> Result<String, ToolError> {
    match b {
        Some(0.0) => Err(ToolError::new("`b` must not be 0")),
        b => Ok((a / b.unwrap_or(1.0)).to_string()),
    }
}

fn division() -> impl Tool {
    tool_fn("divide", "Divides `a` by `b`.", ["a", "b"], divide)
}

/// Calls a tool without a runner, so that its arguments were not checked before.
async fn called_directly(args: &str) -> Result<ToolOutput, ToolError> {
    let context = CallContext::new("talk", "a1");
    division().call(ToolArgs::new(args), &context).await
}

#[test]
fn schema_requires_non_nullable_arguments() {
    assert_eq!(
        division().schema(),
        concat!(
            r#"{"additionalProperties":false,"properties":{"#,
            r#""a":{"format":"double","type":"number"},"#,
            r#""b":{"format":"double","type":["number","null"]}},"#,
            r#""required":["a"],"type":"object"}"#,
        )
    );
    let now = tool_fn("now", "Tells the time.", [], async || Ok("noon"));
    assert_eq!(
        now.schema(),
        r#"{"additionalProperties":false,"properties":{},"required":[],"type":"object"}"#
    );
}

#[tokio::test]
async fn arguments_are_passed_by_name() {
    for (args, expected) in [
        (r#"{"a":6,"b":1.5}"#, "4"),
        (r#"{"b":1.5,"a":6}"#, "4"),
        (r#"{"a":6}"#, "6"),
        (r#"{"a":6,"b":null}"#, "6"),
    ] {
        assert_eq!(called(division(), args).await, expected, "{args}");
    }
}

#[tokio::test]
async fn functions_of_every_arity_receive_ordered_arguments() {
    let six = tool_fn(
        "six",
        "Joins six letters.",
        ["a", "b", "c", "d", "e", "f"],
        async |a: char, b: char, c: char, d: char, e: char, f: char| {
            Ok(String::from_iter([a, b, c, d, e, f]))
        },
    );
    let args = r#"{"f":"f","e":"e","d":"d","c":"c","b":"b","a":"a"}"#;
    assert_eq!(called(six, args).await, "abcdef");
    let none = tool_fn("none", "Says hello.", [], async || Ok("hello"));
    assert_eq!(called(none, "{}").await, "hello");
}

#[tokio::test]
async fn an_error_of_the_function_reaches_the_model() {
    assert_eq!(called(division(), r#"{"a":1,"b":0}"#).await, "`b` must not be 0");
}

#[tokio::test]
async fn invalid_argument_is_named_without_runner() {
    for (args, expected) in [
        (r#"{"b":1}"#, "`a` is missing"),
        (r#"{"a":"six"}"#, "`a`: invalid type: string"),
        (r#"{"a":1,"c":2}"#, "`c` is unknown, expected only `a`, `b`"),
        ("[1]", "invalid type: sequence"),
    ] {
        let error = called_directly(args).await.unwrap_err().to_string();
        assert!(error.starts_with(&format!("the arguments do not fit: {expected}")), "{error}");
    }
}

#[test]
fn recursive_type_has_a_definition() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Tree {
        children: Vec<Self>,
    }
    let tool = tool_fn("plant", "Plants a tree.", ["tree"], async |_: Tree| Ok(""));
    let schema: serde_json::Value = serde_json::from_str(tool.schema()).unwrap();
    assert_eq!(schema["properties"]["tree"]["properties"]["children"]["type"], "array");
    let target = &schema["properties"]["tree"]["properties"]["children"]["items"]["$ref"];
    let pointer = target.as_str().unwrap().strip_prefix('#').unwrap();
    assert!(schema.pointer(pointer).is_some(), "{schema}");
}

#[test]
#[should_panic(expected = "two arguments have the name `a`")]
fn duplicate_argument_name_panics() {
    drop(tool_fn("twice", "", ["a", "a"], async |_: i64, _: i64| Ok("")));
}
