//! Processes of a program that is killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Pid;
use silcrow_tool::ProcessGroup;

use crate::process_group::lives;

/// The processes ignore signals that ask them to end, and have no pipe whose end they would notice.
const STUBBORN: &str = "trap '' TERM HUP INT; sleep 1000 & echo $! $$ >&2; exec 2>&1; wait; wait";

#[tokio::test]
async fn watched_group_dies_with_its_program() {
    let mut program = Command::new(std::env::current_exe().unwrap())
        .args(["orphans::child", "--exact", "--ignored", "--test-threads=1", "--nocapture"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(program.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut lines = lines.filter_map(|line| line.strip_prefix("@ ").map(str::to_owned));
    let ids = lines.next().expect("the processes have started");
    program.kill().unwrap();
    program.wait().unwrap();
    let ids: Vec<_> =
        ids.split(' ').map(|id| Pid::from_raw(id.parse().unwrap()).unwrap()).collect();
    assert_eq!(ids.len(), 2);
    // A signal takes a moment, and the bound is for a busy machine.
    let began = Instant::now();
    while ids.iter().any(|id| lives(*id)) {
        assert!(began.elapsed() < Duration::from_secs(30), "{ids:?} live on");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The program that is killed: it has started processes, and waits.
#[test]
#[ignore = "run by the test above, in a process of its own"]
fn child() {
    let mut child = Command::new("sh")
        .args(["-c", STUBBORN])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let _group = ProcessGroup::led_by(child.id()).with_watcher().unwrap();
    let mut ids = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut ids).unwrap();
    writeln!(std::io::stderr(), "@ {}", ids.trim()).unwrap();
    child.wait().unwrap();
}
