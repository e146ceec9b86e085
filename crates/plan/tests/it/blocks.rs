//! Control blocks: choice, loops, parallel parts and values (P-29 to P-31).

use std::time::Duration;

use silcrow_event::{ActionAttributes, CallMode, Json, OnError};
use silcrow_plan::{ControlBlock, ControlKind, ControlStep, ParallelJoin, Plan};

use crate::play::{action, after, decided, failed, ok, using, why, with};

use CallMode::{Async, FireAndForget, Sync};

pub(crate) fn choice(id: &str, test: &str) -> ControlBlock {
    ControlBlock::new(id, ControlKind::Choice { test: test.to_owned() })
}

pub(crate) fn each(id: &str, items: &str, max_parallel: usize, on_error: OnError) -> ControlBlock {
    ControlBlock::new(
        id,
        ControlKind::ForEach {
            items: items.to_owned(),
            item: "x".to_owned(),
            index: Some("i".to_owned()),
            max_parallel,
            limit: ControlKind::LIMIT,
            on_error,
        },
    )
}

pub(crate) fn parallel(id: &str, join: ParallelJoin) -> ControlBlock {
    ControlBlock::new(id, ControlKind::Parallel { join, max: None, timeout: None })
}

fn output(plan: &Plan, id: &str) -> String {
    plan.outcome(id).unwrap().value().unwrap().to_string()
}

#[test]
fn choice_runs_one_branch_and_skips_other() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &[]));
    plan.open_block(choice("c", "len(a) > 1"));
    plan.push(action("then", Async, &[]));
    assert_eq!(decided(&mut plan), ["start a"]);
    ok(&mut plan, "a", "[1,2]");
    // The branch begins although it is not closed.
    assert_eq!(decided(&mut plan), ["ok a", "start then"]);
    plan.otherwise();
    plan.push(action("else", Async, &[]));
    assert_eq!(decided(&mut plan), ["skipped else"]);
    plan.close_block();
    ok(&mut plan, "then", "7");
    assert_eq!(decided(&mut plan), ["ok then", "ok block c"]);
    assert_eq!(output(&plan, "c"), "7");
    assert_eq!(why(&plan, "else"), "skipped: the test of `c` is true");
}

#[test]
fn names_of_branch_are_bound_after_choice() {
    let keyed = |id: &str| {
        with(id, "{}", ActionAttributes { output_key: Some("k".to_owned()), ..after(&[]) })
    };
    let mut plan = Plan::new();
    plan.push_step(ControlStep::Block {
        block: choice("c", "false"),
        body: vec![keyed("one").into()],
        otherwise: vec![keyed("two").into()],
    });
    plan.push(using("a", r#"{"v":"$k"}"#));
    plan.push(using("b", r#"{"v":"$one"}"#));
    plan.push(action("d", Async, &["two"]));
    assert_eq!(decided(&mut plan), ["skipped one", "start two"]);
    ok(&mut plan, "two", "[5]");
    let ended = ["ok two", "bind k [5]", "ok block c", "skipped b", "start a", "start d"];
    assert_eq!(decided(&mut plan), ended);
}

#[test]
fn a_test_may_ask_how_a_call_ended() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &[]));
    plan.open_block(choice("c", "failed(a) || len(a) == 0"));
    plan.push(action("mend", Async, &[]));
    plan.close_block();
    assert_eq!(decided(&mut plan), ["start a"]);
    failed(&mut plan, "a");
    assert_eq!(decided(&mut plan), ["failed a", "start mend"]);
}

#[test]
fn block_needing_failed_call_is_skipped_whole() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &[]));
    plan.open_block(choice("c", "a"));
    plan.push(action("b", Async, &[]));
    plan.open_block(parallel("p", ParallelJoin::All));
    plan.push(action("d", Async, &[]));
    assert_eq!(decided(&mut plan), ["start a"]);
    failed(&mut plan, "a");
    let skipped = ["failed a", "skipped b", "skipped block p", "skipped d", "skipped block c"];
    assert_eq!(decided(&mut plan), skipped);
    plan.push(action("e", Async, &[]));
    plan.close_block();
    plan.close_block();
    assert_eq!(decided(&mut plan), ["skipped e"]);
    plan.end_text();
    assert!(plan.is_settled());
}

#[test]
fn loop_runs_body_for_each_item() {
    let mut plan = Plan::new();
    plan.push(action("list", Async, &[]));
    plan.open_block(each("l", "list", 2, OnError::Skip));
    plan.push(using("get", r#"{"v":"$x","n":"$i"}"#));
    assert_eq!(decided(&mut plan), ["start list"]);
    ok(&mut plan, "list", r#""[\"a\",\"b\",\"c\"]""#);
    let first = ["ok list", "new l[0].get", "new l[1].get", "start l[0].get", "start l[1].get"];
    assert_eq!(decided(&mut plan), first);
    ok(&mut plan, "l[1].get", "1");
    assert_eq!(decided(&mut plan), ["ok l[1].get"]);
    plan.push(using("put", r#"{"v":"$get"}"#));
    let next = ["new l[0].put", "new l[1].put", "start l[1].put"];
    assert_eq!(decided(&mut plan), next);
    plan.close_block();
    plan.push(action("after", Async, &["l"]));
    failed(&mut plan, "l[0].get");
    // The first instance is over, so the third one begins.
    let third =
        ["failed l[0].get", "skipped l[0].put", "new l[2].get", "new l[2].put", "start l[2].get"];
    assert_eq!(decided(&mut plan), third);
    ok(&mut plan, "l[1].put", "\"B\"");
    ok(&mut plan, "l[2].get", "1");
    assert_eq!(decided(&mut plan), ["ok l[1].put", "ok l[2].get", "start l[2].put"]);
    ok(&mut plan, "l[2].put", "\"C\"");
    assert_eq!(decided(&mut plan), ["ok l[2].put", "ok block l", "start after"]);
    assert_eq!(output(&plan, "l"), r#"[null,"B","C"]"#);
}

#[test]
fn failed_instance_stops_loop_by_default() {
    let mut plan = Plan::new();
    plan.open_block(each("l", "range(5)", 2, OnError::Fail));
    plan.push(action("a", Async, &[]));
    plan.close_block();
    decided(&mut plan);
    failed(&mut plan, "l[1].a");
    let stopped = ["failed l[1].a", "cancelled l[0].a", "failed block l", "stop l[0].a"];
    assert_eq!(decided(&mut plan), stopped);
    assert_eq!(why(&plan, "l"), "`l[1].a` failed: no");
    assert!(plan.is_settled() && !plan.is_running());
}

#[test]
fn names_in_a_body_may_be_from_outside() {
    let mut plan = Plan::new();
    plan.preset("base", Json::string("root"));
    plan.push(action("a", Async, &[]));
    plan.open_block(each("l", "range(1)", 5, OnError::Fail));
    plan.open_block(each("m", "[x + 10]", 5, OnError::Fail));
    plan.push(using("b", r#"{"v":["$x","$a","$base","$other"]}"#));
    plan.push(action("c", Async, &["a"]));
    plan.close_block();
    plan.close_block();
    let waiting = decided(&mut plan);
    assert_eq!(waiting[..1], ["new l[0].m[0].b"]);
    assert!(waiting.contains(&"start a".to_owned()) && !waiting.concat().contains("start l"));
    ok(&mut plan, "a", "1");
    plan.next_update();
    let Some(silcrow_plan::PlanDecision::Start(ready)) = plan.decide() else { panic!() };
    assert_eq!(ready.id(), "l[0].m[0].b");
    assert_eq!(ready.args(), r#"{"v":[10,1,"root","$other"]}"#);
}

#[test]
fn block_is_barrier_but_parallel_parts_are_not() {
    let mut plan = Plan::new();
    plan.open_block(parallel("p", ParallelJoin::All));
    plan.push(action("a", Sync, &[]));
    plan.push(action("b", Sync, &[]));
    plan.close_block();
    plan.push(action("c", Async, &[]));
    assert_eq!(decided(&mut plan), ["start a", "start b"]);
    ok(&mut plan, "b", "2");
    ok(&mut plan, "a", "1");
    assert_eq!(decided(&mut plan), ["ok b", "ok a", "ok block p", "start c"]);
    assert_eq!(output(&plan, "p"), "[1,2]");
}

#[test]
fn a_parallel_block_ends_as_its_join_says() {
    for (join, good, bad) in [
        (ParallelJoin::All, "", "cancelled b, failed block p, stop b"),
        (ParallelJoin::Any, "cancelled b, ok block p, stop b", ""),
        (
            ParallelJoin::Race,
            "cancelled b, ok block p, stop b",
            "cancelled b, failed block p, stop b",
        ),
        (ParallelJoin::Settled, "", ""),
    ] {
        for (end, want) in [(true, good), (false, bad)] {
            let mut plan = Plan::new();
            plan.open_block(parallel("p", join));
            plan.push(action("a", Async, &[]));
            plan.push(action("b", Async, &[]));
            plan.close_block();
            decided(&mut plan);
            if end {
                ok(&mut plan, "a", "1")
            } else {
                failed(&mut plan, "a")
            }
            assert_eq!(decided(&mut plan)[1..].join(", "), want, "{join:?} {end}");
        }
    }
}

#[test]
fn a_value_is_a_name_for_an_expression() {
    let mut plan = Plan::new();
    plan.push(action("a", Async, &[]));
    let expression = "a.filter(n, n > 1)".to_owned();
    let mut value = ControlBlock::new("big", ControlKind::Value { expression });
    value.output_key = Some("numbers".to_owned());
    plan.open_block(value);
    plan.push(using("b", r#"{"v":"$big","w":"$numbers"}"#));
    decided(&mut plan);
    ok(&mut plan, "a", "[1,2,3]");
    let next = ["ok a", "ok block big", "bind numbers [2,3]", "start b"];
    assert_eq!(decided(&mut plan), next);
}

#[test]
fn nothing_waits_for_background_call_of_block() {
    let mut plan = Plan::new();
    plan.open_block(choice("c", "true"));
    plan.push(action("log", FireAndForget, &[]));
    plan.close_block();
    plan.end_text();
    assert_eq!(decided(&mut plan), ["ok block c", "start log"]);
    assert!(plan.is_settled() && plan.is_running());
    plan.cancel("cancelled", "cancelled: no more");
    assert_eq!(decided(&mut plan), ["cancelled log", "stop log"]);
    assert!(!plan.is_running());
}

#[test]
fn parallel_block_ends_at_timeout() {
    for (join, end, output_text) in [
        (ParallelJoin::All, "cancelled b, failed block p", "not done after 1.5 s"),
        (ParallelJoin::Any, "cancelled b, failed block p", "not done after 1.5 s"),
        (ParallelJoin::Settled, "cancelled b, ok block p", "[1,null]"),
    ] {
        let mut plan = Plan::new();
        let timeout = Some(Duration::from_millis(1500));
        let kind = ControlKind::Parallel { join, max: None, timeout };
        plan.open_block(choice("c", "true"));
        plan.open_block(ControlBlock::new("p", kind));
        plan.push(action("a", Async, &[]));
        plan.push(action("b", Async, &[]));
        assert_eq!(decided(&mut plan), ["time p 1500", "start a", "start b"]);
        plan.close_block();
        plan.close_block();
        match join {
            // One success would be the end.
            ParallelJoin::Any => failed(&mut plan, "a"),
            _ => ok(&mut plan, "a", "1"),
        }
        decided(&mut plan);
        plan.time_out("p");
        let ends = decided(&mut plan).join(", ");
        assert!(ends.starts_with(end) && ends.ends_with("stop b"), "{join:?}: {ends}");
        let outcome = plan.outcome("p").unwrap();
        assert_eq!(outcome.content.text(), output_text);
        // Its time is over once.
        plan.time_out("p");
        assert_eq!(decided(&mut plan), [""; 0]);
    }
}

/// A log, and a person, read which item a call is about.
#[test]
fn block_instances_name_their_item() {
    let long = "x".repeat(300);
    let mut plan = Plan::new();
    plan.preset("items", Json::parse(&format!(r#"["a.txt",{{"n":1}},"{long}"]"#)).unwrap());
    let each = "each".to_owned();
    plan.open_block(ControlBlock::new(
        each,
        ControlKind::ForEach {
            items: "items".to_owned(),
            item: "f".to_owned(),
            index: Some("i".to_owned()),
            max_parallel: 5,
            limit: 100,
            on_error: OnError::Skip,
        },
    ));
    let call = r#"{"name":"read","args":{"file":"$f","n":"no $i of $later, $$i"}}"#;
    let call = silcrow_event::Call::parse("read", call).unwrap();
    plan.push(call.with_action(ActionAttributes::default()));
    plan.close_block();
    let mut told = Vec::new();
    while let Some(update) = plan.next_update() {
        if let silcrow_plan::PlanUpdate::Instance(call) = update {
            told.push(call.args().to_owned());
        }
    }
    assert_eq!(
        told,
        [
            r#"{"file":"a.txt","n":"no 0 of $later, $i"}"#,
            r#"{"file":{"n":1},"n":"no 1 of $later, $i"}"#,
            r#"{"file":"$f","n":"no 2 of $later, $i"}"#,
        ]
    );
}
