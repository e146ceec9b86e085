use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use silcrow_tool::{
    BasicValidator, CallContext, Preview, Scope, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
    Toolbox, Validator,
};
use silcrow_typed::typed;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Add {
    a: i64,
    b: i64,
}

fn add() -> impl Tool {
    typed("add", "Adds two numbers.", |Add { a, b }, _| async move {
        let sum =
            a.checked_add(b).ok_or_else(|| ToolError::new("too much; take smaller numbers"))?;
        Ok(ToolOutput::new("added", sum.to_string()))
    })
}

/// Returns the text that the model reads of a call, which is the same with every validator.
pub(crate) async fn called(tool: impl Tool, args: &str) -> String {
    let checked = BasicValidator.check(tool.schema(), args);
    #[cfg(feature = "validator")]
    assert_eq!(silcrow_typed::SchemaValidator::new().check(tool.schema(), args), checked);
    if let Err(why) = checked {
        return why.to_string();
    }
    let context = CallContext::new(Scope::new("talk").with_turn(7), "a1");
    match tool.call(ToolArgs::new(args), &context).await {
        Ok(output) => output.content.into_text(),
        Err(why) => why.to_string(),
    }
}

#[tokio::test]
async fn the_function_is_called_with_its_arguments() {
    assert_eq!(called(add(), r#"{"a":2,"b":3}"#).await, "5");
}

#[tokio::test]
async fn argument_errors_name_field_expected_and_got() {
    let table = [
        (r#"{"a":"two","b":3}"#, r#"`a` must be an integer, but is the string `"two"`"#),
        (r#"{"a":2}"#, "`b` is missing, expected an integer"),
        (r#"{"a":2,"b":3,"c":4}"#, "`c` is unknown, expected only `a`, `b`"),
    ];
    for (args, expected) in table {
        assert_eq!(called(add(), args).await, format!("the arguments do not fit: {expected}"));
    }
}

#[tokio::test]
async fn value_rejected_only_by_struct_is_a_failure() {
    let args = r#"{"a":1,"b":1e30}"#;
    let why = called(add(), args).await;
    assert!(why.starts_with("the arguments do not fit: invalid type: floating point"), "{why}");
}

#[tokio::test]
async fn function_failure_is_reported() {
    let read = called(add(), &format!(r#"{{"a":1,"b":{}}}"#, i64::MAX)).await;
    assert_eq!(read, "too much; take smaller numbers");
}

#[tokio::test]
async fn function_receives_context_and_may_capture_state() {
    #[derive(Deserialize, JsonSchema)]
    struct None {}

    let greeting = Arc::new("hello from".to_owned());
    let hello = typed("hello", "Greets.", move |None {}, context: CallContext| {
        let greeting = Arc::clone(&greeting);
        async move {
            let around = (context.conversation_id(), context.turn(), context.call_id());
            Ok(ToolOutput::new("", format!("{greeting} {around:?}")))
        }
    });
    assert_eq!(called(hello, "{}").await, r#"hello from ("talk", 7, "a1")"#);
}

#[test]
fn tool_has_its_configured_policy() {
    let short = ToolPolicy { timeout: Duration::from_secs(5), ..ToolPolicy::default() };
    assert_eq!(add().policy(), ToolPolicy::default());
    assert_eq!(
        typed("add", "", |_: Add, _| async { Ok(ToolOutput::new("", "")) })
            .with_policy(short)
            .policy(),
        short
    );
}

/// The model reads the name of the tool and its description.
#[test]
fn a_tool_is_described_as_it_was_made() {
    let tool = add();
    assert_eq!((tool.name(), tool.description()), ("add", "Adds two numbers."));
    let mut tools = Toolbox::new();
    tools.add(tool).unwrap();
    assert!(tools.get("add").is_some() && tools.get("Adds two numbers.").is_none());
}

#[tokio::test]
async fn approval_covers_declared_scope_or_identical_arguments() {
    let (args, context) = (ToolArgs::new(r#"{"a":2,"b":3}"#), CallContext::new("talk", "a1"));
    assert_eq!(add().preview(args, &context).await, Ok(Preview::new(args.as_str())));
    let tool = typed("add", "", |_: Add, _| async { Ok(ToolOutput::new("", "")) })
        .with_approval_scope(|Add { a, .. }| format!("all sums with {a}"));
    assert_eq!(tool.preview(args, &context).await, Ok(Preview::new("all sums with 2")));
    // A call that cannot run is not asked about.
    let why = tool.preview(ToolArgs::new("{}"), &context).await.unwrap_err().to_string();
    assert!(why.starts_with("the arguments do not fit: missing field `a`"), "{why}");
}

#[tokio::test]
async fn invalid_arguments_fail_without_validator() {
    let context = CallContext::new("talk", "a1");
    let tool = add();
    let why = tool.call(ToolArgs::new(r#"{"a":1}"#), &context).await.unwrap_err().to_string();
    assert!(why.starts_with("the arguments do not fit: missing field `b`"), "{why}");
}

#[test]
#[should_panic(expected = "is not read from a JSON object but from \"integer\"")]
fn non_object_argument_type_panics() {
    drop(typed("odd", "", |_: i64, _| async { Ok(ToolOutput::new("", "")) }));
}
