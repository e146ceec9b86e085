//! Steps that a block rejects, and blocks that are stopped.

use silcrow_event::{CallMode, OnError};
use silcrow_plan::{Plan, PlanLimits};

use crate::blocks::{choice, each};
use crate::play::{action, decided, ok, why};

use CallMode::Async;

#[test]
fn unbeginnable_block_fails_with_reason() {
    for (items, reason) in [
        ("range(101)", "the list has 101 items, and the limit is 100; nothing was started"),
        ("3", "it repeats over a list, not a number"),
        ("files.map(", "`map` takes a variable first, as in `map(x, …)`, at the end"),
        ("missing", "nothing has this name here, at `missing`"),
        (
            "ok(missing) ? [1] : []",
            "it asks how `missing` ended, but no action before it has that id",
        ),
    ] {
        let mut plan = Plan::new();
        plan.open_block(each("l", items, 5, OnError::Fail));
        plan.push(action("a", Async, &[]));
        plan.close_block();
        plan.end_text();
        let ends = decided(&mut plan);
        assert_eq!(ends.last().unwrap(), "failed block l", "{items}");
        assert!(!ends.concat().contains("start"), "{items}");
        assert_eq!(why(&plan, "l"), reason);
        assert!(plan.is_settled());
    }
    let mut plan = Plan::new();
    plan.open_block(choice("c", "1"));
    plan.close_block();
    assert_eq!(decided(&mut plan), ["failed block c"]);
    assert_eq!(why(&plan, "c"), "the test is not true or false, but a number");
}

#[test]
fn blocks_have_bounds() {
    let mut plan = Plan::new();
    for level in 0..9 {
        plan.open_block(choice(&format!("c{level}"), "true"));
    }
    plan.push(action("a", Async, &[]));
    let ends = decided(&mut plan);
    assert_eq!(ends, ["failed block c8", "skipped a"]);
    assert_eq!(why(&plan, "c8"), "at most 8 blocks may be inside each other");

    // The instances of a loop are calls of the turn.
    let mut plan = Plan::with_limits(PlanLimits { max_calls: 3, ..PlanLimits::default() });
    plan.open_block(each("l", "range(4)", 5, OnError::Skip));
    plan.push(action("a", Async, &[]));
    plan.close_block();
    let ends = decided(&mut plan).join(", ");
    assert!(ends.contains("failed l[2].a") && ends.contains("start l[1].a"), "{ends}");

    // And they count among those that run at once.
    let mut plan = Plan::with_limits(PlanLimits { max_parallel: 2, ..PlanLimits::default() });
    plan.push(action("first", Async, &[]));
    plan.open_block(each("l", "range(4)", 5, OnError::Skip));
    plan.push(action("a", Async, &[]));
    plan.close_block();
    let starts = decided(&mut plan).into_iter().filter(|what| what.starts_with("start"));
    assert_eq!(Vec::from_iter(starts), ["start first", "start l[0].a"]);
}

#[test]
fn unclosed_block_starts_nothing_more() {
    let mut plan = Plan::new();
    plan.push(action("list", Async, &[]));
    plan.open_block(each("l", "list", 1, OnError::Fail));
    plan.push(action("a", Async, &[]));
    plan.end_text();
    assert_eq!(decided(&mut plan), ["skipped block l", "start list"]);
    assert_eq!(
        why(&plan, "l"),
        "skipped: `<foreach>` was not closed, so nothing more in it starts"
    );

    let mut plan = Plan::new();
    plan.open_block(each("l", "range(2)", 1, OnError::Fail));
    plan.push(action("a", Async, &[]));
    plan.push(action("b", Async, &["a"]));
    assert!(decided(&mut plan).contains(&"start l[0].a".to_owned()));
    plan.end_text();
    assert_eq!(decided(&mut plan), ["cancelled l[0].b"]);
    ok(&mut plan, "l[0].a", "1");
    let ends = decided(&mut plan);
    assert_eq!(ends.first().unwrap(), "ok l[0].a");
    assert!(ends.last().unwrap().ends_with("block l"), "{ends:?}");
    assert!(plan.is_settled());
}

#[test]
fn a_cancelled_turn_ends_its_blocks() {
    let mut plan = Plan::new();
    plan.open_block(each("l", "range(2)", 5, OnError::Fail));
    plan.push(action("a", Async, &[]));
    plan.push(action("b", Async, &["a"]));
    decided(&mut plan);
    plan.cancel("cancelled", "cancelled: no more");
    let ends = decided(&mut plan);
    for end in ["cancelled l[0].a", "cancelled l[1].b", "cancelled block l", "stop l[1].a"] {
        assert!(ends.contains(&end.to_owned()), "{ends:?}");
    }
    plan.push(action("c", Async, &[]));
    plan.close_block();
    plan.end_text();
    assert!(plan.is_settled() && !plan.is_running());
    assert!(decided(&mut plan).is_empty());
}

#[test]
fn started_block_calls_may_finish() {
    let mut plan = Plan::new();
    plan.open_block(each("l", "range(3)", 1, OnError::Fail));
    plan.push(action("a", Async, &[]));
    plan.close_block();
    plan.end_text();
    decided(&mut plan);
    plan.cancel_waiting(&|_| true, "cancelled", "cancelled: no more");
    assert_eq!(decided(&mut plan), [""; 0]);
    ok(&mut plan, "l[0].a", "1");
    assert_eq!(decided(&mut plan), ["ok l[0].a", "cancelled block l"]);
    assert!(plan.is_settled());
}
