//! The processes that a guard reaches.

use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use silcrow_tool::ProcessGroup;

/// Returns whether a process exists and is not a zombie, which its new parent may not have reaped.
pub(crate) fn lives(id: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero()));
    let is_dead = stat.is_ok_and(|stat| stat.rsplit(") ").next().unwrap().starts_with('Z'));
    test_kill_process(id).is_ok() && !is_dead
}

/// Only a child's own group is killed: neither this process's group, nor all processes, nor the
/// group of a child that does not lead one.
#[test]
fn group_without_a_leading_child_survives() {
    let mut follower = Command::new("sleep").arg("1000").spawn().unwrap();
    let mut shell = Command::new("sh")
        .args(["-c", "setsid sh -c 'echo $$; exec sleep 1000' & read line"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut grandchild = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(shell.stdout.take().unwrap()),
        &mut grandchild,
    )
    .unwrap();
    let grandchild: u32 = grandchild.trim().parse().unwrap();
    for id in [0, 1, u32::MAX, follower.id(), grandchild] {
        let group = ProcessGroup::led_by(id);
        assert!(format!("{group:?}").contains("leader: None"), "{id}: {group:?}");
        drop(group);
    }
    assert_eq!(follower.try_wait().unwrap(), None, "it runs");
    let grandchild = Pid::from_raw(grandchild as i32).unwrap();
    assert!(lives(grandchild));
    kill_process(grandchild, Signal::KILL).unwrap();
    for mut child in [follower, shell] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
