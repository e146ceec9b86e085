use super::super::signs::LineSigns;
use super::*;

#[tokio::test(start_paused = true)]
async fn a_silent_model_that_has_answered_writes_a_summary() {
    let mut status = RunStatus::new("m", None);
    let shown =
        |status: &RunStatus| status.line(WaitReason::Model, &LineSigns::UNICODE).text().to_owned();
    tokio::time::advance(Duration::from_secs(12)).await;
    assert!(shown(&status).contains("the model is silent for 12 s"), "{}", shown(&status));
    status.set_answered(true);
    assert!(shown(&status).contains("summarizes older messages, 12 s"), "{}", shown(&status));
}
