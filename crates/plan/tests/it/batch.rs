//! Batches: calls wait for the execution point, results are in the order of the calls, and each
//! call ends once.

use proptest::prelude::*;
use silcrow_event::{Call, CallResult, InvalidCall};
use silcrow_plan::{Plan, PlanDecision};

fn call(id: &str) -> Call {
    Call::parse(id, r#"{"name":"t"}"#).unwrap()
}

fn bad(id: &str) -> InvalidCall {
    InvalidCall {
        id: id.to_owned(),
        why: "it is no call".to_owned(),
        truncated: false,
        text: String::new(),
    }
}

/// Returns the ids of the calls that start now.
fn started(plan: &mut Plan) -> Vec<String> {
    let mut started = Vec::new();
    while let Some(decision) = plan.decide() {
        if let PlanDecision::Start(ready) = decision {
            started.push(ready.id().to_owned());
        }
    }
    started
}

fn done(id: &str) -> CallResult {
    CallResult::success(id, "t", "", "done")
}

fn ids(results: &[CallResult]) -> Vec<&str> {
    results.iter().map(|result| result.id.as_deref().unwrap()).collect()
}

#[test]
fn nothing_starts_before_its_execution_point() {
    let mut plan = Plan::new();
    plan.push(call("a1"));
    assert!(!plan.is_running());
    assert!(plan.take_results().is_none());
    assert_eq!(started(&mut plan), [""; 0]);
    plan.reach_execution_point();
    assert_eq!(started(&mut plan), ["a1"]);
    assert!(plan.is_running());
    plan.reach_execution_point();
    assert_eq!(started(&mut plan), [""; 0], "a call starts once");
}

#[test]
fn a_bad_call_keeps_its_place() {
    let mut plan = Plan::new();
    plan.push(call("a1"));
    plan.push_invalid(bad("a2"));
    plan.push(call("a3"));
    plan.reach_execution_point();
    assert_eq!(started(&mut plan).len(), 2);
    plan.finish("a3", done("a3"));
    plan.finish("a1", done("a1"));
    let results = plan.take_results().unwrap();
    assert_eq!(ids(&results), ["a1", "a2", "a3"]);
    assert_eq!(results[1].content, "it is no call");
    assert!(plan.results_taken());
}

#[test]
fn a_bad_call_alone_is_answered() {
    let mut plan = Plan::new();
    plan.push_invalid(bad("a1"));
    assert_eq!(ids(&plan.take_results().unwrap()), ["a1"]);
}

#[test]
fn cancelled_calls_stay_cancelled() {
    let mut plan = Plan::new();
    plan.push(call("a1"));
    plan.push(call("a2"));
    plan.reach_execution_point();
    assert_eq!(started(&mut plan).len(), 2);
    plan.finish("a1", done("a1"));
    plan.push(call("a3"));
    plan.cancel("cancelled", "the person stopped the run");
    plan.finish("a2", done("a2"));
    let results = plan.take_results().unwrap();
    let contents: Vec<_> = results.iter().map(|result| result.content.text()).collect();
    assert_eq!(contents, ["done", "the person stopped the run", "the person stopped the run"]);
}

proptest! {
    /// Each call has one result, in its place, whatever the order of outcomes is, and even if some
    /// are repeated or belong to unknown calls.
    #[test]
    fn results_come_by_position(
        bads in prop::collection::vec(any::<bool>(), 1..8), outcomes in prop::collection::vec(0usize..10, 0..40),
    ) {
        let mut plan = Plan::new();
        let names: Vec<String> = (0..bads.len()).map(|index| format!("a{index}")).collect();
        for (name, is_bad) in names.iter().zip(&bads) {
            if *is_bad { plan.push_invalid(bad(name)) } else { plan.push(call(name)) }
        }
        plan.reach_execution_point();
        let started = started(&mut plan);
        let calls: Vec<&String> =
            names.iter().zip(&bads).filter(|(_, bad)| !**bad).map(|(name, _)| name).collect();
        prop_assert_eq!(started.iter().collect::<Vec<_>>(), calls);
        for outcome in outcomes {
            let id = format!("a{outcome}");
            plan.finish(&id, done(&id));
        }
        if plan.is_running() {
            prop_assert!(plan.take_results().is_none());
            plan.cancel("cancelled", "stopped");
        }
        let results = plan.take_results().unwrap();
        prop_assert_eq!(ids(&results), names);
        prop_assert!(plan.take_results().is_none());
    }
}

#[test]
fn early_call_starts_before_batch_result_waits() {
    let mut plan = Plan::new();
    plan.push_early(call("a1"));
    plan.push(call("a2"));
    assert_eq!(started(&mut plan), ["a1"]);
    plan.finish("a1", done("a1"));
    assert!(plan.take_results().is_none(), "`a2` is held");
    plan.reach_execution_point();
    assert_eq!(started(&mut plan), ["a2"]);
    plan.finish("a2", done("a2"));
    let results = plan.take_results().unwrap();
    assert_eq!(ids(&results), ["a1", "a2"]);
    assert_eq!(results[0].content, "done");
}

#[test]
fn early_result_shares_fate_of_its_batch() {
    for executed in [false, true] {
        let mut plan = Plan::new();
        plan.push_early(call("a1"));
        plan.push_early(call("a2"));
        assert_eq!(started(&mut plan), ["a1", "a2"]);
        plan.finish("a1", done("a1"));
        if executed {
            plan.reach_execution_point();
        }
        plan.cancel("cancelled", "cancelled: it was cut");
        let results = plan.take_results().unwrap();
        let first = if executed { "done" } else { "cancelled: it was cut" };
        assert_eq!(results[0].content, first);
        assert_eq!(results[1].content, "cancelled: it was cut");
    }
}
