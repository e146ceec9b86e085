//! The bytes that replay and resume send, counted at the socket.
//!
//! `docs/records/2026-11-29-run-costs.md` has the table.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::{Agent, ConnectionMode, RunOutcome};
use silcrow_event::{Event, RunEventRef, Usage};
use silcrow_store::MemoryStore;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput as Given, Toolbox};
use silcrow_vendors::{ApiKey, Responses};

mod server;

use server::{Asked, Counted, Server, Way};

/// Gives so many bytes.
struct Reads(usize);

impl Tool for Reads {
    fn name(&self) -> &str {
        "read"
    }

    fn description(&self) -> &str {
        "Reads."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Given, ToolError>> {
        async { Ok(Given::new("read", "x".repeat(self.0))) }.boxed()
    }
}

/// A run of so many turns with a call each, and one more for the answer.
async fn run(mode: ConnectionMode, turns: usize, prompt: usize, output: usize) -> (Counted, Usage) {
    let way = if mode == ConnectionMode::Replay { Way::Requests } else { Way::Socket };
    let server = Server::start(way, turns).await;
    let model = Responses::new("m", ApiKey::new("sk-1", "KEY")).unwrap().with_base(&server.url());
    let mut tools = Toolbox::new();
    tools.add(Reads(output)).unwrap();
    let agent = Agent::new(model.unwrap(), Arc::new(MemoryStore::new())).with_tools(tools);
    // The last step that is allowed would learn so.
    let agent = agent.with_mode(mode).with_max_steps(turns as u32 + 2);
    let mut total = Usage::default();
    let mut show = |output: RunEventRef<'_>| {
        if let RunEventRef::Entry(entry) = output
            && let Event::Metric(metric) = &entry.event
        {
            total = metric.total;
        }
    };
    let ended = agent.run("c", &"p".repeat(prompt), &mut show).await;
    assert_eq!(ended.unwrap(), RunOutcome::Answered);
    let counted = server.counted();
    assert_eq!((counted.asked.len(), counted.connections), (turns + 1, 1));
    // Every byte that the server received is in the metrics, and no other.
    assert_eq!(total.sent_bytes, sum(&counted.asked));
    (counted, total)
}

fn sum(asked: &[Asked]) -> u64 {
    asked.iter().map(|asked| asked.bytes).sum()
}

/// The table of the seeds: a start that is twice as long as the addition of a turn; each turn sends
/// the start and all turns so far, or the start is sent once and each turn once.
fn seeds(turns: usize) -> f64 {
    let n = turns as f64;
    (2.0 * n + n * (n + 1.0) / 2.0) / (2.0 + n)
}

#[test]
fn published_table_follows_from_its_assumptions() {
    let shown = [8, 16, 32].map(|turns| format!("{:.1}", seeds(turns)));
    assert_eq!(shown, ["5.2", "9.3", "17.4"]);
}

/// This count has the request before the first call, which the seeds do not have. The rest is
/// frames.
#[tokio::test]
async fn measured_tokens_match_the_published_table() {
    // The costs of a start and of a turn beyond the prompt and the output.
    let (bare, _) = run(ConnectionMode::Replay, 1, 1, 1).await;
    let start = bare.asked[0].bytes as usize - 1;
    let call = (bare.asked[1].bytes - bare.asked[0].bytes) as usize - 1;
    for (turn, ratios, off) in [(40_000, [5.4, 9.4, 17.5], 0.002), (4_000, [5.4, 9.4, 17.4], 0.015)]
    {
        for (turns, expected) in [8, 16, 32].into_iter().zip(ratios) {
            let (prompt, output) = (2 * turn - start, turn - call);
            let (replay, _) = run(ConnectionMode::Replay, turns, prompt, output).await;
            let (resume, _) = run(ConnectionMode::Resume, turns, prompt, output).await;
            // A start, and one turn more each time, to the byte.
            for (number, asked) in replay.asked.iter().enumerate() {
                let ids = number.saturating_sub(9) as u64 * 2;
                let expected = (turn * (2 + number)) as u64;
                assert!((expected..=expected + ids).contains(&asked.bytes), "{number}: {asked:?}");
            }
            let without = sum(&replay.asked[1..]) as f64 / sum(&resume.asked) as f64;
            let ratio = replay.up as f64 / resume.up as f64;
            let row = format!(
                "{turn} bytes, {turns} turns: {} / {} = {ratio:.2}, without it {without:.2}, \
                 seeds {:.2}",
                replay.up,
                resume.up,
                seeds(turns),
            );
            assert!((ratio / expected - 1.0).abs() < 0.02, "{row}");
            assert!((without / seeds(turns) - 1.0).abs() < off, "{row}");
            // Answers are as long either way.
            assert!(resume.down < replay.down && replay.down < resume.down * 6 / 5);
        }
    }
}
