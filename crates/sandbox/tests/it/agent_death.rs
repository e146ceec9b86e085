//! The death of the program that started a command, by a signal that it cannot handle.

use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use silcrow_sandbox::{ConfinedCommand, Sandbox};

use super::trees::{TREES, Tether};
use super::{HELPER, Place, parent, processes_with, say};

#[test]
fn commands_die_with_their_parent_program() {
    let place = Place::new();
    for namespaces in ["yes", "no"] {
        for (name, tree) in TREES {
            let tether = Tether::new(&place);
            let mut agent = Command::new(HELPER);
            agent.arg(place.path()).arg(namespaces).arg(tether.script(tree));
            let mut agent = agent.stdout(Stdio::null()).spawn().unwrap();
            let pipe = tether.ready();
            agent.kill().unwrap();
            agent.wait().unwrap();
            tether.check(pipe, name);
        }
    }
}

#[test]
fn network_holder_dies_with_the_program() {
    let place = Place::new();
    let tether = Tether::new(&place);
    let mut agent = Command::new(HELPER);
    let script = tether.script("echo ready >&9; sleep $N");
    agent.arg(place.path()).arg("yes").arg(script).stdout(Stdio::null());
    let mut agent = agent.spawn().unwrap();
    let pipe = tether.ready();
    let own = i32::try_from(agent.id()).unwrap();
    let holders = processes_with("silcrow-sandbox hold");
    let ids = holders.iter().map(|line| line["/proc/".len()..].split(' ').next().unwrap());
    let holder = ids.map(|id| id.parse().unwrap()).find(|id| parent(*id) == own);
    let Some(holder) = holder else {
        agent.kill().unwrap();
        agent.wait().unwrap();
        return say("namespaces do not work on this machine, and are not tested");
    };
    let holder = pidfd_open(Pid::from_raw(holder).unwrap(), PidfdFlags::empty()).unwrap();
    agent.kill().unwrap();
    agent.wait().unwrap();
    tether.check(pipe, "asleep");
    // It is readable when the process has ended.
    let mut end = [PollFd::new(&holder, PollFlags::IN)];
    poll(&mut end, None).unwrap();
}

#[test]
fn with_namespaces_commands_die_with_their_supervisor() {
    let place = Place::new();
    let sandbox = Sandbox::new(place.options()).unwrap();
    if !sandbox.layers().namespaces {
        return say("namespaces do not work on this machine, and are not tested");
    }
    for (name, tree) in TREES {
        let tether = Tether::new(&place);
        let process = sandbox.spawn(&ConfinedCommand::shell(tether.script(tree))).unwrap();
        let pipe = tether.ready();
        let shell = tether.first_process();
        let supervisor = Pid::from_raw(parent(parent(shell))).unwrap();
        kill_process(supervisor, Signal::KILL).unwrap();
        tether.check(pipe, name);
        let error = process.end.wait().unwrap_err();
        assert!(error.to_string().contains("ended without a report"), "{error}");
    }
}

#[test]
fn commands_die_with_their_watcher() {
    let place = Place::new();
    for sandbox in place.sandboxes_with(|options| options.with_protected_name(".envrc")) {
        for (name, tree) in TREES {
            let tether = Tether::new(&place);
            let process = sandbox.spawn(&ConfinedCommand::shell(tether.script(tree))).unwrap();
            let pipe = tether.ready();
            let watcher = parent(parent(parent(tether.first_process())));
            kill_process(Pid::from_raw(watcher).unwrap(), Signal::KILL).unwrap();
            tether.check(pipe, name);
            let error = process.end.wait().unwrap_err();
            assert!(error.to_string().contains("ended without a report"), "{error}");
        }
    }
}
