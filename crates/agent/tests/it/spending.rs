//! The spending limits of a run, a conversation and a user.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use silcrow_agent::{Agent, ChildAgent, ErrorKind, Llm, RunOutcome, Workflow};
use silcrow_event::{
    AccountBalance, ActionAttributes, Call, CallKind, Event, Metric, Money, Spending,
    SpendingLimit, Usage,
};
use silcrow_exec::{
    AccountKind, BudgetLimits, BudgetResource, CancellationToken, ModelPrice, PriceTable, Scope,
    SpendingLimits, Toolbox,
};
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, FinishReason, Provider};
use silcrow_store::{MemoryStore, Store as _};

use crate::models::{Always, model};
use crate::support::{Answer, DeltaModel, Ran, echo, hangs, run, toolbox, with};

/// Limits of tokens, with 100 tokens reserved for an answer.
fn tokens(kind: AccountKind, tokens: u64) -> BudgetLimits {
    let limit = SpendingLimit { tokens: Some(tokens), cost: None };
    limits(kind, limit)
}

fn limits(kind: AccountKind, limit: SpendingLimit) -> BudgetLimits {
    let mut spending = SpendingLimits { answer_tokens: 100, ..SpendingLimits::default() };
    match kind {
        AccountKind::Run => spending.run = limit,
        AccountKind::Conversation => spending.conversation = limit,
        AccountKind::User => spending.user = limit,
    }
    BudgetLimits { spending, ..BudgetLimits::default() }
}

/// A model whose vendor reports this usage of each answer.
fn reporting(text: &'static str, input: u64, output: u64) -> impl Provider + Clone {
    let usage = Usage { input, output, ..Usage::default() };
    Arc::new(model(move |_| {
        let deltas =
            [Delta::Text(text.into()), Delta::Usage(usage), Delta::Done(FinishReason::Stop)];
        stream::iter(deltas.map(Ok)).boxed()
    }))
}

fn metrics(ran: &Ran) -> Vec<(Option<&str>, &Metric)> {
    ran.shown
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Metric(metric) => Some((entry.agent_path.as_deref(), metric)),
            _ => None,
        })
        .collect()
}

const CALL: &str = "§call: {\"name\":\"echo\",\"args\":{}}\n§execute\n";

#[tokio::test]
async fn spending_limit_allows_one_last_step() {
    let store = Arc::new(MemoryStore::new());
    let model = Always::new(CALL);
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_tools(toolbox([with(echo("echo"))]))
        .with_budget(tokens(AccountKind::Run, 5_000));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    let error = ran.ended.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget(BudgetResource::Tokens(AccountKind::Run)));
    assert!(error.to_string().contains("the tokens of the run are used up ("), "{error}");
    assert!(model.last_message().contains("The budget of the run is used up"));
    let metrics = metrics(&ran);
    let last = metrics.last().unwrap().1;
    let AccountBalance { spent, limit } = last.budget.as_ref().unwrap().run.unwrap();
    assert_eq!(limit.tokens, Some(5_000));
    assert_eq!(spent.tokens, last.total.tokens(), "everything is settled");
    assert!(error.to_string().contains(&format!("{} of 5000 spent", spent.tokens)), "{error}");
    // The call of the last step did not run, and the log is whole.
    let results = ran.shown.iter().filter(|entry| matches!(entry.event, Event::Result(_)));
    assert_eq!(results.count(), metrics.len());
    let Event::Failed(fault) = &ran.shown.last().unwrap().event else { panic!() };
    assert_eq!(fault.code, "token_limit");
}

#[tokio::test]
async fn answer_of_the_last_step_is_stored() {
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(Always::new("§respond: so\n§end"), Arc::clone(&store))
        .with_budget(tokens(AccountKind::Run, 10));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert!(ran.ended.is_err());
    assert_eq!(Ran::types(&ran.stored), ["user", "respond", "failed"]);
    assert_eq!(Ran::types(&ran.shown), ["user", "respond", "metric", "error", "failed"]);
}

#[tokio::test]
async fn all_calls_share_one_budget() {
    let store = Arc::new(MemoryStore::new());
    let brief = || Llm::new("brief", "Short.", reporting("short", 50, 5));
    let mut tools = Toolbox::new();
    tools.add_as(CallKind::Llm, brief()).unwrap();
    let host = Agent::new(Always::new(""), Arc::clone(&store)).with_tools(tools.clone());
    let call = Call::parse("a", r#"{"name":"brief","args":{"text":"long"}}"#).unwrap();
    let action = ActionAttributes { kind: CallKind::Llm, ..ActionAttributes::default() };
    let flow = Workflow::new("flow", "One.", [call.with_action(action)], move || host.clone());
    tools.add_as(CallKind::Workflow, flow).unwrap();
    let child = Agent::new(reporting("<response>4</response>", 70, 7), Arc::clone(&store))
        .with_dialect(Dialect::Action);
    tools.add_as(CallKind::Agent, ChildAgent::new("own", "x", move || child.clone())).unwrap();
    let asks = "<action type=\"workflow\" id=\"w\">{\"name\":\"flow\",\"parameters\":{}}</action>\
                <action type=\"agent\" id=\"k\">{\"name\":\"own\",\"parameters\":{\"task\":\"x\"}}</action>\
                <action type=\"llm\" id=\"b\">{\"name\":\"brief\",\"parameters\":{\"text\":\"x\"}}</action>\
                <response>$k $b</response>";
    let agent = Agent::new(reporting(asks, 600, 60), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_budget(tokens(AccountKind::Run, 10_000));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let metrics = metrics(&ran);
    let mut steps: Vec<_> =
        metrics.iter().map(|(path, metric)| (*path, metric.step.tokens())).collect();
    steps.sort_unstable();
    let expected = [(None, 660), (Some("brief"), 55), (Some("flow/brief"), 55), (Some("own"), 77)];
    assert_eq!(steps, expected);
    let own = metrics.iter().find(|(path, _)| path.is_none()).unwrap().1;
    assert_eq!(own.total.tokens(), 660);
    assert_eq!(own.all.as_ref().unwrap().tokens(), 660 + 55 + 55 + 77);
    assert_eq!(own.budget.as_ref().unwrap().run.unwrap().spent.tokens, 847);
}

#[tokio::test]
async fn child_without_budget_fails_and_parent_answers() {
    let store = Arc::new(MemoryStore::new());
    let child = Agent::new(reporting("<response>4</response>", 70, 7), Arc::clone(&store))
        .with_dialect(Dialect::Action);
    let mut tools = Toolbox::new();
    tools.add_as(CallKind::Agent, ChildAgent::new("own", "x", move || child.clone())).unwrap();
    let asks = "<action type=\"agent\" id=\"k\">{\"name\":\"own\",\"parameters\":{\"task\":\"x\"}}</action>";
    let agent = Agent::new(reporting(asks, 1_900, 60), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_budget(tokens(AccountKind::Run, 2_600));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    let why = ran.shown.iter().find_map(|entry| match &entry.event {
        Event::Result(outcome) => Some(outcome.content.text().into_owned()),
        _ => None,
    });
    let why = why.unwrap();
    assert!(why.contains("`own` gave no answer: the tokens of the run are used up"), "{why}");
    assert!(why.contains("answer with what you have"), "{why}");
    assert_eq!(metrics(&ran).len(), 2, "the step that called, and the last one");
    assert!(ran.ended.is_err());
}

#[tokio::test]
async fn earlier_spending_limits_later_runs() {
    let store = Arc::new(MemoryStore::new());
    let spends = reporting("§respond: so\n§end", 900, 100);
    let spends = Agent::new(spends, Arc::clone(&store));
    let limited = |kind| spends.clone().with_budget(tokens(kind, 1_900));
    // Runs without a limit count, too.
    spends.ask_in(Scope::new("a").with_user("ann"), "go").await.unwrap();
    spends.ask_in(Scope::new("b").with_user("ann"), "go").await.unwrap();
    spends.ask_in(Scope::new("c"), "go").await.unwrap();

    let kind = |ended: Result<_, silcrow_agent::Error>| ended.unwrap_err().kind();
    let user = ErrorKind::Budget(BudgetResource::Tokens(AccountKind::User));
    let conversation = ErrorKind::Budget(BudgetResource::Tokens(AccountKind::Conversation));
    let ann = |id: &str| Scope::new(id).with_user("ann");
    assert_eq!(kind(limited(AccountKind::User).ask_in(ann("new"), "go").await), user);
    assert_eq!(store.head("new").await.unwrap(), 2, "no request was made");
    // Deleting a conversation gives nothing back.
    store.delete("a", 2).await.unwrap();
    assert_eq!(kind(limited(AccountKind::User).ask_in(ann("new"), "go").await), user);
    // The others have room for one more request: it is the last one.
    let last = limited(AccountKind::Conversation).ask_in("c", "again").await;
    assert_eq!(kind(last), conversation);
    assert_eq!(store.head("c").await.unwrap(), 5);
    assert_eq!(kind(limited(AccountKind::Conversation).ask_in("c", "more").await), conversation);
    assert_eq!(store.head("c").await.unwrap(), 7);
    limited(AccountKind::Conversation).ask_in("d", "go").await.unwrap();
}

#[tokio::test]
async fn cost_limit_needs_prices() {
    let store = Arc::new(MemoryStore::new());
    let cost = SpendingLimit { tokens: None, cost: Some(Money::from_micros(2_000)) };
    let agent = Agent::new(reporting(CALL, 400, 60), Arc::clone(&store))
        .with_tools(toolbox([with(echo("echo"))]))
        .with_budget(limits(AccountKind::Run, cost));
    let refused = run(&agent, &store, "go", &CancellationToken::new()).await.ended.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    assert!(refused.to_string().contains("price of the model `test` is not known"), "{refused}");

    let price = ModelPrice {
        input: Money::from_micros(1_000_000),
        output: Money::from_micros(5_000_000),
        cached: Money::default(),
        cache_written: None,
    };
    let agent = agent.with_prices(PriceTable::new([("test".to_owned(), price)]));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    let error = ran.ended.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget(BudgetResource::Cost(AccountKind::Run)));
    let metrics = metrics(&ran);
    let balance = metrics.last().unwrap().1.budget.as_ref().unwrap().run.unwrap();
    let steps = metrics.len() as u64;
    let spent = Spending { tokens: 460 * steps, cost: Money::from_micros(700 * steps) };
    assert_eq!(balance.spent, spent);
    assert!(error.to_string().contains("0.002 spent"), "{error}");
}

#[tokio::test]
async fn long_answer_reserves_more_or_is_cut() {
    let store = Arc::new(MemoryStore::new());
    let long = || {
        let text = ["§respond: "].into_iter().chain(["word "; 400]).chain(["\n§end"]);
        let deltas = text.map(|piece| Delta::Text(piece.to_owned()));
        let deltas = deltas.chain([Delta::Done(FinishReason::Stop)]).map(Ok).collect();
        DeltaModel::new([Answer { deltas, hangs: false }])
    };
    let agent =
        |limit| Agent::new(long(), Arc::clone(&store)).with_budget(tokens(AccountKind::Run, limit));
    let ran = run(&agent(10_000), &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let whole = metrics(&ran)[0].1.total;
    assert!(whole.output > 300, "{whole:?}");

    let limit = whole.input + 200;
    let ran = run(&agent(limit), &store, "go", &CancellationToken::new()).await;
    let error = ran.ended.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget(BudgetResource::Tokens(AccountKind::Run)));
    let cut = metrics(&ran)[0].1;
    assert!(cut.total.output < whole.output, "{cut:?}");
    let spent = cut.budget.as_ref().unwrap().run.unwrap().spent.tokens;
    assert_eq!(spent, cut.total.tokens());
    assert!(spent <= limit + whole.input * 5 / 4 + 101, "{spent} of {limit}");
}

#[tokio::test(start_paused = true)]
async fn dropped_run_leaves_its_reservation_spent() {
    let store = Arc::new(MemoryStore::new());
    let silent = || model(|_| stream::pending().boxed());
    let agent = Agent::new(silent(), Arc::clone(&store))
        .with_tools(toolbox([with(hangs("hangs"))]))
        .with_budget(tokens(AccountKind::Conversation, 5_000));
    let spent = async |id: &str| {
        let value = store.get(&format!("spent/{id}"), "account").await.unwrap().unwrap().value;
        let text = String::from_utf8(value).unwrap();
        text.split_once(' ').unwrap().0.parse::<u64>().unwrap()
    };
    let second = std::time::Duration::from_secs(1);
    tokio::time::timeout(second, agent.ask_in("dropped", "go")).await.unwrap_err();
    let reserved = spent("dropped").await;

    let cancel = CancellationToken::new();
    let scope = Scope::new("stopped").with_cancellation(cancel.clone());
    let stop = async {
        tokio::time::sleep(second).await;
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(agent.ask_in(scope, "go"), stop);
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::Interrupted);
    let settled = spent("stopped").await;
    // The vendor may have read the request, and wrote nothing.
    assert_eq!(reserved, settled + settled.div_ceil(4) + 100);
}
