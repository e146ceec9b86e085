use super::super::signs::LineSigns;
use super::*;
use silcrow_event::Money;
use silcrow_policy::PermissionMode;

#[tokio::test(start_paused = true)]
async fn silence_after_an_answer_means_summarizing() {
    let mut status = RunStatus::new("m", None, StatusParts::default());
    let shown = |status: &RunStatus| {
        status.line(rest(WaitReason::Model, None), &LineSigns::UNICODE).text().to_owned()
    };
    tokio::time::advance(Duration::from_secs(12)).await;
    assert!(shown(&status).contains("the model is silent for 12 s"), "{}", shown(&status));
    status.set_answered(true);
    assert!(shown(&status).contains("summarizes older messages, 12 s"), "{}", shown(&status));
}

#[tokio::test(start_paused = true)]
async fn pending_retry_is_shown_at_once() {
    let status = RunStatus::new("m", None, StatusParts::default());
    let pause = Some("rate limit, again in 14 s (2 of 3)".to_owned());
    let shown = status.line(rest(WaitReason::Model, pause.clone()), &LineSigns::UNICODE);
    assert!(shown.text().contains("rate limit, again in 14 s (2 of 3)"), "{}", shown.text());
    let shown = status.line(rest(WaitReason::Person, pause), &LineSigns::UNICODE);
    assert!(shown.text().contains("waits for your answer"), "{}", shown.text());
}

#[tokio::test(start_paused = true)]
async fn known_cost_and_window_are_shown() {
    let usage = Usage { input: 24_000, output: 100, ..Usage::default() };
    let [input, output, cached] = [1_250_000, 10_000_000, 125_000].map(Money::from_micros);
    let price = ModelPrice { input, output, cached, cache_written: None };
    let mut known = RunStatus::new("m", Some(price), StatusParts::default());
    known.set_usage(usage);
    known.set_window(24_000, Some(200_000));
    let line = known.line(rest(WaitReason::Model, None), &LineSigns::UNICODE);
    assert_eq!(line.text(), "· m · 0 s · 24.0k in, 100 out · $0.03 · 12 % of 200k · Esc stops");
    let mut unknown = RunStatus::new("m", None, StatusParts::default());
    unknown.set_usage(usage);
    unknown.set_window(24_000, None);
    let line = unknown.line(rest(WaitReason::Model, None), &LineSigns::UNICODE);
    assert_eq!(line.text(), "· m · 0 s · 24.0k in, 100 out · Esc stops");
}

#[tokio::test(start_paused = true)]
async fn a_person_chooses_the_parts_and_their_order() {
    let parts = [StatusPart::Branch, StatusPart::Agents, StatusPart::Todo, StatusPart::Model];
    let mut status = RunStatus::new("m", None, StatusParts::new(parts));
    let branch = Box::new(|| Some("topic".to_owned()));
    status.set_place(ShownPlace { folder: "~/work".to_owned(), branch });
    status.begin("m");
    let todo = Some("todo: 1 of 3 done".to_owned());
    let busy = StatusRest { todo, agents: 2, ..rest(WaitReason::Calls, None) };
    let line = status.line(busy, &LineSigns::UNICODE);
    assert_eq!(line.text(), "· topic · 2 agents · todo: 1 of 3 done · m · Esc stops");
}

#[tokio::test(start_paused = true)]
async fn a_sandbox_that_is_off_is_always_named() {
    let mut status = RunStatus::new("m", None, StatusParts::new([StatusPart::Model]));
    let walls = |is_sandbox_off| ShownWalls { mode: PermissionMode::Ask, is_sandbox_off };
    status.set_walls(Some(walls(false)));
    let line = status.line(rest(WaitReason::Calls, None), &LineSigns::UNICODE);
    assert_eq!(line.text(), "· m · Esc stops");
    status.set_walls(Some(walls(true)));
    let line = status.line(rest(WaitReason::Calls, None), &LineSigns::UNICODE);
    assert_eq!(line.text(), "· sandbox off · m · Esc stops");
}

fn rest(waits: WaitReason, pause: Option<String>) -> StatusRest {
    StatusRest { waits, pause, todo: None, agents: 0 }
}
