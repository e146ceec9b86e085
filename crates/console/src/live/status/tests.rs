use super::super::signs::LineSigns;
use super::*;

#[tokio::test(start_paused = true)]
async fn a_silent_model_that_has_answered_writes_a_summary() {
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
async fn a_request_that_waits_to_be_repeated_is_named_at_once() {
    let status = RunStatus::new("m", None);
    let pause = Some("rate limit, again in 14 s (2 of 3)".to_owned());
    let shown = status.line(WaitReason::Model, pause.clone(), &LineSigns::UNICODE);
    assert!(shown.text().contains("rate limit, again in 14 s (2 of 3)"), "{}", shown.text());
    let shown = status.line(WaitReason::Person, pause, &LineSigns::UNICODE);
    assert!(shown.text().contains("waits for your answer"), "{}", shown.text());
}
