//! Outputs and their names (P-26).

use silcrow_event::{ActionAttributes, CallEnd, CallMode, CallResult, Json, Truncation};
use silcrow_plan::{Plan, PlanDecision, PlanLimits, PlanUpdate};

use crate::play::{action, after, decided, failed, ok, using, why, with};

/// Returns the arguments of the next call that starts.
fn args(plan: &mut Plan) -> String {
    loop {
        match plan.decide().expect("a call starts") {
            PlanDecision::Start(ready) => return ready.args().to_owned(),
            _ => continue,
        }
    }
}

#[test]
fn name_is_key_id_or_unique_action() {
    let mut plan = Plan::new();
    let keyed = ActionAttributes { output_key: Some("page".to_owned()), ..after(&[]) };
    plan.push(with("fetch", "{}", keyed));
    plan.push(using("use1", r#"{"a":"$page"}"#));
    plan.push(using("use2", r#"{"a":"$fetch"}"#));
    decided(&mut plan);
    ok(&mut plan, "fetch", r#"{"b":1}"#);
    let ended = PlanUpdate::End { id: "fetch".to_owned(), how: CallEnd::Ok };
    assert_eq!(plan.next_update(), Some(ended));
    let bound =
        PlanUpdate::Bind { name: "page".to_owned(), value: Json::parse(r#"{"b":1}"#).unwrap() };
    assert_eq!(plan.next_update(), Some(bound));
    assert_eq!(args(&mut plan), r#"{"a":{"b":1}}"#);
    assert_eq!(args(&mut plan), r#"{"a":{"b":1}}"#);
}

#[test]
fn ambiguous_action_name_binds_nothing() {
    let call = |id: &str| {
        let content = r#"{"name":"tool","args":{"a":"$tool"}}"#;
        silcrow_event::Call::parse(id, content).unwrap().with_action(after(&[]))
    };
    let mut plan = Plan::new();
    plan.push(call("a"));
    assert_eq!(decided(&mut plan), ["unbound tool in a", "start a"]);
    // The name means the only call of that name so far.
    plan.push(call("b"));
    assert_eq!(decided(&mut plan), [""; 0]);
    plan.push(call("c"));
    assert_eq!(decided(&mut plan), ["unbound tool in c", "start c"]);
}

#[test]
fn the_last_binding_before_the_use_wins() {
    let keyed =
        |id| with(id, "{}", ActionAttributes { output_key: Some("x".to_owned()), ..after(&[]) });
    let mut plan = Plan::new();
    plan.push(keyed("a"));
    plan.push(using("use1", r#"{"v":"$x"}"#));
    plan.push(keyed("b"));
    plan.push(using("use2", r#"{"v":"$x"}"#));
    assert_eq!(decided(&mut plan), ["start a", "start b"]);
    ok(&mut plan, "b", "2");
    assert_eq!(args(&mut plan), r#"{"v":2}"#);
    ok(&mut plan, "a", "1");
    assert_eq!(args(&mut plan), r#"{"v":1}"#);
}

#[test]
fn key_wins_over_id_and_preset_is_key() {
    let mut plan = Plan::new();
    plan.preset("x", Json::string("given"));
    plan.preset("longest_name", Json::string("given"));
    plan.push(using("x", "{}"));
    plan.push(using("use", r#"{"v":"<$x>"}"#));
    decided(&mut plan);
    let mut plan = Plan::new();
    plan.preset("x", Json::string("given"));
    plan.push(using("use", r#"{"v":"<$x>"}"#));
    assert_eq!(args(&mut plan), r#"{"v":"<given>"}"#);
}

#[test]
fn user_of_failed_output_is_skipped() {
    let mut plan = Plan::new();
    plan.push(using("a", "{}"));
    plan.push(using("b", r#"{"v":["$a"]}"#));
    decided(&mut plan);
    failed(&mut plan, "a");
    assert_eq!(decided(&mut plan), ["failed a", "skipped b"]);
}

#[test]
fn unbound_names_stay() {
    let mut plan = Plan::new();
    plan.push(using("a", r#"{"v":"echo $HOME"}"#));
    assert_eq!(decided(&mut plan), ["unbound HOME in a", "start a"]);
    // A later binding changes nothing, and a call in the background binds nothing.
    plan.push(action("HOME", CallMode::FireAndForget, &[]));
    plan.push(using("b", r#"{"v":"$HOME"}"#));
    assert_eq!(decided(&mut plan), ["unbound HOME in b", "start HOME", "start b"]);
}

#[test]
fn batch_calls_have_no_names() {
    let mut plan = Plan::new();
    plan.preset("x", Json::string("given"));
    let content = r#"{"name":"t","args":{"v":"$x $$x"}}"#;
    plan.push(silcrow_event::Call::parse("a1", content).unwrap());
    plan.reach_execution_point();
    assert_eq!(args(&mut plan), r#"{"v":"$x $$x"}"#);
}

#[test]
fn arguments_do_not_grow_without_bounds() {
    let mut plan = Plan::with_limits(PlanLimits { max_args_bytes: 20, ..PlanLimits::default() });
    plan.preset("x", Json::string("0123456789"));
    plan.push(using("a", r#"{"v":"$x$x$x"}"#));
    assert_eq!(decided(&mut plan), ["failed a"]);
    assert!(why(&plan, "a").contains("longer than 20 bytes"));
}

/// A name is replaced by one text, so the fields of a result become a line of it.
#[test]
fn name_of_incomplete_output_says_so() {
    for (cut, stands_for) in [
        (
            Truncation::default().with_omitted_bytes(8).with_tail("4"),
            "one\\n[8 bytes are left out here]\\n4",
        ),
        (Truncation::default().with_omitted_lines(1), "one\\n[1 line is left out here]"),
    ] {
        let mut plan = Plan::new();
        plan.push(using("a", "{}"));
        plan.push(using("b", r#"{"text":"$a"}"#));
        decided(&mut plan);
        let outcome = CallResult::success("a", "a", "", "one").with_truncation(cut);
        plan.finish("a", outcome.with_notices(vec!["not in it".to_owned()]));
        assert_eq!(args(&mut plan), format!(r#"{{"text":"{stands_for}"}}"#));
    }
}
