//! The time of a run by the number of its steps, with a context that grows with the log and with
//! one that reads the whole log at every step. Each step makes a call and reads its result.
//!
//! `cargo bench -p silcrow-agent`; `docs/records/2026-11-27-long-runs.md` has the figures. With
//! `--steps N` it makes one run with so many steps and prints nothing, so that its instructions
//! can be counted.

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, RunOutcome};
use silcrow_context::{ContextAssembler, ContextInput, FullHistory};
use silcrow_event::Message;
use silcrow_exec::BudgetLimits;
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use silcrow_store::MemoryStore;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};
use tokio::runtime::Runtime;

fn main() {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut args = std::env::args().skip_while(|arg| arg != "--steps").skip(1);
    if let Some(steps) = args.next() {
        runtime.block_on(run(steps.parse().expect("the steps are a number"), FullHistory));
        return;
    }
    say(&format!("{:>8} {:>12} {:>12}", "steps", "grows, s", "whole, s"));
    for steps in [500, 1_000, 2_000, 4_000] {
        let grows = seconds(&runtime, steps, FullHistory);
        let whole = seconds(&runtime, steps, RepeatedHistory);
        say(&format!("{steps:>8} {grows:>12.2} {whole:>12.2}"));
    }
}

/// Returns the seconds of a run with so many steps.
fn seconds(runtime: &Runtime, steps: u32, context: impl ContextAssembler + 'static) -> f64 {
    let begun = Instant::now();
    runtime.block_on(run(steps, context));
    begun.elapsed().as_secs_f64()
}

/// Runs an agent whose model calls a tool in every step except the last.
async fn run(steps: u32, context: impl ContextAssembler + 'static) {
    let limits = BudgetLimits { requests: steps + 1, ..BudgetLimits::default() };
    let agent = Agent::new(CallingModel { left: AtomicU32::new(steps) }, MemoryStore::new())
        .with_tool(LineTool)
        .unwrap()
        .with_context(context)
        .with_max_steps(steps + 1)
        .with_budget(limits);
    let outcome = agent.run("c", "Read the file line by line.", &mut |_| {}).await;
    assert_eq!(outcome.unwrap(), RunOutcome::Answered);
}

/// The default context, except that it reads the whole log at every step.
struct RepeatedHistory;

impl ContextAssembler for RepeatedHistory {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        FullHistory.assemble(input)
    }
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

fn say(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("stdout takes a line");
}
