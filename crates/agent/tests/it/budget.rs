//! The budget that a run shares with all that its calls run.

use std::sync::Arc;
use std::time::Duration;

use silcrow_agent::{Agent, ChildAgent, ErrorKind, Llm, RunOutcome, Workflow};
use silcrow_event::{ActionAttributes, Call, CallKind, CallMode, Event};
use silcrow_exec::{BudgetLimits, BudgetResource};
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, FinishReason};
use silcrow_store::MemoryStore;
use silcrow_tool::{CancellationToken, Toolbox};
use tokio::time::Instant;

use crate::models::Always;
use crate::support::{Ran, echo, hangs, run, toolbox, with};

/// Calls to the agent `own`, side by side.
fn calls(count: usize) -> String {
    let call = |n| {
        format!(
            "<action type=\"agent\" mode=\"async\" id=\"x{n}\">{{\"name\":\"own\",\"parameters\":{{\"task\":\"go\"}}}}</action>"
        )
    };
    (0..count).map(call).collect()
}

/// An agent that calls itself. Each call makes a new one, which requests a separate budget.
fn own(model: &Always, store: &Arc<MemoryStore>, limits: BudgetLimits) -> Agent {
    let (again, kept) = (model.clone(), Arc::clone(store));
    let generous = BudgetLimits { requests: u32::MAX, agents: u32::MAX, ..limits };
    let mut tools = toolbox([with(echo("echo"))]);
    let child = ChildAgent::new("own", "Itself.", move || own(&again, &kept, generous));
    tools.add_as(CallKind::Agent, child).unwrap();
    Agent::new(model.clone(), Arc::clone(store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_budget(limits)
}

async fn ran(model: &Always, limits: BudgetLimits) -> Ran {
    let store = Arc::new(MemoryStore::new());
    run(&own(model, &store, limits), &store, "go", &CancellationToken::new()).await
}

#[tokio::test(start_paused = true)]
async fn recursive_agent_shares_the_request_budget() {
    for width in [1, 3, 16] {
        let model = Always::new(calls(width));
        let ran = ran(&model, BudgetLimits { requests: 50, ..BudgetLimits::default() }).await;
        let error = ran.ended.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Budget(BudgetResource::Requests), "{width}");
        assert!(error.to_string().contains("requests of the run are used up (50"), "{error}");
        assert_eq!(model.asked(), 50, "{width}");
        // The last request came from the person's agent, and said so.
        let last = model.last_message();
        assert!(last.contains("last step"), "{width}: {last}");
        let Event::Failed(fault) = &ran.shown.last().unwrap().event else { panic!() };
        assert_eq!(fault.code, "request_limit");
    }
}

#[tokio::test(start_paused = true)]
async fn outer_agent_reads_why_inner_failed() {
    let model = Always::new(calls(1));
    let store = Arc::new(MemoryStore::new());
    let inner = own(&model, &store, BudgetLimits::default());
    let mut tools = Toolbox::new();
    tools.add_as(CallKind::Agent, ChildAgent::new("own", "x", move || inner.clone())).unwrap();
    let person = crate::support::DeltaModel::new(
        [calls(1), "<response>so</response>".to_owned()].map(|text| crate::support::Answer {
            deltas: vec![Ok(Delta::Text(text)), Ok(Delta::Done(FinishReason::Stop))],
            hangs: false,
        }),
    );
    let agent = Agent::new(person.clone(), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_budget(BudgetLimits { requests: 10, ..BudgetLimits::default() });
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(model.asked(), 8);
    let why = ran.result("x0").content.text();
    assert!(why.contains("`own` gave no answer: the requests of the run are used up (10"), "{why}");
    assert!(why.contains("answer with what you have"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn called_models_and_workflows_count_too() {
    let brief = Always::new("short");
    let call = |id: &str, kind| {
        let call = Call::parse(id, r#"{"name":"brief","args":{"text":"long"}}"#).unwrap();
        call.with_action(ActionAttributes {
            kind,
            mode: CallMode::Async,
            ..ActionAttributes::default()
        })
    };
    let store = Arc::new(MemoryStore::new());
    let mut tools = Toolbox::new();
    tools.add_as(CallKind::Llm, Llm::new("brief", "Short.", brief.clone())).unwrap();
    let host = Agent::new(Always::new(""), Arc::clone(&store)).with_tools(tools.clone());
    let actions: Vec<_> = (0..9).map(|n| call(&format!("a{n}"), CallKind::Llm)).collect();
    let flow = Workflow::new("flow", "Nine.", actions, move || host.clone());
    tools.add_as(CallKind::Workflow, flow).unwrap();
    let asks = "<action type=\"workflow\" id=\"w\">{\"name\":\"flow\",\"parameters\":{}}</action>\
                <action type=\"llm\" id=\"b\">{\"name\":\"brief\",\"parameters\":{\"text\":\"x\"}}</action>";
    let model = Always::new(asks);
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_budget(BudgetLimits { requests: 6, ..BudgetLimits::default() });
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap_err().kind(), ErrorKind::Budget(BudgetResource::Requests));
    assert_eq!((model.asked(), brief.asked()), (2, 4));
}

#[tokio::test(start_paused = true)]
async fn concurrent_agents_are_limited() {
    let model = Always::new(calls(8));
    let limits = BudgetLimits { requests: 40, agents: 3, ..BudgetLimits::default() };
    let ran = ran(&model, limits).await;
    let refused = ran.shown.iter().filter(|entry| {
        matches!(&entry.event, Event::Result(outcome)
            if outcome.content.text().contains("3 agents and workflows of the run are running already"))
    });
    assert!(refused.count() > 0, "nothing was refused");
    assert!(ran.ended.is_err());
}

#[tokio::test(start_paused = true)]
async fn events_and_bytes_count_over_all_agents() {
    let thoughts = "<thought>hm</thought>".repeat(100);
    let model = Always::new(format!("{thoughts}{}", calls(2)));
    let ran = ran(&model, BudgetLimits { events: 1_000, ..BudgetLimits::default() }).await;
    assert_eq!(ran.ended.as_ref().unwrap_err().kind(), ErrorKind::Budget(BudgetResource::Events));
    assert!(ran.shown.len() < 3_000, "{}", ran.shown.len());
    assert!(Ran::types(&ran.stored).contains(&"cancelled"));

    let model = Always::new(format!("<thought>{}</thought>{}", "long ".repeat(2_000), calls(2)));
    let ran = self::ran(&model, BudgetLimits { bytes: 100_000, ..BudgetLimits::default() }).await;
    assert_eq!(ran.ended.as_ref().unwrap_err().kind(), ErrorKind::Budget(BudgetResource::Bytes));
    assert!(model.asked() <= 12, "{}", model.asked());
}

#[tokio::test(start_paused = true)]
async fn timed_out_run_answers_every_call() {
    let store = Arc::new(MemoryStore::new());
    let model = Always::new(
        "<action id=\"h\">{\"name\":\"hangs\",\"parameters\":{},\"timeout\":3000}</action>",
    );
    let tools = toolbox([with(hangs("hangs"))]);
    let kid = Agent::new(model, Arc::clone(&store)).with_dialect(Dialect::Action).with_tools(tools);
    let mut tools = toolbox([with(hangs("hangs"))]);
    tools.add_as(CallKind::Agent, ChildAgent::new("own", "x", move || kid.clone())).unwrap();
    let both = format!(
        "{}<action id=\"h\" mode=\"async\">{{\"name\":\"hangs\",\"parameters\":{{}}}}</action>",
        calls(2)
    );
    let agent = Agent::new(Always::new(both), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_budget(BudgetLimits { time: Duration::from_secs(20), ..BudgetLimits::default() });
    let begun = Instant::now();
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap_err().kind(), ErrorKind::Budget(BudgetResource::Time));
    assert_eq!(begun.elapsed(), Duration::from_secs(20));
    for id in ["x0", "x1", "h"] {
        assert!(ran.result(id).content.text().contains("used up"), "{id}: {:?}", ran.result(id));
    }
    assert!(Ran::types(&ran.stored).ends_with(&["cancelled", "failed"]));
}

#[tokio::test(start_paused = true)]
async fn each_run_has_the_whole_budget() {
    let store = Arc::new(MemoryStore::new());
    let model = Always::new("<response>ok</response>");
    let agent = own(&model, &store, BudgetLimits { requests: 1, ..BudgetLimits::default() });
    for _ in 0..3 {
        let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
        assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    }
}

#[tokio::test]
async fn called_models_count_for_the_run() {
    let call = "<action type=\"llm\" id=\"x\">{\"name\":\"brief\",\"parameters\":{\"prompt\":\"go\"}}</action>";
    let brief = Always::new("word ".repeat(400));
    let mut tools = Toolbox::new();
    tools.add_as(CallKind::Llm, Llm::new("brief", "A test's.", brief)).unwrap();
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(Always::new(call), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_max_steps(2)
        .with_budget(BudgetLimits { bytes: 1_000, ..BudgetLimits::default() });
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap_err().kind(), ErrorKind::Budget(BudgetResource::Bytes));
}
