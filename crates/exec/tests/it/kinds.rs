use std::sync::Arc;

use futures_util::FutureExt as _;
use silcrow_event::{ActionAttributes, CallKind};
use silcrow_exec::Runner;
use silcrow_tool::{DenyAll, ToolOutput, Toolbox};

use crate::{attempt, ended, next, plain, plan, summary, tool};

const AGENT: ActionAttributes = action(CallKind::Agent);

const fn action(kind: CallKind) -> ActionAttributes {
    ActionAttributes {
        kind,
        mode: silcrow_event::CallMode::Async,
        depends_on: Vec::new(),
        output_key: None,
        timeout: None,
        retry: None,
        on_error: None,
        compensate: None,
        show: false,
        transactions: Vec::new(),
        undoes: None,
    }
}

fn runner() -> Runner {
    let says = |what: &'static str| {
        tool("review", move |_, _| async move { Ok(ToolOutput::new("", what)) }.boxed())
    };
    let mut tools = Toolbox::new();
    tools.add(says("the tool")).unwrap();
    tools.add_as(CallKind::Agent, says("the agent")).unwrap();
    tools.add_as(CallKind::Agent, plain("research")).unwrap();
    tools.add_as(CallKind::Workflow, says("the workflow")).unwrap();
    Runner::new(Arc::new(tools), Arc::new(DenyAll))
}

#[tokio::test]
async fn each_kind_has_separate_names() {
    let mut runner = runner();
    for (kind, expected) in [
        (CallKind::Tool, "the tool"),
        (CallKind::Agent, "the agent"),
        (CallKind::Workflow, "the workflow"),
        (
            CallKind::Relic,
            "unknown relic `review`: it is of the type `tool`; call it with that type",
        ),
    ] {
        runner.start(attempt(&mut plan("a1", r#"{"name":"review"}"#, action(kind))));
        assert_eq!(next(&mut runner).await.2, expected);
    }
}

#[tokio::test]
async fn unknown_agent_error_lists_agents_not_tools() {
    let mut runner = runner();
    runner.start(attempt(&mut plan("a1", r#"{"name":"reviw"}"#, AGENT)));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(
        outcome.content,
        "unknown agent `reviw`. Did you mean `review`? Available: `research`, `review`."
    );
    assert_eq!(summary(&outcome), "unknown agent");
}

#[test]
fn a_toolbox_keeps_kinds_apart() {
    let mut tools = Toolbox::new();
    tools.add(plain("b")).unwrap();
    tools.add_as(CallKind::Relic, plain("b")).unwrap();
    tools.add_as(CallKind::Relic, plain("a")).unwrap();
    assert_eq!(tools.names().collect::<Vec<_>>(), ["b"]);
    assert_eq!(tools.names_as(CallKind::Relic).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(tools.names_as(CallKind::Agent).count(), 0);
    assert!(tools.get_as(CallKind::Relic, "a").is_some());
    assert!(tools.get("a").is_none());
    let twice = tools.add_as(CallKind::Relic, plain("a")).unwrap_err();
    assert_eq!((twice.kind(), twice.name()), (CallKind::Relic, "a"));
    assert_eq!(
        twice.to_string(),
        "there are two of kind `relic` named `a`; leave one out or rename it"
    );
}
