//! Signals that end a run as Ctrl-C does.

use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::follow::model::Model;
use crate::support::Sandbox;

#[test]
fn ctrl_c_and_termination_signals_cancel_a_run() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let sandbox = Sandbox::new();
        let model = Model::new();
        let args = ["run", "go", "--model", &model.name(), "--new", "c1"];
        let mut run = sandbox.start(&args);
        let mut answering = model.asked();
        answering.send_text("§think: one\n§think: two\n");
        while sandbox.silcrow(&["log", "--json", "c1"]).out.lines().count() < 2 {}
        kill_process(Pid::from_child(&run), signal).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(code), "{signal:?}");
        let types = sandbox.silcrow(&["log", "--json", "c1"]).ends(0).types();
        assert_eq!(types.last().unwrap(), "cancelled", "{signal:?}: {types:?}");
    }
}

/// A run that `nohup` starts outlives its terminal.
#[test]
fn ignored_hangup_stays_ignored() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let name = model.name();
    let args = ["run", "go", "--model", &name, "--new", "c1"];
    let silcrow = sandbox.command(&args);
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(silcrow.get_program());
    command.args(silcrow.get_args()).current_dir(sandbox.root());
    for (name, value) in silcrow.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = command.spawn().unwrap();
    let mut answering = model.asked();
    kill_process(Pid::from_child(&run), Signal::HUP).unwrap();
    answering.send_text("§respond: x\n§end");
    answering.end();
    assert_eq!(run.wait().unwrap().code(), Some(0));
}
