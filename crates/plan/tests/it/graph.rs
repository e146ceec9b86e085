//! The calls that wait for others (P-20, P-24, P-25).

use silcrow_event::{ActionAttributes, CallMode, InvalidCall, OnError};
use silcrow_plan::{Plan, PlanLimits};

use crate::play::{action, after, decided, failed, ok, why, with};

use CallMode::{Async, FireAndForget, Sync};

#[test]
fn independent_actions_start_when_they_are_written() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &[]));
    assert_eq!(decided(&mut plan), ["start a"]);
    plan.push(action("b", Async, &[]));
    assert_eq!(decided(&mut plan), ["start b"]);
}

#[test]
fn action_waits_for_all_dependencies() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &[]));
    plan.push(action("b", Async, &[]));
    plan.push(action("c", Async, &["a", "b", "a"]));
    assert_eq!(decided(&mut plan), ["start a", "start b"]);
    ok(&mut plan, "b", "1");
    assert_eq!(decided(&mut plan), ["ok b"]);
    ok(&mut plan, "a", "1");
    assert_eq!(decided(&mut plan), ["ok a", "start c"]);
}

#[test]
fn an_action_may_depend_on_a_later_one() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &["b"]));
    assert_eq!(decided(&mut plan), [""; 0]);
    plan.push(action("b", Async, &[]));
    assert_eq!(decided(&mut plan), ["start b"]);
    ok(&mut plan, "b", "1");
    assert_eq!(decided(&mut plan), ["ok b", "start a"]);
}

#[test]
fn nothing_starts_before_sync_action_ends() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &[]));
    plan.push(action("s", Sync, &["a"]));
    plan.push(action("b", Async, &[]));
    plan.push(action("f", FireAndForget, &[]));
    plan.push(action("t", Sync, &[]));
    plan.push(action("c", Async, &[]));
    assert_eq!(decided(&mut plan), ["start a"]);
    ok(&mut plan, "a", "1");
    assert_eq!(decided(&mut plan), ["ok a", "start s"]);
    failed(&mut plan, "s");
    assert_eq!(decided(&mut plan), ["failed s", "start b", "start f", "start t"]);
    ok(&mut plan, "t", "1");
    assert_eq!(decided(&mut plan), ["ok t", "start c"]);
}

#[test]
fn dependents_of_failed_call_are_skipped_transitively() {
    let mut plan = Plan::new();
    plan.push(action("d", Async, &["c"]));
    plan.push(action("a", Async, &[]));
    plan.push(action("b", Sync, &["a"]));
    plan.push(action("c", Async, &["b"]));
    plan.push(action("e", Async, &[]));
    assert_eq!(decided(&mut plan), ["start a"]);
    failed(&mut plan, "a");
    let want = ["failed a", "skipped b", "skipped c", "skipped d", "start e"];
    assert_eq!(decided(&mut plan), want);
    assert_eq!(why(&plan, "b"), "skipped: it waits for `a`, which failed");
    assert_eq!(why(&plan, "d"), "skipped: it waits for `c`, which was skipped");
    // A call that comes later is skipped at once.
    plan.push(action("f", Async, &["c"]));
    assert_eq!(decided(&mut plan), ["skipped f"]);
}

#[test]
fn missing_id_fails_its_dependents() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &["x"]));
    plan.push(action("b", Async, &["a"]));
    assert_eq!(decided(&mut plan), [""; 0]);
    plan.end_text();
    assert_eq!(decided(&mut plan), ["failed a", "skipped b"]);
    assert_eq!(why(&plan, "a"), "it depends on `x`, but no action of this turn has that id");
    assert!(plan.is_settled());
}

#[test]
fn cycle_fails_only_its_members() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &["b"]));
    plan.push(action("b", Async, &["c", "z"]));
    plan.push(action("d", Async, &["a"]));
    plan.push(action("e", Async, &[]));
    plan.push(action("c", Async, &["a", "e"]));
    assert_eq!(decided(&mut plan), ["failed a", "failed b", "failed c", "skipped d", "start e"]);
    assert_eq!(why(&plan, "b"), "`a`, `b`, `c` wait for each other, which is a cycle");
    let mut plan = Plan::new();
    plan.push(action("a", Async, &["a"]));
    assert_eq!(decided(&mut plan), ["failed a"]);
    assert_eq!(why(&plan, "a"), "it waits for itself, which is a cycle");
}

#[test]
fn sync_action_waiting_for_later_one_fails() {
    let mut plan = Plan::new();
    plan.push(action("s", Sync, &["later"]));
    assert_eq!(decided(&mut plan), ["failed s"]);
    plan.push(action("a", Async, &["later"]));
    plan.push(action("b", Async, &["a"]));
    plan.push(action("t", Sync, &["b"]));
    assert_eq!(decided(&mut plan), ["failed t"]);
    assert!(why(&plan, "t").contains("waits for `later`"), "{}", why(&plan, "t"));
    plan.push(action("later", Async, &[]));
    assert_eq!(decided(&mut plan), ["start later"]);
}

#[test]
fn background_calls_cannot_be_dependencies() {
    let mut plan = Plan::new();
    plan.push(action("early", Async, &["f"]));
    plan.push(action("f", FireAndForget, &[]));
    plan.push(action("a", Async, &["f"]));
    assert_eq!(decided(&mut plan), ["failed early", "failed a", "start f"]);
    assert!(why(&plan, "a").contains("fire_and_forget"));
    // Nor does the turn wait for it, and the model gets no result of it.
    assert!(plan.is_settled());
    assert_eq!(plan.take_results().unwrap().len(), 2);
    ok(&mut plan, "f", "1");
    assert_eq!(decided(&mut plan), ["ok f"]);
}

#[test]
fn a_failure_may_end_the_turns_other_actions() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &[]));
    plan.push(with("b", "{}", ActionAttributes { on_error: Some(OnError::Fail), ..after(&[]) }));
    plan.push(action("c", Async, &["a"]));
    assert_eq!(decided(&mut plan), ["start a", "start b"]);
    failed(&mut plan, "b");
    assert_eq!(decided(&mut plan), ["failed b", "cancelled a", "cancelled c", "stop a"]);
    plan.push(action("d", Async, &[]));
    assert_eq!(decided(&mut plan), ["cancelled d"]);
    assert!(why(&plan, "d").contains("`b` failed"));
    ok(&mut plan, "a", "1");
    assert_eq!(decided(&mut plan), [""; 0], "an outcome that comes late is ignored");
}

#[test]
fn only_background_calls_start_after_final_response() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &[]));
    plan.push(action("b", Async, &["a"]));
    plan.begin_final_response();
    plan.push(action("c", Async, &[]));
    plan.push(action("f", FireAndForget, &[]));
    assert_eq!(decided(&mut plan), ["skipped c", "start a", "start f"]);
    ok(&mut plan, "a", "1");
    assert_eq!(decided(&mut plan), ["ok a", "start b"]);
}

#[test]
fn bad_call_fails_its_dependents() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &["x"]));
    plan.push_invalid(InvalidCall {
        id: "x".to_owned(),
        why: "no call".to_owned(),
        truncated: false,
        text: String::new(),
    });
    plan.push(action("b", Async, &["x"]));
    assert_eq!(decided(&mut plan), ["failed x", "skipped a", "skipped b"]);
}

#[test]
fn repeated_id_fails_the_later_action() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &[]));
    plan.push(action("a", Async, &[]));
    assert_eq!(decided(&mut plan), ["failed a", "start a"]);
}

#[test]
fn concurrency_is_limited() {
    let mut plan = Plan::with_limits(PlanLimits { max_parallel: 2, ..PlanLimits::default() });
    for id in ["a", "b", "c", "d"] {
        plan.push(action(id, Async, &[]));
    }
    assert_eq!(decided(&mut plan), ["start a", "start b"]);
    ok(&mut plan, "b", "1");
    assert_eq!(decided(&mut plan), ["ok b", "start c"]);
    failed(&mut plan, "a");
    ok(&mut plan, "c", "1");
    assert_eq!(decided(&mut plan), ["failed a", "ok c", "start d"]);
}

#[test]
fn a_turn_holds_so_many_calls() {
    let mut plan = Plan::with_limits(PlanLimits { max_calls: 1, ..PlanLimits::default() });
    plan.push(action("a", Async, &[]));
    plan.push(action("b", Async, &[]));
    assert_eq!(decided(&mut plan), ["failed b", "start a"]);
    assert_eq!(why(&plan, "b"), "a turn may hold 1 calls; write fewer");
}
