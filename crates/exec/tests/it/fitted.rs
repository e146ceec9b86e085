//! Outputs that are JSON text, for parameters that want the value (P-26).

use futures_util::FutureExt as _;
use silcrow_event::{ActionAttributes, Call, CallResult, Json, ResultStatus};
use silcrow_plan::{Plan, PlanDecision};
use silcrow_tool::ToolOutput;

use crate::{ended, runner, tool, toolbox};

const SCHEMA: &str = r#"{"type":"object","properties":{
    "count":{"type":"integer"},
    "items":{"type":["array","null"],"items":{"type":"number"}},
    "text":{"type":"string"},
    "either":{"type":["string","array"]},
    "any":{},
    "inner":{"type":"object","properties":{"map":{"type":"object"}}}
}}"#;

/// Calls a tool with names in its arguments, and returns the arguments that it got.
async fn called(args: &str) -> CallResult {
    let takes = tool("takes", |args, _| async { Ok(ToolOutput::new("", args)) }.boxed());
    let mut runner = runner(toolbox(takes.shaped(SCHEMA)));
    let mut plan = Plan::new();
    for (name, text) in [
        ("number", "5"),
        ("list", "[1, 2]\n"),
        ("map", r#"{"a":1}"#),
        ("words", "five"),
        ("half", "0.5"),
    ] {
        plan.preset(name, Json::string(text));
    }
    let call = Call::parse("a1", format!(r#"{{"name":"takes","args":{args}}}"#)).unwrap();
    plan.push(call.with_action(ActionAttributes::default()));
    let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
    runner.start(ready);
    ended(&mut runner).await.1
}

#[tokio::test(start_paused = true)]
async fn outputs_convert_to_their_parameter_type() {
    for (args, got) in [
        (r#"{"count":"$number"}"#, r#"{"count":5}"#),
        (r#"{"items":"$list","count":"$number"}"#, r#"{"items":[1, 2],"count":5}"#),
        (r#"{"items":["$half","$number"]}"#, r#"{"items":[0.5,5]}"#),
        (
            r#"{"inner":{"map":"$map"},"text":"$map"}"#,
            r#"{"inner":{"map":{"a":1}},"text":"{\"a\":1}"}"#,
        ),
    ] {
        let result = called(args).await;
        assert_eq!((result.status(), &*result.content.text()), (ResultStatus::Success, got));
    }
}

#[tokio::test(start_paused = true)]
async fn string_parameters_receive_strings() {
    for (args, got) in [
        (r#"{"text":"$number"}"#, r#"{"text":"5"}"#),
        (r#"{"either":"$list","any":"$list"}"#, r#"{"either":"[1, 2]\n","any":"[1, 2]\n"}"#),
        (r#"{"text":"n is $number"}"#, r#"{"text":"n is 5"}"#),
    ] {
        assert_eq!(called(args).await.content.text(), got);
    }
}

#[tokio::test(start_paused = true)]
async fn unconvertible_outputs_are_invalid_arguments() {
    // The last one is the model's own text.
    for args in
        [r#"{"count":"$words"}"#, r#"{"count":"$half"}"#, r#"{"items":"$map"}"#, r#"{"count":"5"}"#]
    {
        assert_eq!(called(args).await.status(), ResultStatus::Failure, "{args}");
    }
}
