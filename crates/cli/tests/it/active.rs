//! A conversation that another process runs.

use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::follow::model::{Answering, Model};
use crate::support::Sandbox;

/// Starts a run in the conversation `c1`, whose model waits.
fn begin(sandbox: &Sandbox, model: &Model) -> (Child, Answering) {
    let run = sandbox.start(&["run", "go", "--model", &model.name(), "--new", "c1"]);
    let answering = model.asked();
    (run, answering)
}

#[test]
fn active_conversation_error_says_where_and_what_next() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, answering) = begin(&sandbox, &model);
    let script = format!("script:{}", sandbox.write("script", "§respond: yes\n§end"));
    let more = ["run", "more", "--model", &script, "--conversation", "c1"];
    let said = sandbox.silcrow(&more);
    let (pid, folder) = (run.id(), sandbox.root().canonicalize().unwrap());
    let wanted = format!(
        "silcrow: conversation c1 is at work elsewhere: process {pid} without a terminal, in {}, on the \
         prompt \"go\"; \
         watch it with silcrow log show c1 --follow, send it your prompt with --steer, wait for it with \
         --wait, branch off with silcrow run --fork c1, or stop it with silcrow runs stop c1",
        folder.display()
    );
    assert_eq!(said.ends(1).err.lines().last().unwrap(), wanted);
    let gone = sandbox.silcrow(&["log", "--json", "delete", "--yes", "c1"]);
    assert!(gone.ends(1).err.contains(&format!("process {pid}")), "{}", gone.err);
    // The commands that it names work.
    sandbox.silcrow(&["run", "on", "--fork", "c1", "--new", "c2", "--model", &script]).ends(0);
    sandbox.silcrow(&["run", "beside", "--new", "c3", "--model", &script]).ends(0);
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    drop(answering);
    sandbox.silcrow(&more).ends(0);
}

#[test]
fn waiting_run_starts_after_the_other() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let script = format!("script:{}", sandbox.write("script", "§respond: yes\n§end"));
    let more = ["run", "more", "--model", &script, "--conversation", "c1", "--wait"];
    let mut waiting = sandbox.command(&more);
    let waiting = waiting.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waiting = waiting.spawn().unwrap();
    let mut notices = std::io::BufReader::new(waiting.stderr.take().unwrap());
    let is_waiting = format!("silcrow: waiting for process {}", run.id());
    let mut line = String::new();
    while !line.starts_with(&is_waiting) {
        line.clear();
        let length = std::io::BufRead::read_line(&mut notices, &mut line).unwrap();
        assert!(length > 0, "it does not wait");
    }
    answering.send_text("§respond: first\n§end");
    answering.end();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    assert_eq!(waiting.wait().unwrap().code(), Some(0));
    let types = sandbox.silcrow(&["log", "--json", "show", "c1"]).ends(0).types();
    assert_eq!(types, ["user", "respond", "user", "respond"]);
}

#[test]
fn leftovers_of_a_killed_run_block_nobody() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, answering) = begin(&sandbox, &model);
    run.kill().unwrap();
    run.wait().unwrap();
    drop(answering);
    let active = sandbox.path("data/silcrow/active");
    assert_eq!(std::fs::read_dir(&active).unwrap().count(), 1);
    let script = format!("script:{}", sandbox.write("script", "§respond: yes\n§end"));
    sandbox.silcrow(&["run", "--retry", "--model", &script]).ends(0);
    assert_eq!(std::fs::read_dir(&active).unwrap().count(), 0);
}

#[test]
fn unusable_store_error_names_alternatives() {
    let sandbox = Sandbox::new();
    let script = format!("script:{}", sandbox.write("script", "§respond: yes\n§end"));
    let file = sandbox.write("file", "text");
    let inside = format!("{file}/store");
    for store in [&file, &inside, "/proc/store"] {
        let said = sandbox.silcrow(&["run", "go", "--model", &script, "--store", store]);
        assert_ne!(said.code, Some(0));
        assert!(said.err.contains("--store memory"), "{store}: {}", said.err);
        sandbox.silcrow(&["run", "go", "--model", &script, "--store", "memory"]).ends(0);
    }
    // A disk that may only be read.
    let store = sandbox.path("kept");
    std::fs::create_dir(&store).unwrap();
    let mut shell = Command::new("unshare");
    let mount = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && exec \"$@\"";
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", mount]).arg(&store);
    let silcrow = sandbox.command(&["run", "go", "--model", &script, "--store"]);
    shell.arg(silcrow.get_program()).args(silcrow.get_args()).arg(&store);
    shell.envs(silcrow.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let said = shell.current_dir(sandbox.root()).stdin(Stdio::null()).output().unwrap();
    let err = String::from_utf8(said.stderr).unwrap();
    assert!(err.contains("Read-only") && err.contains("--store memory"), "{err}");
}

#[test]
fn prompt_is_sent_to_the_active_run() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let steer = ["run", "And the walruses.", "--steer", "--conversation", "c1"];
    let sent = sandbox.silcrow(&steer);
    assert!(sent.ends(0).err.contains(&format!("sent to process {}", run.id())), "{}", sent.err);
    // The answer that was being written is not the last one.
    answering.send_text("§respond: seals\n§end");
    answering.end();
    let mut again = model.asked();
    again.send_text("§respond: walruses\n§end");
    again.end();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let types = sandbox.silcrow(&["log", "--json", "show", "c1"]).ends(0).types();
    assert_eq!(types, ["user", "user", "respond", "respond"]);
    let late = sandbox.silcrow(&steer);
    assert!(late.ends(2).err.contains("no run is at work"), "{}", late.err);
}

/// Starts a command in a new namespace, in which it is process 1.
fn in_container(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut shell = Command::new("unshare");
    shell.args(["--user", "--map-root-user", "--pid", "--fork", "--kill-child"]);
    let silcrow = sandbox.command(args);
    shell.arg(silcrow.get_program()).args(silcrow.get_args());
    shell.envs(silcrow.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(sandbox.root()).stdin(Stdio::null());
    shell.stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

/// Both commands have the number 1, each in its own namespace.
#[test]
#[expect(clippy::print_stderr, reason = "it is for a person, beside the results of the tests")]
fn run_in_another_container_can_be_stopped() {
    let sandbox = Sandbox::new();
    let is_possible = in_container(&sandbox, &["--version"]).status();
    if !is_possible.is_ok_and(|status| status.success()) {
        eprintln!("left out: this system has no namespaces of process numbers");
        return;
    }
    let model = Model::new();
    let args = ["run", "go", "--model", &model.name(), "--new", "c1"];
    let mut run = in_container(&sandbox, &args).spawn().unwrap();
    let _answering = model.asked();
    let more = in_container(&sandbox, &["run", "more", "--conversation", "c1"]).output().unwrap();
    let said = String::from_utf8_lossy(&more.stderr).into_owned();
    assert_eq!(more.status.code(), Some(1), "{said}");
    assert!(said.contains("process 1 of another container"), "{said}");
    let stop = in_container(&sandbox, &["stop", "c1"]).output().unwrap();
    let said = String::from_utf8_lossy(&stop.stderr).into_owned();
    assert_eq!(stop.status.code(), Some(0), "{said}");
    assert!(said.contains("stopped the run in process 1 of another container"), "{said}");
    assert_eq!(run.wait().unwrap().code(), Some(130));
}
