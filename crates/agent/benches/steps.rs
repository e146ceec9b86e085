//! The time of a run by the number of its steps. Each step makes a call and reads its result.
//!
//! `cargo bench -p silcrow-agent`; `docs/measurements.md` has the figures.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, RunOutcome};
use silcrow_exec::{BudgetLimits, CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use silcrow_store::MemoryStore;

fn main() {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    println!("{:>8} {:>10} {:>14}", "steps", "seconds", "µs a step");
    for steps in [500, 1_000, 2_000, 4_000] {
        let begun = Instant::now();
        runtime.block_on(run(steps));
        let seconds = begun.elapsed().as_secs_f64();
        println!("{steps:>8} {seconds:>10.2} {:>14.0}", seconds * 1e6 / f64::from(steps));
    }
}

/// Runs an agent whose model calls a tool in every step except the last.
async fn run(steps: u32) {
    let limits = BudgetLimits { requests: steps + 1, ..BudgetLimits::default() };
    let agent = Agent::new(CallingModel { left: AtomicU32::new(steps) }, MemoryStore::new())
        .with_tool(LineTool)
        .unwrap()
        .with_max_steps(steps + 1)
        .with_budget(limits);
    let outcome = agent.run("c", "Read the file line by line.", &mut |_| {}).await;
    assert_eq!(outcome.unwrap(), RunOutcome::Answered);
}

/// A model that calls the tool until no step is left, and then answers.
struct CallingModel {
    left: AtomicU32,
}

impl Provider for CallingModel {
    fn name(&self) -> &str {
        "calling"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let left = self.left.fetch_sub(1, Ordering::Relaxed);
        let text = match left {
            1 => "§respond: All lines are read.\n§end".to_owned(),
            _ => format!(
                "§think: The next line is needed.\n\
                 §call: {{\"name\": \"line\", \"args\": {{\"number\": {left}}}}}\n§execute\n"
            ),
        };
        stream::iter([Ok(Delta::Text(text)), Ok(Delta::Done(FinishReason::Stop))]).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// A tool that returns a line of text.
struct LineTool;

impl Tool for LineTool {
    fn name(&self) -> &str {
        "line"
    }

    fn description(&self) -> &str {
        "Reads one line."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { read_only: true, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let line = "A line of about eighty characters, as one finds them in the middle of a file.";
        async move { Ok(ToolOutput::new("1 line", line)) }.boxed()
    }
}
