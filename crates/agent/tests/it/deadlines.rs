//! The deadline of a run, and the processes and agents that its calls leave behind: none.
//!
//! Time is paused, so the deadline comes as soon as everything waits. The processes are real, and
//! ignore requests to end.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::{FutureExt as _, StreamExt as _};
use rustix::process::{Pid, test_kill_process};
use silcrow_agent::{Agent, ChildAgent, ErrorKind, OnDrop, StreamOptions};
use silcrow_event::{CallKind, Event};
use silcrow_exec::{BudgetLimits, BudgetResource};
use silcrow_parser::Dialect;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, ProcessGroup, Tool, ToolOutput, Toolbox};

use crate::models::{Always, model};
use crate::support::{Ran, run, tool};

type Processes = Arc<Mutex<Vec<Pid>>>;

/// A tool that runs a process and one below it, which ignore signals, and never ends.
fn stubborn(processes: &Processes) -> impl Tool + use<> {
    let processes = Arc::clone(processes);
    let script = "trap '' TERM HUP INT; sleep 1000 & echo $! $$; wait; wait";
    tool("stubborn", move |_, _| {
        let processes = Arc::clone(&processes);
        async move {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped());
            let mut child = command.process_group(0).spawn().unwrap();
            let _group = ProcessGroup::led_by(child.id());
            let mut ids = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut ids).unwrap();
            let ids = ids.split_whitespace().map(|id| Pid::from_raw(id.parse().unwrap()).unwrap());
            processes.lock().unwrap().extend(ids);
            std::future::pending::<()>().await;
            child.wait().unwrap();
            Ok(ToolOutput::new("", ""))
        }
        .boxed()
    })
}

/// Waits until none of the processes lives. A signal takes a moment, and a dropped task is dropped
/// when the runtime has time.
async fn all_gone(processes: &Processes) {
    let began = Instant::now();
    let processes = std::mem::take(&mut *processes.lock().unwrap());
    assert!(!processes.is_empty(), "no process was started");
    let lives = |id: &Pid| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero()));
        let is_zombie = stat.is_ok_and(|stat| stat.rsplit(") ").next().unwrap().starts_with('Z'));
        test_kill_process(*id).is_ok() && !is_zombie
    };
    while processes.iter().any(lives) {
        assert!(began.elapsed() < Duration::from_secs(30), "{processes:?} live on");
        tokio::task::yield_now().await;
    }
}

fn calls(calls: &[(&str, &str)]) -> Always {
    let call = |(index, (kind, name)): (usize, &(&str, &str))| {
        let body = format!(r#"{{"name":"{name}","parameters":{{"task":"go"}}}}"#);
        format!(
            "<action type=\"{kind}\" mode=\"async\" timeout=\"3000\" id=\"x{index}\">{body}</action>"
        )
    };
    Always::new(calls.iter().enumerate().map(call).collect::<String>())
}

/// An agent with a process, an agent with a process, and an agent whose model hangs.
fn hanging(store: &Arc<MemoryStore>, processes: &Processes) -> Agent {
    let with = |model: Always, tools: Toolbox| {
        Agent::new(model, Arc::clone(store)).with_dialect(Dialect::Action).with_tools(tools)
    };
    let mut own = Toolbox::new();
    own.add(stubborn(processes)).unwrap();
    let mut tools = own.clone();
    let works = with(calls(&[("tool", "stubborn")]), own);
    let hangs = Agent::new(model(|_| futures_util::stream::pending().boxed()), Arc::clone(store));
    tools.add_as(CallKind::Agent, ChildAgent::new("works", "x", move || works.clone())).unwrap();
    tools.add_as(CallKind::Agent, ChildAgent::new("hangs", "x", move || hangs.clone())).unwrap();
    with(calls(&[("tool", "stubborn"), ("agent", "works"), ("agent", "hangs")]), tools)
}

/// The conversations of the agents that the first turn calls.
const CHILDREN: [&str; 2] = ["c/1/x1", "c/1/x2"];

async fn last_of(store: &MemoryStore, conversation: &str) -> &'static str {
    let head = store.head(conversation).await.unwrap();
    store.read(conversation, head..=head).await.unwrap()[0].event.type_name()
}

#[tokio::test(start_paused = true)]
async fn deadline_stops_everything_and_is_stored() {
    let (store, processes) = (Arc::new(MemoryStore::new()), Processes::default());
    let limits = BudgetLimits { time: Duration::from_secs(20), ..BudgetLimits::default() };
    let agent = hanging(&store, &processes).with_budget(limits);
    let begun = tokio::time::Instant::now();
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(20));
    let error = ran.ended.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget(BudgetResource::Time));
    assert!(error.to_string().contains("the time of the run is used up (20 s"), "{error}");
    let Event::Failed(fault) = &ran.shown.last().unwrap().event else { panic!() };
    assert_eq!(fault.code, "time_limit");
    assert_eq!(processes.lock().unwrap().len(), 4);
    all_gone(&processes).await;
    for id in ["x0", "x1", "x2"] {
        assert!(ran.result(id).content.text().contains("used up"), "{:?}", ran.result(id));
    }
    assert!(Ran::types(&ran.stored).ends_with(&["cancelled", "failed"]));
    // The agents have ended, too: nothing is added to their logs any more.
    let heads = async || {
        let mut heads = Vec::new();
        for child in CHILDREN {
            heads.push(store.head(child).await.unwrap());
        }
        heads
    };
    let ended = heads().await;
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    assert_eq!(heads().await, ended);
    assert_eq!(last_of(&store, CHILDREN[0]).await, "cancelled");
}

#[tokio::test(start_paused = true)]
async fn dropped_run_leaves_nothing_behind() {
    for drops_stream in [true, false] {
        let (store, processes) = (Arc::new(MemoryStore::new()), Processes::default());
        let agent = hanging(&store, &processes);
        if drops_stream {
            let options = StreamOptions::default().with_on_drop(OnDrop::Cancel);
            let mut run = agent.stream_with("c", "go", options);
            while processes.lock().unwrap().len() < 4 {
                tokio::select! {
                    biased;
                    event = run.next() => assert!(event.is_some()),
                    () = tokio::task::yield_now() => {}
                }
            }
            drop(run);
            // The run stops, and its task ends.
            while last_of(&store, "c").await != "cancelled" {
                tokio::task::yield_now().await;
            }
        } else {
            let run = agent.ask_in("c", "go");
            tokio::time::timeout(Duration::from_secs(20), run).await.unwrap_err();
        }
        all_gone(&processes).await;
    }
}
