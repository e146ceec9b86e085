//! Summaries that the model writes beside the steps of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use futures_util::FutureExt as _;
use silcrow_agent::{ConnectionMode, ErrorKind, RunOutcome};
use silcrow_event::{ContextSummary, Event, SpendingLimit, SummaryAuthor};
use silcrow_exec::{BudgetLimits, BudgetResource, SpendingLimits};
use silcrow_tool::{CancellationToken, Scope};
use tokio::time::{Instant, sleep};

use crate::gated::{ANSWER, CALL, GatedTalk, NOTES, append, seen};

/// Runs a conversation with this tool, which gets the number of its call.
async fn talk<F>(percent: u64, answers: &[&'static str], look: F) -> GatedTalk
where
    F: Fn(&GatedTalk, usize) -> crate::support::Doing + Send + Sync + 'static,
{
    let talk = GatedTalk::new(percent, answers).await;
    let inner = GatedTalk {
        model: Arc::clone(&talk.model),
        store: Arc::clone(&talk.store),
        agent: talk.agent.clone(),
    };
    let calls = AtomicUsize::new(0);
    talk.with_look(move |_| look(&inner, calls.fetch_add(1, SeqCst)))
}

#[tokio::test(start_paused = true)]
async fn steps_are_sent_while_summary_is_written() {
    let talk = talk(75, &[CALL, CALL, ANSWER], |talk, number| {
        let model = Arc::clone(&talk.model);
        async move {
            // The second step was made without it.
            if number == 1 {
                model.write_summary().await;
            }
            Ok(seen(10))
        }
        .boxed()
    });
    let talk = talk.await;
    let before = talk.stored().await.last().unwrap().turn.unwrap();
    assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
    assert_eq!(talk.model.kinds(), ["step", "summary", "step", "step"]);
    let has_notes: Vec<_> = talk.model.steps().iter().map(|text| text.contains(NOTES)).collect();
    assert_eq!(has_notes, [false, false, true]);
    // It is stored between two steps, and replaces nothing of the run.
    let summaries = talk.summaries().await;
    let [(turn, summary)] = &summaries[..] else { panic!("{summaries:?}") };
    assert_eq!((*turn, summary.author), (Some(before + 3), SummaryAuthor::Model));
    let last = &talk.model.steps()[2];
    assert_eq!((last.matches(CALL).count(), last.matches("looked").count()), (2, 2));
    assert!(talk.stored().await[summary.until as usize].turn.unwrap() <= before);
}

#[tokio::test(start_paused = true)]
async fn session_stays_open_while_summary_is_written() {
    let talk = talk(75, &[CALL, CALL, ANSWER], |talk, number| {
        let model = Arc::clone(&talk.model);
        async move {
            if number == 1 {
                assert_eq!(model.sessions.load(SeqCst), 1);
                model.write_summary().await;
            }
            Ok(seen(10))
        }
        .boxed()
    });
    let mut talk = talk.await;
    talk.agent = talk.agent.with_mode(ConnectionMode::Resume);
    assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
    assert_eq!(talk.model.kinds(), ["step", "summary", "step", "step"]);
    // A session cannot forget, so another one gets the shorter context.
    assert_eq!(talk.model.sessions.load(SeqCst), 2);
    let has_notes: Vec<_> = talk.model.steps().iter().map(|text| text.contains(NOTES)).collect();
    assert_eq!(has_notes, [false, false, true]);
}

#[tokio::test(start_paused = true)]
async fn nearly_full_window_awaits_summary() {
    // One result alone would not fill it.
    let calls: &str = ("§call: {\"name\":\"look\"}\n".repeat(4) + "§execute\n").leak();
    let talk = talk(75, &[calls, ANSWER], |_, _| async { Ok(seen(1250)) }.boxed()).await;
    let opened = async {
        sleep(Duration::from_secs(9)).await;
        assert_eq!(talk.model.kinds(), ["step", "summary"]);
        talk.model.gate.add_permits(1);
    };
    let (ended, ()) = tokio::join!(talk.run(Scope::new("c"), |_| {}), opened);
    assert_eq!(ended.unwrap(), RunOutcome::Answered);
    assert_eq!(talk.model.kinds(), ["step", "summary", "step"]);
    assert!(talk.model.steps()[1].contains(NOTES));
}

#[tokio::test(start_paused = true)]
async fn nearly_full_window_awaits_summary_at_start() {
    let talk = GatedTalk::new(92, &[ANSWER]).await;
    let opened = async {
        sleep(Duration::from_secs(9)).await;
        assert_eq!(talk.model.kinds(), ["summary"]);
        talk.model.gate.add_permits(1);
    };
    let (ended, ()) = tokio::join!(talk.run(Scope::new("c"), |_| {}), opened);
    assert_eq!(ended.unwrap(), RunOutcome::Answered);
    assert_eq!(talk.model.kinds(), ["summary", "step"]);
    assert!(talk.model.steps()[0].contains(NOTES));
}

#[tokio::test(start_paused = true)]
async fn fast_growing_context_is_summarized_early() {
    let calls = "§call: {\"name\":\"look\"}\n".repeat(3) + "§execute\n";
    let mut answers = vec![&*calls.leak(); 12];
    answers.push(ANSWER);
    // Results that differ are not a repetition.
    let page = |number| async move { Ok(seen(1000 - number)) };
    let talk = talk(75, &answers, move |_, number| page(number).boxed()).await;
    talk.model.gate.add_permits(100);
    assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
    let turns: Vec<_> = talk.summaries().await.into_iter().map(|(turn, _)| turn).collect();
    assert!(turns.len() > 1, "{turns:?}");
    assert!(talk.model.most() < 6000, "{}", talk.model.most());
}

#[tokio::test(start_paused = true)]
async fn failed_concurrent_summary_falls_back_to_framework() {
    let talk = talk(75, &[CALL, ANSWER], |talk, _| {
        let model = Arc::clone(&talk.model);
        async move {
            model.fails.store(true, SeqCst);
            model.write_summary().await;
            Ok(seen(10))
        }
        .boxed()
    });
    let talk = talk.await;
    talk.model.fails.store(true, SeqCst);
    assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
    assert_eq!(talk.model.kinds(), ["step", "summary", "step"]);
    assert!(talk.model.steps()[1].contains("Older messages are left out"));
    let authors = talk.summaries().await.into_iter().map(|(_, summary)| summary.author);
    assert_eq!(Vec::from_iter(authors), [SummaryAuthor::Framework]);
}

#[tokio::test(start_paused = true)]
async fn stop_ends_the_concurrent_summary() {
    let cancel = CancellationToken::new();
    let stops = cancel.clone();
    let talk = talk(75, &[CALL, ANSWER], move |_, _| {
        stops.cancel();
        std::future::pending().boxed()
    });
    let talk = talk.await;
    let started = Instant::now();
    let ended = talk.run(Scope::new("c").with_cancellation(cancel), |_| {}).await;
    assert_eq!(ended.unwrap(), RunOutcome::Interrupted);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!((talk.model.kinds(), talk.model.open()), (vec!["step", "summary"], 0));
    assert!(talk.summaries().await.is_empty());
    // The next run asks for it again.
    talk.model.gate.add_permits(1);
    assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
    assert_eq!(talk.summaries().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn persons_summary_replaces_the_models() {
    for is_undo in [false, true] {
        let talk = talk(75, &[CALL, ANSWER], move |talk, _| {
            let (model, store) = (Arc::clone(&talk.model), Arc::clone(&talk.store));
            async move {
                let content = "The person wrote this.".to_owned();
                let author = SummaryAuthor::Person;
                let written = ContextSummary { content, until: 4, author, ..Default::default() };
                let empty = ContextSummary { author, ..ContextSummary::default() };
                let summary = if is_undo { empty } else { written };
                append(&store, 1, [Event::Summary(summary)]).await;
                model.write_summary().await;
                Ok(seen(10))
            }
            .boxed()
        });
        let talk = talk.await;
        assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
        let authors = talk.summaries().await.into_iter().map(|(_, summary)| summary.author);
        assert_eq!(Vec::from_iter(authors), [SummaryAuthor::Person], "{is_undo}");
        let last = &talk.model.steps()[1];
        assert_eq!(last.contains("The person wrote this."), !is_undo);
        assert!(!last.contains(NOTES));
    }
}

#[tokio::test(start_paused = true)]
async fn summary_counts_as_one_request() {
    for (requests, kinds) in [(2, &["step", "step"][..]), (3, &["step", "summary", "step"])] {
        let talk = talk(75, &[CALL, ANSWER], |_, _| async { Ok(seen(10)) }.boxed()).await;
        talk.model.gate.add_permits(1);
        let limits = BudgetLimits { requests, ..BudgetLimits::default() };
        let agent = talk.agent.clone().with_budget(limits);
        let talk = GatedTalk { agent, ..talk };
        assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
        assert_eq!(talk.model.kinds(), kinds);
    }
}

#[tokio::test(start_paused = true)]
async fn unaffordable_summary_gives_way_to_the_step() {
    let talk = talk(75, &[CALL, ANSWER], |_, _| async { Ok(seen(10)) }.boxed()).await;
    let limit = SpendingLimit { tokens: Some(17_500), cost: None };
    let spending = SpendingLimits { run: limit, answer_tokens: 1000, ..SpendingLimits::default() };
    let limits = BudgetLimits { spending, ..BudgetLimits::default() };
    let agent = talk.agent.clone().with_budget(limits);
    let talk = GatedTalk { agent, ..talk };
    assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
    assert_eq!(talk.model.kinds(), ["step", "summary", "step"]);
    assert!(!talk.model.steps()[1].contains("budget"));
    assert!(talk.summaries().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn timeout_ends_run_and_summary() {
    let talk = talk(75, &[CALL, ANSWER], |_, _| std::future::pending().boxed()).await;
    let limits = BudgetLimits { time: Duration::from_secs(20), ..BudgetLimits::default() };
    let agent = talk.agent.clone().with_budget(limits);
    let talk = GatedTalk { agent, ..talk };
    let error = talk.run(Scope::new("c"), |_| {}).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget(BudgetResource::Time));
    assert_eq!((talk.model.open(), talk.summaries().await.len()), (0, 0));
}
