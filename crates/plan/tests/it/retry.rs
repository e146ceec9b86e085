//! Further attempts (P-20, P-27).

use silcrow_event::{Action, OnError};
use silcrow_plan::Plan;

use crate::play::{after, decided, failed, failure, ok, with};

fn plan(action: Action) -> Plan {
    let mut plan = Plan::new();
    plan.push(with("a", "{}", action));
    plan
}

#[test]
fn attempts_are_made_while_some_are_left() {
    let mut plan = plan(Action { retry: Some(2), ..after(&[]) });
    plan.push(with("b", "{}", after(&["a"])));
    assert_eq!(decided(&mut plan), ["start a"]);
    plan.fail("a", failure("a"), 0);
    assert_eq!(decided(&mut plan), ["retry a after 100 ms"]);
    assert!(plan.is_running());
    plan.retry("a");
    plan.retry("a");
    assert_eq!(decided(&mut plan), ["start a 2"]);
    plan.fail("a", failure("a"), 0);
    assert_eq!(decided(&mut plan), ["retry a after 200 ms"]);
    plan.retry("a");
    assert_eq!(decided(&mut plan), ["start a 3"]);
    plan.fail("a", failure("a"), 0);
    assert_eq!(decided(&mut plan), ["failed a", "skipped b"]);
}

#[test]
fn another_attempt_may_end_well() {
    let mut plan = plan(Action { on_error: Some(OnError::Retry), ..after(&[]) });
    for attempt in 1..=3 {
        decided(&mut plan);
        plan.fail("a", failure("a"), 0);
        assert_eq!(decided(&mut plan), [format!("retry a after {} ms", 50 << attempt)]);
        plan.retry("a");
    }
    assert_eq!(decided(&mut plan), ["start a 4"]);
    ok(&mut plan, "a", "1");
    assert_eq!(decided(&mut plan), ["ok a"]);
}

#[test]
fn what_no_attempt_can_mend_ends_at_once() {
    let mut plan = plan(Action { retry: Some(2), ..after(&[]) });
    decided(&mut plan);
    failed(&mut plan, "a");
    assert_eq!(decided(&mut plan), ["failed a"]);
}

#[test]
fn a_retry_said_to_be_none_is_none() {
    let mut plan = plan(Action { on_error: Some(OnError::Retry), retry: Some(0), ..after(&[]) });
    decided(&mut plan);
    plan.fail("a", failure("a"), 0);
    assert_eq!(decided(&mut plan), ["failed a"]);
}

#[test]
fn a_pause_takes_no_place_and_can_be_called_off() {
    let mut plan = plan(Action { retry: Some(9), ..after(&[]) });
    decided(&mut plan);
    plan.fail("a", failure("a"), 0);
    decided(&mut plan);
    plan.cancel("stopped", "stopped");
    assert_eq!(decided(&mut plan), ["stop a", "cancelled a"]);
    plan.retry("a");
    assert_eq!(decided(&mut plan), [""; 0]);
}

#[test]
fn a_tool_may_allow_attempts_that_the_model_did_not_ask_for() {
    let mut plan = plan(after(&[]));
    decided(&mut plan);
    plan.fail("a", failure("a"), 1);
    assert_eq!(decided(&mut plan), ["retry a after 100 ms"]);
    plan.retry("a");
    assert_eq!(decided(&mut plan), ["start a 2"]);
    plan.fail("a", failure("a"), 1);
    assert_eq!(decided(&mut plan), ["failed a"]);
}

#[test]
fn what_the_model_says_of_attempts_counts_before_the_tool() {
    let mut plan = plan(Action { retry: Some(0), ..after(&[]) });
    decided(&mut plan);
    plan.fail("a", failure("a"), 5);
    assert_eq!(decided(&mut plan), ["failed a"]);
}
