//! The costs of planner and runner for a call, compared with bare tasks, and of two real processes
//! at the same time.
//!
//! `cargo bench -p silcrow-exec`; `docs/records/2026-11-21-calls.md` has the bars.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{ActionAttributes, Call, CallMode};
use silcrow_exec::{CallUpdate, Runner, RunnerLimits};
use silcrow_plan::{Plan, PlanDecision, PlanLimits};
use silcrow_tool::{
    ApprovalDecision, ApprovalNeed, ApprovalRequest, ApprovalScope, Approver, CallContext, DenyAll,
    Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy, Toolbox,
};
use tokio::task::JoinSet;

fn main() {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    for threads in [1, 2] {
        let mut runtime = match threads {
            1 => tokio::runtime::Builder::new_current_thread(),
            _ => tokio::runtime::Builder::new_multi_thread(),
        };
        let runtime = runtime.worker_threads(threads).enable_all().build().unwrap();
        say(&format!("{threads} threads"));
        runtime.block_on(async {
            beside("200 calls, 16 at once", 200, 16, Tell::Text).await;
            beside("200 actions, 16 at once", 200, 16, Tell::Actions).await;
            beside("10,000 calls in one turn, 16 at once", 10_000, 16, Tell::Text).await;
            beside("10,000 calls, all at once", 10_000, 10_000, Tell::Text).await;
            beside("10,000 actions, all at once", 10_000, 10_000, Tell::Actions).await;
            beside("10,000 calls, allowed before", 10_000, 16, Tell::Granted).await;
            beside("10,000 calls, each asked about", 10_000, 16, Tell::Asked).await;
            two_sleeps().await;
        });
    }
}

/// The kinds of calls in a turn.
#[derive(Clone, Copy, PartialEq)]
enum Tell {
    /// Of a batch.
    Text,
    /// Of the action dialect, which may start as they come.
    Actions,
    /// Of a batch, and need a yes that was given for the conversation.
    Granted,
    /// Of a batch, and somebody says yes to each.
    Asked,
}

/// The best of some rounds of a turn, beside as many bare tasks.
async fn beside(what: &str, calls: usize, parallel: usize, tell: Tell) {
    const ROUNDS: usize = 15;
    let (mut bare, mut ours) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        bare = bare.min(tasks(calls).await);
        ours = ours.min(turn(calls, parallel, tell).await);
    }
    let each = |all: Duration| all.as_secs_f64() * 1e6 / calls as f64;
    say(&format!(
        "  {what}: {:.2} µs a call, {:.1} ms together; {:.1} x a bare task ({:.2} µs)",
        each(ours),
        ours.as_secs_f64() * 1e3,
        each(ours) / each(bare),
        each(bare)
    ));
}

/// As many tasks, spawned and joined.
async fn tasks(count: usize) -> Duration {
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for n in 0..count {
        tasks.spawn(async move { n.to_string() });
    }
    while tasks.join_next().await.is_some() {}
    start.elapsed()
}

/// A turn from its complete calls to the last outcome.
async fn turn(count: usize, parallel: usize, tell: Tell) -> Duration {
    let name = if matches!(tell, Tell::Granted | Tell::Asked) { "careful" } else { "quick" };
    let calls: Vec<_> = (0..count)
        .map(|n| {
            let call = Call::parse(format!("a{n}"), format!(r#"{{"name":"{name}","args":{{}}}}"#));
            let action = ActionAttributes { mode: CallMode::Async, ..ActionAttributes::default() };
            if tell == Tell::Actions { call.unwrap().with_action(action) } else { call.unwrap() }
        })
        .collect();
    let mut tools = Toolbox::new();
    tools.add(Quick { name: "quick", asks: false }).unwrap();
    tools.add(Quick { name: "careful", asks: true }).unwrap();
    let approver: Arc<dyn Approver> =
        if tell == Tell::Asked { Arc::new(Yes) } else { Arc::new(DenyAll) };
    let settings = RunnerLimits {
        max_parallel: NonZeroUsize::new(parallel).unwrap(),
        ..RunnerLimits::default()
    };
    let mut runner = Runner::new(Arc::new(tools), approver).with_limits(settings);
    if tell == Tell::Granted {
        runner.grant(silcrow_event::CallKind::Tool, "careful", "{}");
    }
    let mut plan = Plan::with_limits(PlanLimits {
        max_parallel: parallel,
        max_calls: count,
        ..PlanLimits::default()
    });

    let start = Instant::now();
    for call in calls {
        plan.push(call);
        start_what_may(&mut plan, &mut runner);
    }
    plan.reach_execution_point();
    start_what_may(&mut plan, &mut runner);
    let mut ended = 0;
    while let Some(news) = runner.next().await {
        if let CallUpdate::Ended(end) = news {
            assert!(!end.outcome.payload.as_ref().unwrap().error, "{end:?}");
            plan.finish(&end.id, end.outcome);
            start_what_may(&mut plan, &mut runner);
            ended += 1;
        }
    }
    assert!(ended == count && plan.is_settled());
    start.elapsed()
}

fn start_what_may(plan: &mut Plan, runner: &mut Runner) {
    while let Some(decision) = plan.decide() {
        if let PlanDecision::Start(ready) = decision {
            runner.start(ready);
        }
    }
}

/// A tool that is done at once.
struct Quick {
    name: &'static str,
    asks: bool,
}

impl Tool for Quick {
    fn name(&self) -> &str {
        self.name
    }
    fn description(&self) -> &str {
        "Is done at once."
    }
    fn schema(&self) -> &str {
        r#"{"type":"object","additionalProperties":false}"#
    }
    fn policy(&self) -> ToolPolicy {
        ToolPolicy {
            approval: if self.asks { ApprovalNeed::Always } else { ApprovalNeed::Never },
            ..ToolPolicy::default()
        }
    }
    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async { Ok(ToolOutput::new("done", "done")) }.boxed()
    }
}

/// Says yes to everything.
struct Yes;

impl Approver for Yes {
    fn ask<'a>(&'a self, _: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async { ApprovalDecision::Allow(ApprovalScope::Once) }.boxed()
    }
}

/// Two processes that take a second each, in one batch.
async fn two_sleeps() {
    let mut times = Vec::new();
    for _ in 0..5 {
        let mut tools = Toolbox::new();
        tools.add(Sleep).unwrap();
        let mut runner = Runner::new(Arc::new(tools), Arc::new(DenyAll));
        let mut plan = Plan::new();
        let start = Instant::now();
        for id in ["a1", "a2"] {
            plan.push(Call::parse(id, r#"{"name":"sleep"}"#).unwrap());
        }
        plan.reach_execution_point();
        start_what_may(&mut plan, &mut runner);
        while runner.next().await.is_some() {}
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let (middle, most) = (times[2], times[4]);
    say(&format!("  two processes of 1 s in one batch: {middle:.3} s, at most {most:.3} s"));
}

/// A tool that runs `sleep 1`.
struct Sleep;

impl Tool for Sleep {
    fn name(&self) -> &str {
        "sleep"
    }
    fn description(&self) -> &str {
        "Takes a second."
    }
    fn schema(&self) -> &str {
        "{}"
    }
    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let status = tokio::process::Command::new("sleep").arg("1").status().await;
            let status = status.map_err(|error| ToolError::new(error.to_string()))?;
            Ok(ToolOutput::new("slept", status.to_string()))
        }
        .boxed()
    }
}

fn say(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("stdout takes a line");
}
