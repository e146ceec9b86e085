use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use silcrow_event::Call;
use silcrow_exec::{
    BasicValidator, CallContext, CallOutcome, CallUpdate, DenyAll, Preview, Runner, Scope, Tool,
    ToolArgs, ToolError, ToolOutput, ToolPolicy, Toolbox, Validator,
};
use silcrow_plan::{Plan, PlanDecision};
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

/// Returns the result of a call by a runner, which is the same with every validator.
pub(crate) async fn called(tool: impl Tool + 'static, args: &str) -> CallOutcome {
    let tool = Arc::new(tool);
    let basic = called_with(Arc::clone(&tool), Arc::new(BasicValidator), args).await;
    #[cfg(feature = "validator")]
    {
        let whole = Arc::new(silcrow_typed::SchemaValidator::new());
        assert_eq!(called_with(tool, whole, args).await, basic);
    }
    basic
}

async fn called_with(
    tool: Arc<impl Tool + 'static>,
    validator: Arc<dyn Validator>,
    args: &str,
) -> CallOutcome {
    let mut tools = Toolbox::new();
    let name = tool.name().to_owned();
    tools.add(tool).unwrap();
    let mut runner = Runner::new(Arc::new(tools), Arc::new(DenyAll))
        .with_validator(validator)
        .with_scope(Scope::new("talk").with_turn(7));
    let mut plan = Plan::new();
    plan.push(Call::parse("a1", format!(r#"{{"name":"{name}","args":{args}}}"#)).unwrap());
    plan.reach_execution_point();
    let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
    runner.start(ready);
    let Some(CallUpdate::Ended(ended)) = runner.next().await else { panic!() };
    ended
}

#[tokio::test]
async fn the_function_is_called_with_its_arguments() {
    assert_eq!(called(add(), r#"{"a":2,"b":3}"#).await.outcome.content, "5");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_told_by_field_expected_and_got() {
    let table = [
        (r#"{"a":"two","b":3}"#, r#"`a` must be an integer, but is the string `"two"`"#),
        (r#"{"a":2}"#, "`b` is missing, expected an integer"),
        (r#"{"a":2,"b":3,"c":4}"#, "`c` is unknown, expected only `a`, `b`"),
    ];
    for (args, expected) in table {
        let ended = called(add(), args).await;
        assert_eq!(ended.outcome.content, format!("the arguments do not fit: {expected}"));
    }
}

#[tokio::test]
async fn what_the_schema_allows_and_the_struct_does_not_is_a_failure() {
    let args = r#"{"a":1,"b":1e30}"#;
    let ended = called(add(), args).await;
    let why = ended.outcome.content.into_text();
    assert!(why.starts_with("the arguments do not fit: invalid type: floating point"), "{why}");
}

#[tokio::test]
async fn a_failure_of_the_function_is_told() {
    let ended = called(add(), &format!(r#"{{"a":1,"b":{}}}"#, i64::MAX)).await;
    assert_eq!(ended.outcome.content, "too much; take smaller numbers");
}

#[tokio::test]
async fn the_function_has_its_context_and_may_keep_things() {
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
    let ended = called(hello, "{}").await;
    assert_eq!(ended.outcome.content, r#"hello from ("talk", 7, "a1")"#);
}

/// A runner holds the call to the policy that was set.
#[tokio::test(start_paused = true)]
async fn the_policy_that_is_set_holds_for_a_call() {
    let slow = || {
        typed("slow", "Sleeps.", |_: Add, _| async {
            tokio::time::sleep(Duration::from_secs(7)).await;
            Ok(ToolOutput::new("", "slept"))
        })
    };
    let args = r#"{"a":2,"b":3}"#;
    let short = ToolPolicy { timeout: Duration::from_secs(5), ..ToolPolicy::default() };
    let ended = called(slow().with_policy(short), args).await;
    assert_eq!(ended.outcome.content, "timed out after 5 s");
    assert_eq!(called(slow(), args).await.outcome.content, "slept");
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
async fn a_yes_covers_what_the_function_for_it_says_or_the_very_same_arguments() {
    let (args, context) = (ToolArgs::new(r#"{"a":2,"b":3}"#), CallContext::new("talk", "a1"));
    assert_eq!(add().preview(args, &context).await, Ok(Preview::new(args.as_str())));
    let tool = typed("add", "", |_: Add, _| async { Ok(ToolOutput::new("", "")) })
        .with_approval_scope(|Add { a, .. }| format!("all sums with {a}"));
    assert_eq!(tool.preview(args, &context).await, Ok(Preview::new("all sums with 2")));
    // Nobody is asked about a call that cannot run.
    let why = tool.preview(ToolArgs::new("{}"), &context).await.unwrap_err().to_string();
    assert!(why.starts_with("the arguments do not fit: missing field `a`"), "{why}");
}

#[tokio::test]
async fn without_a_runner_too_arguments_that_do_not_fit_are_a_failure() {
    let context = CallContext::new("talk", "a1");
    let tool = add();
    let why = tool.call(ToolArgs::new(r#"{"a":1}"#), &context).await.unwrap_err().to_string();
    assert!(why.starts_with("the arguments do not fit: missing field `b`"), "{why}");
}

#[test]
#[should_panic(expected = "is not read from a JSON object but from \"integer\"")]
fn arguments_that_are_no_object_are_a_mistake_of_the_programmer() {
    drop(typed("odd", "", |_: i64, _| async { Ok(ToolOutput::new("", "")) }));
}
