//! The transitions of calls that a run emits between their events and their results.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::FutureExt as _;
use silcrow_agent::Agent;
use silcrow_event::{CallTransition, Event, Json, RunEvent, RunEventRef};
use silcrow_exec::RunnerLimits;
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{Tool, ToolError, ToolOutput};
use tokio::time::Instant;

use crate::support::{echo, tool, toolbox, with};

/// Fails at its first attempt.
fn flaky() -> impl Tool {
    let attempts = AtomicU32::new(0);
    tool("flaky", move |_, _| {
        let is_first = attempts.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            match is_first {
                true => Err(ToolError::new("not yet")),
                false => Ok(ToolOutput::new("ok", "at last")),
            }
        }
        .boxed()
    })
}

fn agent(dialect: Dialect, answers: &str, store: &Arc<MemoryStore>) -> Agent {
    Agent::new(ScriptedModel::parse(answers, 3), Arc::clone(store))
        .with_tools(toolbox([with(echo("echo")), with(flaky())]))
        .with_runner_limits(RunnerLimits { jitter_percent: 0, ..RunnerLimits::default() })
        .with_dialect(dialect)
}

/// Returns the transitions of calls and their entries, with times in milliseconds.
async fn call_lines(agent: &Agent) -> Vec<String> {
    let started = Instant::now();
    let mut lines = Vec::new();
    let mut emit = |event: RunEventRef<'_>| {
        let line = match event {
            RunEventRef::Call(transition, position) => {
                assert!(position.turn.is_some() && position.timestamp.is_some());
                word(transition)
            }
            RunEventRef::Entry(entry) => match &entry.event {
                Event::Call(call) => format!("call {}", call.id()),
                Event::Result(result) => format!("result {}", result.id.as_deref().unwrap()),
                _ => return,
            },
            _ => return,
        };
        lines.push(format!("{} {line}", started.elapsed().as_millis()));
    };
    agent.run("c", "go", &mut emit).await.unwrap();
    lines
}

fn word(transition: &CallTransition<'_>) -> String {
    match transition {
        CallTransition::Ready { id, attempt, .. } => format!("ready {id} {attempt}"),
        CallTransition::Started { id, attempt, args } => format!("started {id} {attempt} {args}"),
        CallTransition::Paused { id } => format!("paused {id}"),
        CallTransition::Ended { id, end, reason: None } => format!("{} {id}", end.as_str()),
        CallTransition::Ended { id, end, reason: Some(why) } => {
            format!("{} {id}: {why}", end.as_str())
        }
        CallTransition::Bound { name, value } => format!("bound {name} {value}"),
        _ => unreachable!("{transition:?}"),
    }
}

const ACTIONS: &str = r#"<action mode="async" id="a">{"name":"flaky","retry":1,"output_key":"page"}</action>
<action mode="async" id="b">{"name":"echo","parameters":{"p":"$page","home":"$home"}}</action>
<action mode="async" id="c">{"name":"nothing"}</action>
<action mode="async" id="d" depends_on="c">{"name":"echo"}</action>
<response>Done.</response>
%%
<response>Without it.</response>"#;

#[tokio::test(start_paused = true)]
async fn call_transitions_are_emitted_in_order() {
    let agent = agent(Dialect::Action, ACTIONS, &Arc::default());
    let lines = call_lines(&agent.with_preset("home", Json::string("/root"))).await;
    let of = |id: &str| {
        let ids = [format!(" {id} "), format!(" {id}:")];
        let lines = lines.iter().filter(|line| {
            let line = format!("{line} ");
            ids.iter().any(|id| line.contains(id.as_str()))
        });
        Vec::from_iter(lines.map(String::as_str))
    };
    assert_eq!(
        of("a"),
        [
            "0 call a",
            "0 ready a 1",
            "0 started a 1 {}",
            "0 paused a",
            "100 ready a 2",
            "100 started a 2 {}",
            "100 ok a",
            "100 result a"
        ]
    );
    let bound = lines.iter().position(|line| line == "100 bound page \"at last\"").unwrap();
    let started = lines.iter().position(|line| line.contains("started b")).unwrap();
    assert!(bound < started, "{lines:#?}");
    assert_eq!(
        of("b"),
        [
            "0 call b",
            "100 ready b 1",
            r#"100 started b 1 {"p":"at last","home":"/root"}"#,
            "100 ok b",
            "100 result b"
        ]
    );
    // A call that could not run has ended like every other, and one that never starts only ends.
    assert!(of("c")[2].starts_with("0 failed c: unknown tool `nothing`"), "{:?}", of("c"));
    assert!(of("d")[1].starts_with("0 skipped d: "), "{:?}", of("d"));
}

#[tokio::test(start_paused = true)]
async fn batch_starts_stored_and_ends_before_results() {
    let store = Arc::new(MemoryStore::new());
    let answers =
        "§call: {\"name\":\"echo\"}\n§call: {\"name\":\"echo\"}\n§execute\n%%\n§end\n§respond: x";
    let mut run = agent(Dialect::Sigil, answers, &store).stream("c", "go");
    let mut lines = Vec::new();
    while let Some(event) = run.next().await {
        match event {
            RunEvent::Call(transition, position) => {
                if let CallTransition::Started { .. } = transition {
                    // The person's message and both calls.
                    assert!(store.head("c").await.unwrap() >= 3);
                }
                assert_eq!(position.turn, Some(1));
                lines.push(word(&transition));
            }
            RunEvent::Entry(entry) if matches!(entry.event, Event::Result(_)) => {
                lines.push("result".to_owned());
            }
            _ => {}
        }
    }
    let want = ["ready a1 1", "ready a2 1", "started a1 1 {}", "started a2 1 {}"];
    let want = [&want[..], &["ok a1", "result", "ok a2", "result"]].concat();
    assert_eq!(lines, want);
}

#[tokio::test(start_paused = true)]
async fn simultaneous_results_are_stored_together() {
    let store = Arc::new(MemoryStore::new());
    let wire = r#"<action mode="async" id="a">{"name":"flaky","on_error":"skip"}</action>
<action mode="async" id="b" depends_on="a">{"name":"echo"}</action>
<action mode="async" id="c" depends_on="b">{"name":"echo"}</action><response>Done.</response>"#;
    let (mut lines, mut heads) = (Vec::new(), Vec::new());
    let mut emit = |event: RunEventRef<'_>| match event {
        RunEventRef::Call(CallTransition::Ended { id, .. }, _) => lines.push(format!("ended {id}")),
        RunEventRef::Entry(entry) => {
            if let Event::Result(result) = &entry.event {
                lines.push(format!("result {}", result.id.as_deref().unwrap()));
                heads.push(store.head("c").now_or_never().unwrap().unwrap());
            }
        }
        _ => {}
    };
    agent(Dialect::Action, wire, &store).run("c", "go", &mut emit).await.unwrap();
    assert_eq!(lines, ["ended a", "result a", "ended b", "result b", "ended c", "result c"]);
    // When the first of them is emitted, all are stored.
    assert!(heads.len() == 3 && heads.iter().all(|head| *head == heads[2]), "{heads:?}");
}
