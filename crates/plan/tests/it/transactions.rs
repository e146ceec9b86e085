//! Transactions: all of a body succeeds, or its effects are undone (P-32).

use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{ActionAttributes, Call, CallMode, CallResult, Compensation, OnError};
use silcrow_plan::{
    ControlBlock, ControlKind, ParallelJoin, Plan, PlanDecision, UndoCover, UndoCoverage,
};

use crate::blocks::{each, parallel};
use crate::play::{action, after, decided, failed, ok, why, with};

use CallMode::{Async, FireAndForget, Sync};

pub(crate) fn transaction(id: &str) -> ControlBlock {
    ControlBlock::new(id, ControlKind::Transaction { timeout: None })
}

/// Calls with `w` at the beginning of their names are undone by their tool, and those with `r`
/// change nothing.
#[derive(Debug)]
pub(crate) struct ByName;

impl UndoCoverage for ByName {
    fn cover(&self, call: &Call) -> UndoCover {
        match call.name().as_bytes()[0] {
            b'w' => UndoCover::ByTool,
            b'r' => UndoCover::Unneeded,
            _ => UndoCover::Missing,
        }
    }
}

pub(crate) fn plan() -> Plan {
    Plan::new().with_undo_coverage(Arc::new(ByName))
}

/// Returns an action that another call undoes.
fn made(id: &str, undo: &str) -> Call {
    let compensate = Compensation::parse(undo).ok().map(Box::new);
    with(id, "{}", ActionAttributes { compensate, ..after(&[]) })
}

#[test]
fn transaction_begins_closed_and_ends_with_body() {
    let mut plan = plan();
    plan.open_block(transaction("t"));
    plan.push(action("w1", Async, &[]));
    plan.push(action("r2", Async, &[]));
    assert_eq!(decided(&mut plan), [""; 0]);
    plan.close_block();
    plan.push(action("a", Async, &["w1"]));
    assert_eq!(decided(&mut plan), ["start w1", "start r2"]);
    ok(&mut plan, "w1", "1");
    ok(&mut plan, "r2", "2");
    assert_eq!(decided(&mut plan), ["ok w1", "ok r2", "ok block t", "start a"]);
}

#[test]
fn failed_part_undoes_in_reverse_order() {
    let mut plan = plan();
    plan.open_block(transaction("t"));
    plan.push(action("w1", Async, &[]));
    plan.push(made("c2", r#"{"name":"drop","parameters":{"of":"$c2","by":"$w1"}}"#));
    plan.push(action("r3", Async, &[]));
    plan.push(action("w4", Sync, &[]));
    plan.push(action("w5", Async, &[]));
    plan.close_block();
    plan.push(action("after", Async, &["w1"]));
    decided(&mut plan);
    ok(&mut plan, "c2", "{\"n\":[7]}");
    ok(&mut plan, "w1", "1");
    ok(&mut plan, "r3", "1");
    failed(&mut plan, "w4");
    let ends = ["ok c2", "ok w1", "ok r3", "failed w4", "cancelled w5"];
    // A tool that failed may have done a part of it, and takes it back.
    let undo = ["new w4~undo", "new w1~undo", "new c2~undo", "start w4~undo"];
    assert_eq!(decided(&mut plan), [&ends[..], &undo].concat());
    assert!(plan.is_running() && !plan.is_settled());
    ok(&mut plan, "w4~undo", "1");
    assert_eq!(decided(&mut plan), ["ok w4~undo", "start w1~undo"]);
    plan.finish("w1~undo", CallResult::failure("w1~undo", None, "", "it is locked"));
    while plan.next_update().is_some() {}
    let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
    // `$w1` had no value when `c2` started.
    assert_eq!((ready.name(), ready.args()), ("drop", r#"{"of":{"n":[7]},"by":"$w1"}"#));
    assert_eq!(ready.undoes().unwrap().id, "c2");
    ok(&mut plan, "c2~undo", "1");
    assert_eq!(decided(&mut plan), ["ok c2~undo", "failed block t", "skipped after"]);
    assert_eq!(
        why(&plan, "t"),
        "`w4` failed: no; rolled back: `w4`, `c2`; could not be undone: `w1`: it is locked"
    );
    plan.end_text();
    assert!(plan.is_settled() && !plan.is_running());
}

#[test]
fn irreversible_call_fails_transaction_before_start() {
    let unable = "cannot be taken back: give it a `compensate`, or move it out of the transaction";
    let quiet = "is `fire_and_forget`, and a transaction waits for all that is in it";
    for (bad, reason) in
        [(action("x", Async, &[]), unable), (action("w9", FireAndForget, &[]), quiet)]
    {
        let mut plan = plan();
        plan.open_block(transaction("t"));
        plan.push(action("w1", Async, &[]));
        plan.open_block(each("l", "range(2)", 2, OnError::Skip));
        plan.push(bad.clone());
        plan.close_block();
        plan.close_block();
        plan.end_text();
        let ends = decided(&mut plan);
        assert!(!ends.concat().contains("start"), "{ends:?}");
        assert_eq!(why(&plan, "t"), format!("`{}` {reason}; nothing was started", bad.id()));
    }
}

#[test]
fn running_calls_end_before_rollback() {
    let mut plan = plan();
    plan.open_block(transaction("t"));
    plan.push(action("w1", Async, &[]));
    plan.push(action("w2", Async, &[]));
    plan.push(made("c3", r#"{"name":"drop"}"#));
    plan.push(made("c4", r#"{"name":"drop"}"#));
    plan.push(made("c5", r#"{"name":"drop"}"#));
    plan.close_block();
    decided(&mut plan);
    failed(&mut plan, "c5");
    let stops = ["await w1", "await w2", "await c3", "await c4"];
    assert_eq!(decided(&mut plan)[5..], stops);
    plan.stopped("w1", true);
    plan.stopped("w2", false);
    plan.stopped("c3", true);
    assert_eq!(decided(&mut plan), [""; 0]);
    assert!(plan.is_running());
    plan.stopped("c4", false);
    // Calls that did not begin are not undone; `c5` has failed, so there is nothing to compensate.
    assert_eq!(decided(&mut plan), ["new c3~undo", "new w1~undo", "start c3~undo"]);
}

#[test]
fn cancellation_rolls_back_and_cannot_stop_it() {
    let mut plan = plan();
    plan.open_block(each("l", "range(2)", 2, OnError::Fail));
    plan.open_block(transaction("t"));
    plan.push(action("w1", Sync, &[]));
    plan.push(action("w2", Sync, &[]));
    plan.close_block();
    plan.close_block();
    decided(&mut plan);
    ok(&mut plan, "l[0].w1", "1");
    decided(&mut plan);
    plan.cancel("cancelled", "cancelled: stopped");
    assert!(plan.is_running() && !plan.is_settled());
    let ends = decided(&mut plan).join(", ");
    assert!(ends.contains("await l[0].w2, await l[1].w1"), "{ends}");
    plan.stopped("l[0].w2", false);
    plan.stopped("l[1].w1", false);
    plan.cancel("cancelled", "cancelled: stopped again");
    let undo = decided(&mut plan).join(", ");
    assert!(undo.contains("cancelled block l[1].t"), "{undo}");
    assert!(undo.contains("new l[0].w1~undo") && undo.ends_with("start l[0].w1~undo"), "{undo}");
    ok(&mut plan, "l[0].w1~undo", "1");
    let ends = ["ok l[0].w1~undo", "cancelled block l[0].t", "cancelled block l"];
    assert_eq!(decided(&mut plan), ends);
    assert_eq!(why(&plan, "l[0].t"), "cancelled: stopped; rolled back: `l[0].w1`");
    plan.end_text();
    assert!(plan.is_settled() && !plan.is_running());
}

#[test]
fn outer_transaction_undoes_inner_one() {
    let mut plan = plan();
    plan.open_block(transaction("t"));
    plan.open_block(transaction("u"));
    plan.push(action("w1", Sync, &[]));
    plan.close_block();
    plan.open_block(transaction("v"));
    plan.push(action("w2", Sync, &[]));
    plan.push(action("w3", Sync, &[]));
    plan.close_block();
    plan.close_block();
    decided(&mut plan);
    ok(&mut plan, "w1", "1");
    assert_eq!(decided(&mut plan), ["ok w1", "ok block u", "start w2"]);
    ok(&mut plan, "w2", "1");
    decided(&mut plan);
    plan.refuse("w3", crate::play::failure("w3"));
    let inner = ["failed w3", "new w2~undo", "start w2~undo"];
    assert_eq!(decided(&mut plan), inner);
    ok(&mut plan, "w2~undo", "1");
    let outer = ["ok w2~undo", "failed block v", "new w1~undo", "start w1~undo"];
    assert_eq!(decided(&mut plan), outer);
    ok(&mut plan, "w1~undo", "1");
    assert_eq!(decided(&mut plan), ["ok w1~undo", "failed block t"]);
    assert_eq!(
        why(&plan, "t"),
        "`v` failed: `w3` failed: no; rolled back: `w2`; rolled back: `w1`"
    );
}

#[test]
fn transaction_undoes_losers_of_race() {
    let mut plan = plan();
    plan.open_block(transaction("t"));
    plan.open_block(parallel("p", ParallelJoin::Race));
    plan.push(action("w1", Async, &[]));
    plan.push(action("w2", Async, &[]));
    plan.close_block();
    plan.push(action("w3", Sync, &[]));
    plan.close_block();
    decided(&mut plan);
    ok(&mut plan, "w1", "1");
    let ends = decided(&mut plan);
    assert_eq!(ends, ["ok w1", "cancelled w2", "ok block p", "await w2", "start w3"]);
    failed(&mut plan, "w3");
    assert_eq!(decided(&mut plan), ["failed w3"]);
    plan.stopped("w2", true);
    let undo = ["new w3~undo", "new w2~undo", "new w1~undo", "start w3~undo"];
    assert_eq!(decided(&mut plan), undo);
}

#[test]
fn a_transaction_has_a_time_limit() {
    let mut plan = plan();
    let timeout = Some(Duration::from_secs(2));
    plan.open_block(ControlBlock::new("t", ControlKind::Transaction { timeout }));
    plan.push(action("w1", Sync, &[]));
    plan.push(action("r2", Sync, &[]));
    plan.close_block();
    assert_eq!(decided(&mut plan), ["time t 2000", "start w1"]);
    ok(&mut plan, "w1", "1");
    decided(&mut plan);
    plan.time_out("t");
    assert_eq!(decided(&mut plan), ["cancelled r2", "await r2"]);
    plan.time_out("t");
    plan.stopped("r2", true);
    assert_eq!(decided(&mut plan), ["new w1~undo", "start w1~undo"]);
    plan.time_out("t");
    ok(&mut plan, "w1~undo", "1");
    assert_eq!(decided(&mut plan), ["ok w1~undo", "failed block t"]);
    assert_eq!(why(&plan, "t"), "not done after 2 s; rolled back: `w1`");
}

#[test]
fn compensation_is_retried_and_needs_its_names() {
    let mut plan = plan();
    plan.open_block(transaction("t"));
    plan.push(made("c1", r#"{"name":"drop","parameters":{"of":"$c1"}}"#));
    plan.push(made("c2", r#"{"name":"drop","parameters":{"of":"$c2"}}"#));
    plan.close_block();
    decided(&mut plan);
    ok(&mut plan, "c1", "\"$x and $$y\"");
    plan.finish("c2", CallResult::framework_failure("c2", None, "timed out", "timed out"));
    let undo = decided(&mut plan);
    let want = ["ok c1", "failed c2", "new c2~undo", "failed c2~undo", "new c1~undo"];
    assert_eq!(undo[..5], want);
    assert_eq!(undo[5], "start c1~undo");
    plan.fail("c1~undo", crate::play::failure("c1~undo"), 0);
    assert_eq!(decided(&mut plan), ["retry c1~undo after 100 ms"]);
    plan.retry("c1~undo");
    let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
    // Names in an output are not read.
    assert_eq!(ready.args(), r#"{"of":"$x and $$y"}"#);
    ok(&mut plan, "c1~undo", "1");
    assert_eq!(
        why(&plan, "t"),
        "`c2` failed: timed out; rolled back: `c1`; could not be undone: `c2`: its `compensate` \
         needs `$c2`, its output, which is unknown"
    );
}

#[test]
fn an_id_of_a_rollback_is_reserved() {
    let mut plan = plan();
    plan.push(action("w1~undo", Async, &[]));
    assert_eq!(decided(&mut plan), ["failed w1~undo"]);
    assert!(why(&plan, "w1~undo").contains("is of a rollback"));
}
