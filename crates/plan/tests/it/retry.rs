//! Further attempts, and the time limit of each (P-20, P-27).

use std::time::Duration;

use silcrow_event::{ActionAttributes, OnError};
use silcrow_plan::{Plan, PlanDecision, PlanLimits};

use crate::play::{after, decided, failed, failure, ok, with};

fn plan(action: ActionAttributes) -> Plan {
    let mut plan = Plan::new();
    plan.push(with("a", "{}", action));
    plan
}

#[test]
fn attempts_are_made_while_some_are_left() {
    let mut plan = plan(ActionAttributes { retry: Some(2), ..after(&[]) });
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
    let mut plan = plan(ActionAttributes { on_error: Some(OnError::Retry), ..after(&[]) });
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
fn permanent_failures_are_not_retried() {
    let mut plan = plan(ActionAttributes { retry: Some(2), ..after(&[]) });
    decided(&mut plan);
    failed(&mut plan, "a");
    assert_eq!(decided(&mut plan), ["failed a"]);
}

#[test]
fn retry_of_zero_means_no_retry() {
    let mut plan =
        plan(ActionAttributes { on_error: Some(OnError::Retry), retry: Some(0), ..after(&[]) });
    decided(&mut plan);
    plan.fail("a", failure("a"), 0);
    assert_eq!(decided(&mut plan), ["failed a"]);
}

#[test]
fn pause_takes_no_slot_and_is_cancellable() {
    let mut plan = plan(ActionAttributes { retry: Some(9), ..after(&[]) });
    decided(&mut plan);
    plan.fail("a", failure("a"), 0);
    decided(&mut plan);
    plan.cancel("stopped", "stopped");
    assert_eq!(decided(&mut plan), ["cancelled a", "stop a"]);
    plan.retry("a");
    assert_eq!(decided(&mut plan), [""; 0]);
}

#[test]
fn tool_may_allow_unrequested_attempts() {
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
fn attempts_of_model_win_over_tool() {
    let mut plan = plan(ActionAttributes { retry: Some(0), ..after(&[]) });
    decided(&mut plan);
    plan.fail("a", failure("a"), 5);
    assert_eq!(decided(&mut plan), ["failed a"]);
}

#[test]
fn attempts_stay_within_limits() {
    let huge = ActionAttributes { retry: Some(u32::MAX), ..after(&[]) };
    for (further, limits, of_tool) in [
        (20, PlanLimits::default(), 0),
        (2, PlanLimits { max_retries: 2, ..PlanLimits::default() }, 0),
        (0, PlanLimits { max_retries: 0, ..PlanLimits::default() }, u32::MAX),
    ] {
        let mut plan = Plan::with_limits(limits);
        let action = if of_tool == 0 { huge.clone() } else { after(&[]) };
        plan.push(with("a", "{}", action));
        decided(&mut plan);
        for _ in 0..further {
            plan.fail("a", failure("a"), of_tool);
            assert_eq!(decided(&mut plan).len(), 1);
            plan.retry("a");
            assert_eq!(decided(&mut plan).len(), 1);
        }
        plan.fail("a", failure("a"), of_tool);
        assert_eq!(decided(&mut plan), ["failed a"]);
    }
}

#[test]
fn an_attempt_has_the_timeout_of_its_call() {
    for timeout in [None, Some(Duration::ZERO), Some(Duration::from_nanos(1)), Some(Duration::MAX)]
    {
        let mut plan = plan(ActionAttributes { timeout, ..after(&[]) });
        let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!("{timeout:?}") };
        assert_eq!(ready.timeout(), timeout);
    }
}

#[test]
fn an_attempt_knows_how_many_may_follow_it() {
    let ready = |plan: &mut Plan| {
        std::iter::from_fn(|| plan.decide()).find_map(|decision| match decision {
            PlanDecision::Start(ready) => Some(ready),
            _ => None,
        })
    };
    let table = [
        (ActionAttributes { retry: Some(2), ..after(&[]) }, 9, 2),
        (ActionAttributes { on_error: Some(OnError::Retry), ..after(&[]) }, 0, 3),
        (ActionAttributes { retry: Some(u32::MAX), ..after(&[]) }, 0, 20),
        (after(&[]), 4, 4),
        (after(&[]), u32::MAX, 20),
        (ActionAttributes { retry: Some(0), ..after(&[]) }, 4, 0),
    ];
    for (action, of_tool, expected) in table {
        let mut plan = plan(action);
        let mut left = expected;
        while let Some(ready) = ready(&mut plan) {
            assert_eq!(ready.retries(of_tool), left);
            plan.fail("a", failure("a"), of_tool);
            for decision in std::iter::from_fn(|| plan.decide()).collect::<Vec<_>>() {
                if let PlanDecision::Retry { id, .. } = decision {
                    plan.retry(&id);
                }
            }
            left = left.saturating_sub(1);
        }
        assert_eq!(left, 0);
    }
}
