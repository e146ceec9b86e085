//! Summaries that the model still writes when its run has answered.

use std::sync::Arc;
use std::time::Duration;

use silcrow_agent::{RunOutcome, StreamOptions};
use silcrow_event::{Event, RunEvent};
use silcrow_tool::{CancellationToken, Scope};
use tokio::time::Instant;

use crate::gated::{ANSWER, GatedTalk, NOTES};

#[tokio::test(start_paused = true)]
async fn answer_is_shown_before_the_summary() {
    let talk = GatedTalk::new(75, &[ANSWER, ANSWER]).await;
    let (model, mut shown) = (Arc::clone(&talk.model), Vec::new());
    let ended = talk.run(Scope::new("c"), |entry| {
        shown.push(entry.event.type_name());
        if let Event::Respond(_) = entry.event {
            assert_eq!(model.gate.available_permits(), 0);
            model.gate.add_permits(1);
        }
    });
    assert_eq!(ended.await.unwrap(), RunOutcome::Answered);
    shown.retain(|name| *name != "metric");
    assert_eq!(shown, ["user", "respond", "summary", "end"]);
    assert_eq!(talk.model.kinds(), ["step", "summary"]);
    // The next run has it, and pays for no other.
    assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
    assert_eq!(talk.model.kinds(), ["step", "summary", "step"]);
    assert!(talk.model.steps()[1].contains(NOTES));
}

#[tokio::test(start_paused = true)]
async fn run_awaits_summary_half_a_minute_at_most() {
    let talk = GatedTalk::new(75, &[ANSWER]).await;
    let started = Instant::now();
    assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
    let waited = started.elapsed();
    assert!((30..35).contains(&waited.as_secs()), "{waited:?}");
    assert_eq!((talk.model.open(), talk.summaries().await.len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn stop_after_answer_drops_only_the_summary() {
    let talk = GatedTalk::new(75, &[ANSWER]).await;
    let cancel = CancellationToken::new();
    let started = Instant::now();
    let scope = Scope::new("c").with_cancellation(cancel.clone());
    // The metric of the step follows the whole answer.
    let ended = talk.run(scope, |entry| {
        if let Event::Metric(_) = entry.event {
            cancel.cancel();
        }
    });
    assert_eq!(ended.await.unwrap(), RunOutcome::Answered);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!((talk.model.kinds(), talk.model.open()), (vec!["step", "summary"], 0));
    let last = talk.stored().await.pop().unwrap();
    assert!(matches!(last.event, Event::Respond(_)), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn message_after_answer_does_not_await_summary() {
    let talk = GatedTalk::new(75, &[ANSWER, "§respond: two\n§end"]).await;
    let mut run = talk.agent.stream_with("c", "one", StreamOptions::default());
    let handle = run.handle();
    let mut answers = 0;
    while let Some(event) = run.next().await {
        let RunEvent::Entry(entry) = event else { continue };
        match entry.event {
            Event::Metric(_) if answers == 1 && talk.model.kinds().len() == 2 => {
                handle.steer("and now?").await.unwrap();
            }
            Event::Respond(_) => {
                answers += 1;
                talk.model.gate.add_permits(answers - 1);
            }
            _ => {}
        }
    }
    assert_eq!(run.answer().await.unwrap().text, "two");
    assert_eq!(talk.model.kinds(), ["step", "summary", "step"]);
    assert!(talk.model.steps()[1].contains("and now?"));
    assert_eq!(talk.summaries().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn child_run_does_not_await_summary() {
    let talk = GatedTalk::new(75, &[ANSWER]).await;
    let mut scope = Scope::new("c");
    scope.agent_path.push("helper".to_owned());
    let started = Instant::now();
    assert_eq!(talk.run(scope, |_| {}).await.unwrap(), RunOutcome::Answered);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!((talk.model.kinds(), talk.model.open()), (vec!["step", "summary"], 0));
}
