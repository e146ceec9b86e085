use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use rustix::process::{Pid, test_kill_process};
use silcrow_tool::{CallContext, ProcessGroup, ToolError, ToolOutput};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::{Done, Made, next, ready, runner, tool, toolbox};

/// The times at which processes began and ended.
type Spans = Arc<Mutex<Vec<(Instant, Instant)>>>;

/// Returns a tool that runs a script in a new process group, and reports each line as progress.
fn shell(
    script: &'static str,
    spans: Spans,
) -> Made<impl Fn(String, CallContext) -> Done + Send + Sync> {
    tool("shell", move |_, context| {
        let spans = Arc::clone(&spans);
        async move {
            let failed = |error: std::io::Error| ToolError::new(error.to_string());
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdout(Stdio::piped()).process_group(0);
            let began = Instant::now();
            let mut child = tokio::process::Command::from(command).spawn().map_err(failed)?;
            let _group = ProcessGroup::led_by(child.id().expect("nobody waited for it"));
            let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
            while let Some(line) = lines.next_line().await.map_err(failed)? {
                context.progress("stdout", line).await;
            }
            let status = child.wait().await.map_err(failed)?;
            spans.lock().unwrap().push((began, Instant::now()));
            Ok(ToolOutput::new("ran", status.to_string()))
        }
        .boxed()
    })
}

/// Returns the process ids that a script prints.
async fn printed_ids(runner: &mut silcrow_exec::Runner, count: usize) -> Vec<Pid> {
    let mut ids = Vec::new();
    while ids.len() < count {
        let Some(silcrow_exec::CallUpdate::Progress(progress)) = runner.next().await else {
            panic!()
        };
        ids.push(Pid::from_raw(progress.content.trim().parse().unwrap()).unwrap());
    }
    ids
}

/// Waits until none of the processes lives. A signal takes a moment, and the bound is for a busy
/// machine.
async fn all_gone(processes: &[Pid]) {
    let began = Instant::now();
    while processes.iter().any(|id| lives(*id)) {
        assert!(began.elapsed() < Duration::from_secs(30), "{processes:?} live on");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Returns whether a process exists and is not a zombie, which its new parent may not have reaped.
fn lives(id: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero()));
    let is_dead = stat.is_ok_and(|stat| stat.rsplit(") ").next().unwrap().starts_with('Z'));
    test_kill_process(id).is_ok() && !is_dead
}

/// A script of two processes in one group, each of which prints its id.
const PARENT_AND_CHILD: &str = "sleep 1000 & echo $!; echo $$; exec sleep 1000";

#[tokio::test]
async fn two_processes_of_one_batch_overlap() {
    let spans = Spans::default();
    let mut runner = runner(toolbox(shell("sleep 0.3", Arc::clone(&spans))));
    runner.start(ready("a1", "shell", "{}"));
    runner.start(ready("a2", "shell", "{}"));
    for _ in 0..2 {
        assert_eq!(next(&mut runner).await.2, "exit status: 0");
    }
    let spans = spans.lock().unwrap();
    let [(began, ended), (other_began, other_ended)] = spans[..] else { panic!("{spans:?}") };
    assert!(began < other_ended && other_began < ended, "{spans:?}");
}

#[tokio::test]
async fn cancelled_calls_leave_no_processes() {
    for end in ["cancel", "stop", "drop", "timeout"] {
        let shell = shell(PARENT_AND_CHILD, Spans::default());
        let limit = if end == "timeout" { 500 } else { 60_000 };
        let shell = shell.limited(Duration::from_millis(limit));
        let mut runner = runner(toolbox(shell));
        runner.start(ready("a1", "shell", "{}"));
        let processes = printed_ids(&mut runner, 2).await;
        assert!(processes.iter().all(|id| lives(*id)), "they run");
        match end {
            "cancel" => runner.cancel(),
            "stop" => runner.stop("a1"),
            "timeout" => assert_eq!(next(&mut runner).await.2, "timed out after 0.5 s"),
            _ => drop(runner),
        }
        all_gone(&processes).await;
    }
}

#[tokio::test]
async fn background_processes_die_with_their_call() {
    // The grandchild has no pipe, so the call ends with its parent.
    let shell = shell("sleep 1000 >/dev/null & echo $!", Spans::default());
    let mut runner = runner(toolbox(shell));
    runner.start(ready("a1", "shell", "{}"));
    let processes = printed_ids(&mut runner, 1).await;
    assert_eq!(next(&mut runner).await.2, "exit status: 0");
    all_gone(&processes).await;
}
