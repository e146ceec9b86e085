//! Many commands one after the other: nothing adds up.

use std::fs;
use std::process::Command;

use silcrow_sandbox::{ConfinedCommand, Sandbox};

use super::Place;
use super::trees::{TREES, Tether};

/// Counts in a process without other tests.
#[test]
fn timeouts_leak_no_process_or_descriptor() {
    let mut alone = Command::new(std::env::current_exe().unwrap());
    alone.args(["rounds::stop_many", "--exact", "--ignored", "--nocapture"]);
    assert!(alone.status().unwrap().success());
}

/// Stops commands in the middle of starting trees, and counts the remaining processes.
#[test]
#[ignore = "run by `timeouts_leak_no_process_or_descriptor`"]
fn stop_many() {
    let rounds: usize =
        std::env::var("SILCROW_TIMEOUTS").map_or(50, |rounds| rounds.parse().unwrap());
    let place = Place::new();
    for sandbox in place.sandboxes() {
        let layers = sandbox.layers();
        stop_once(&sandbox, &place, 0);
        // The processes that keep the network of all commands stay.
        let before = (descriptors(), children());
        assert_eq!(before.1.len(), usize::from(sandbox.layers().namespaces));
        for round in 0..rounds {
            stop_once(&sandbox, &place, round);
        }
        assert_eq!((descriptors(), children()), before);
        drop(sandbox);
        assert_eq!(children(), Vec::<String>::new());
        super::say(&format!("@ tried {rounds} timeouts ({layers})"));
    }
}

fn stop_once(sandbox: &Sandbox, place: &Place, round: usize) {
    let (name, tree) = TREES[round % TREES.len()];
    let tether = Tether::new(place);
    let grace = std::time::Duration::from_millis(20);
    let command = ConfinedCommand::shell(tether.script(tree)).with_grace(grace);
    let process = sandbox.spawn(&command).unwrap();
    let pipe = tether.ready();
    process.guard.stop();
    assert_eq!(process.end.wait().unwrap().survivors, 0);
    tether.check(pipe, name);
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Returns the helpers that this process has started and that are left, as zombies, too.
fn children() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().filter_map(Result::ok);
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}
