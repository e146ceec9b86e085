use super::super::signs::LineSigns;
use super::*;
use silcrow_event::Money;

#[tokio::test(start_paused = true)]
async fn silence_after_an_answer_means_summarizing() {
    let mut status = RunStatus::new("m", None);
    let shown = |status: &RunStatus| {
        status.line(WaitReason::Model, None, &LineSigns::UNICODE).text().to_owned()
    };
    tokio::time::advance(Duration::from_secs(12)).await;
    assert!(shown(&status).contains("the model is silent for 12 s"), "{}", shown(&status));
    status.set_answered(true);
    assert!(shown(&status).contains("summarizes older messages, 12 s"), "{}", shown(&status));
}

#[tokio::test(start_paused = true)]
async fn pending_retry_is_shown_at_once() {
    let status = RunStatus::new("m", None);
    let pause = Some("rate limit, again in 14 s (2 of 3)".to_owned());
    let shown = status.line(WaitReason::Model, pause.clone(), &LineSigns::UNICODE);
    assert!(shown.text().contains("rate limit, again in 14 s (2 of 3)"), "{}", shown.text());
    let shown = status.line(WaitReason::Person, pause, &LineSigns::UNICODE);
    assert!(shown.text().contains("waits for your answer"), "{}", shown.text());
}

#[tokio::test(start_paused = true)]
async fn known_cost_and_window_are_shown() {
    let usage = Usage { input: 24_000, output: 100, ..Usage::default() };
    let [input, output, cached] = [1_250_000, 10_000_000, 125_000].map(Money::from_micros);
    let price = ModelPrice { input, output, cached, cache_written: None };
    let mut known = RunStatus::new("m", Some(price));
    known.set_usage(usage);
    known.set_window(24_000, Some(200_000));
    let line = known.line(WaitReason::Model, None, &LineSigns::UNICODE);
    assert_eq!(line.text(), "· m · 0 s · 24.0k in, 100 out · $0.03 · 12 % of 200k · Esc stops");
    let mut unknown = RunStatus::new("m", None);
    unknown.set_usage(usage);
    unknown.set_window(24_000, None);
    let line = unknown.line(WaitReason::Model, None, &LineSigns::UNICODE);
    assert_eq!(line.text(), "· m · 0 s · 24.0k in, 100 out · Esc stops");
}
