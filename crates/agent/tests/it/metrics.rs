//! The usage of steps and runs: reported by the vendor, measured, or estimated.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ConnectionMode};
use silcrow_event::{Event, Metric, Usage};
use silcrow_provider::{
    Delta, DeltaStream, Error, ErrorKind, FinishReason, OpeningSession, Provider, Request,
};
use silcrow_store::MemoryStore;
use silcrow_tool::CancellationToken;
use tokio::time::sleep;

use crate::models::model;
use crate::support::{echo, run, toolbox, with};

/// The deltas of an answer, each after so many seconds.
type Paced = Vec<(u64, Result<Delta, Error>)>;

fn paced_model(answers: impl Into<VecDeque<Paced>>) -> impl Provider {
    let answers = Mutex::new(answers.into());
    model(move |_| {
        let answer = answers.lock().unwrap().pop_front().expect("an answer");
        let paced = stream::iter(answer).then(|(seconds, item)| async move {
            sleep(Duration::from_secs(seconds)).await;
            item
        });
        paced.boxed()
    })
}

fn text(seconds: u64, text: &str) -> (u64, Result<Delta, Error>) {
    (seconds, Ok(Delta::Text(text.to_owned())))
}

fn usage(input: u64, output: u64, sent: u64) -> (u64, Result<Delta, Error>) {
    (0, Ok(Delta::Usage(Usage { input, output, sent_bytes: sent, ..Usage::default() })))
}

const fn done() -> (u64, Result<Delta, Error>) {
    (0, Ok(Delta::Done(FinishReason::Stop)))
}

/// The metrics of a run with these answers.
async fn metrics<const N: usize>(answers: [Paced; N]) -> Vec<Metric> {
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(paced_model(answers), Arc::clone(&store))
        .with_tools(toolbox([with(echo("echo"))]));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    let metric = |entry: &silcrow_event::Entry| match &entry.event {
        Event::Metric(metric) => Some(metric.clone()),
        _ => None,
    };
    ran.shown.iter().filter_map(metric).collect()
}

const CALL: &str = "§call: {\"name\":\"echo\",\"args\":{}}\n§execute\n";

#[tokio::test(start_paused = true)]
async fn run_usage_is_the_sum_of_steps() {
    let calls = vec![text(2, CALL), usage(70, 30, 500), done()];
    let answers = vec![text(1, "§respond: hi"), text(4, " you\n§end"), usage(90, 5, 600), done()];
    let metrics = metrics([calls, answers]).await;
    let seconds = Duration::from_secs;
    let first = Usage {
        input: 70,
        output: 30,
        sent_bytes: 500,
        time_to_first_delta: seconds(2),
        duration: seconds(2),
        ..Usage::default()
    };
    let second = Usage {
        input: 90,
        output: 5,
        sent_bytes: 600,
        time_to_first_delta: seconds(1),
        duration: seconds(5),
        ..Usage::default()
    };
    assert_eq!(metrics.iter().map(|metric| metric.step).collect::<Vec<_>>(), [first, second]);
    assert_eq!(metrics[1].total, first + second);
}

#[tokio::test(start_paused = true)]
async fn unreported_usage_is_estimated_and_marked() {
    let thought = (0, Ok(Delta::Reasoning("now I see what it is".to_owned())));
    let said = "§respond: hello there\n§end";
    for (answer, output, reasoning, reads) in [
        // Nothing is reported, so the thought and the text are estimated.
        (vec![thought, text(0, said), done()], 12, 4, true),
        // Only the bytes are reported.
        (
            vec![text(0, "§respond: hello"), usage(0, 0, 9), text(0, " there\n§end"), done()],
            8,
            0,
            true,
        ),
        // A report in the middle and no other after it, as in an answer that was stopped.
        (
            vec![
                text(0, "§respond: hello"),
                usage(50, 3, 9),
                text(0, " there\n§end"),
                (0, Err(Error::new(ErrorKind::Malformed, "no"))),
            ],
            7,
            0,
            false,
        ),
        // A report without the read tokens.
        (vec![text(0, said), usage(0, 7, 9), done()], 7, 0, true),
    ] {
        let [ref metric] = metrics([answer]).await[..] else { panic!("one step") };
        assert!(metric.step.estimated && metric.total.estimated);
        assert_eq!((metric.step.output, metric.step.reasoning), (output, reasoning));
        // The instructions are long.
        assert_eq!((metric.step.input > 300, metric.step.input == 50), (reads, !reads));
    }
}

#[tokio::test(start_paused = true)]
async fn failed_request_counts_only_sent_bytes() {
    let refused = Error::new(ErrorKind::Refused, "no").with_sent(500);
    let [ref metric] = metrics([vec![(3, Err(refused))]]).await[..] else { panic!("one step") };
    assert_eq!(
        metric.step,
        Usage { sent_bytes: 500, duration: Duration::from_secs(3), ..Usage::default() }
    );
}

/// A model whose sessions do not open.
struct Closed;

impl Provider for Closed {
    fn name(&self) -> &str {
        "closed"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        panic!("not in this mode")
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        Some(async { Err(Error::new(ErrorKind::Refused, "no").with_sent(500)) }.boxed())
    }
}

#[tokio::test(start_paused = true)]
async fn unopened_session_counts_sent_bytes() {
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(Closed, Arc::clone(&store)).with_mode(ConnectionMode::Resume);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert!(ran.ended.is_err());
    let metric = |entry: &silcrow_event::Entry| match &entry.event {
        Event::Metric(metric) => Some(metric.total.sent_bytes),
        _ => None,
    };
    assert_eq!(ran.shown.iter().filter_map(metric).collect::<Vec<_>>(), [500]);
}

/// Returns a model whose report comes some milliseconds after the part of its answer that is read;
/// then the stream hangs.
fn late_report(answers: [(&'static str, u64); 2]) -> impl Provider {
    let answers = Mutex::new(VecDeque::from(answers));
    model(move |_| {
        let (text, late) = answers.lock().unwrap().pop_front().expect("an answer");
        let report = async move {
            sleep(Duration::from_millis(late)).await;
            Ok(Delta::Usage(Usage { input: 70, output: 30, ..Usage::default() }))
        };
        stream::iter([Ok(Delta::Text(text.to_owned()))])
            .chain(stream::once(report))
            .chain(stream::pending())
            .boxed()
    })
}

#[tokio::test(start_paused = true)]
async fn late_usage_report_is_awaited_at_run_end() {
    const END: &str = "§respond: so\n§end\n";
    // A call that takes so long, and when the first and the second report come: how many steps are
    // reported, and how long the run takes.
    for (call, first, second, reported, took) in [
        (600, 500, 900, 2, 600 + 1_000),
        (600, 650, 900, 1, 600 + 1_000),
        (0, 50, 900, 2, 100 + 1_000),
        (0, 500, 900, 1, 100 + 1_000),
        (2_000, 1_500, 1_500, 0, 2_000 + 1_000),
    ] {
        let store = Arc::new(MemoryStore::new());
        let started = tokio::time::Instant::now();
        let begun = Arc::new(Mutex::new(None));
        let at = Arc::clone(&begun);
        let slow = crate::support::tool("echo", move |_, _| {
            *at.lock().unwrap() = Some(started.elapsed());
            async move {
                sleep(Duration::from_millis(call)).await;
                Ok(silcrow_tool::ToolOutput::new("done", "done"))
            }
            .boxed()
        });
        let model = late_report([(CALL, first), (END, second)]);
        let agent = Agent::new(model, Arc::clone(&store)).with_tools(toolbox([with(slow)]));
        let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
        assert!(ran.ended.is_ok());
        let metrics = ran.shown.iter().filter(
            |entry| matches!(&entry.event, Event::Metric(metric) if metric.step.output == 30),
        );
        assert_eq!(metrics.count(), reported, "{call} {first} {second}");
        // The tool never waits.
        assert_eq!(begun.lock().unwrap().unwrap(), Duration::ZERO);
        let took_at_most = Duration::from_millis(took + 5);
        assert!(
            started.elapsed() <= took_at_most,
            "{call} {first} {second}: {:?}",
            started.elapsed()
        );
    }
}
