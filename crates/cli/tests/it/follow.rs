//! Following a conversation, and reading a store, while another process works on it.

pub(crate) mod model;
mod parted;
mod removed;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use self::model::{Answering, Model};
use crate::support::{CommandOutput, Sandbox};

/// Starts `silcrow run` in the conversation `c1`, with a model whose answers the test gives.
fn begin(sandbox: &Sandbox, model: &Model) -> (Child, Answering) {
    let model_name = model.name();
    let args = ["run", "go", "--model", &model_name, sandbox.flag_of("c1"), "c1", "--user", "ann"];
    let run = sandbox.command(&args).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let answering = model.asked();
    (run, answering)
}

/// Adds a question and its answer to conversation `c1`.
#[track_caller]
fn converse(sandbox: &Sandbox) -> CommandOutput {
    let script = sandbox.write("script", "§respond: a\n§end");
    let name = format!("script:{script}");
    let said = sandbox.silcrow(&["run", "x", "--model", &name, sandbox.flag_of("c1"), "c1"]);
    said.ends(0);
    said
}

/// `silcrow log … --follow`, and its output.
pub(crate) struct Follower {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Follower {
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut command = sandbox.command(args);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    /// The next line; waits for it.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn lines(&mut self, count: usize) -> String {
        (0..count).map(|_| self.line()).collect()
    }

    /// Once it has said that it waits for a run.
    fn waits(&mut self) {
        let mut said = [0; 1];
        let mut seen = Vec::new();
        while !seen.ends_with(b"waiting for a run to continue c1\n") {
            let err = self.child.stderr.as_mut().unwrap();
            assert_eq!(err.read(&mut said).unwrap(), 1, "{}", String::from_utf8_lossy(&seen));
            seen.push(said[0]);
        }
    }

    /// Returns its standard output until it ends by itself, its standard error, and its exit code.
    fn ends(mut self) -> (String, String, Option<i32>) {
        let (mut out, mut err) = (String::new(), String::new());
        self.out.read_to_string(&mut out).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (out, err, self.child.wait().unwrap().code())
    }

    /// Stops the follower with Ctrl-C.
    pub(crate) fn stop(self) -> (String, String, Option<i32>) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        self.ends()
    }
}

#[test]
fn two_followers_leave_the_store_readable() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let mut early = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    assert!(early.line().contains("\"content\":\"go\""));
    answering.send_text("§think: one\n§think: two\n");
    let first = early.line();
    assert!(first.contains("\"content\":\"one\""), "{first}");

    // It starts in the middle, and gets the beginning too.
    let mut late = Follower::start(&sandbox, &["log", "--json", "show", "c1", "--follow"]);
    let begun = late.lines(2);
    assert!(begun.ends_with(&first), "{begun}");

    let shown = sandbox.silcrow(&["log", "--json", "c1"]);
    assert_eq!(shown.ends(0).out, begun);
    let listed = sandbox.silcrow(&["log", "--json"]);
    assert_eq!(listed.ends(0).events()[0]["events"], 2);
    assert_eq!(
        sandbox.silcrow(&["log", "--json", "list", "--user", "ann"]).ends(0).out,
        listed.out
    );
    assert_eq!(sandbox.silcrow(&["log", "--json", "list", "--user", "bob"]).ends(0).out, "");
    let hits = sandbox.silcrow(&["log", "--json", "search", "go", "--user", "ann"]);
    assert_eq!(hits.ends(0).events()[0]["event"]["seq"], 1);
    let verified = sandbox.silcrow(&["log", "--json", "verify"]);
    assert_eq!(verified.ends(0).events()[0]["events"], 2);
    let exported = sandbox.silcrow(&["log", "--json", "export"]);
    assert_eq!(exported.ends(0).events().len(), 3);
    assert!(
        sandbox.silcrow(&["log", "--json", "nobody"]).ends(2).err.contains("unknown conversation")
    );

    // Others may write, too: no process owns the store alone.
    let export = sandbox.write("export.jsonl", &exported.out);
    for args in [&["log", "--json", "import", "--own", &export][..], &["log", "--json", "compact"]]
    {
        sandbox.silcrow(args).ends(0);
    }
    let script = sandbox.write("script", "§respond: beside\n§end");
    let beside = format!("script:{script}");
    sandbox.silcrow(&["run", "x", "--model", &beside, "--new", "c2"]).ends(0);
    sandbox.silcrow(&["log", "--json", "delete", "--yes", "c2"]).ends(0);

    answering.send_text("§respond: done\n§end");
    answering.end();
    assert!(run.wait().unwrap().success());
    let rest = early.lines(2);
    assert_eq!(late.lines(2), rest);
    assert!(rest.contains("\"two\"") && rest.contains("\"done\""), "{rest}");
    let all = sandbox.silcrow(&["log", "--json", "c1"]);
    assert_eq!(all.ends(0).out, begun + &rest);

    // They continue through runs.
    let script = sandbox.write("script", "§respond: again\n§end");
    let (name, ann) = (format!("script:{script}"), ["--user", "ann"]);
    let args = ["run", "more", "--model", &name, "--conversation", "c1"];
    sandbox.silcrow(&[&args, &ann[..]].concat()).ends(0);
    for follower in [&mut early, &mut late] {
        let more = follower.lines(2);
        assert!(more.contains("\"more\"") && more.contains("\"again\""), "{more}");
    }
    for follower in [early, late] {
        let (out, err, code) = follower.stop();
        assert_eq!((&*out, code), ("", Some(130)), "{err}");
    }
}

/// A follower may start before the conversation and the run exist.
#[test]
fn follower_waits_for_conversation_and_run() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§respond: a\n§end\n%%\n§respond: b\n§end");
    let name = format!("script:{script}");
    sandbox.silcrow(&["run", "x", "--model", &name, "--new", "other"]).ends(0);
    let mut follower = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    follower.waits();
    for round in ["first", "second"] {
        sandbox.silcrow(&["run", round, "--model", &name, sandbox.flag_of("c1"), "c1"]).ends(0);
        let lines = follower.lines(2);
        assert!(lines.contains(round), "{lines}");
    }
    assert_eq!(follower.stop().2, Some(130));
}

/// Each follower prints the entries of every run once.
#[test]
fn followers_do_not_hinder_consecutive_runs() {
    let sandbox = Sandbox::new();
    converse(&sandbox);
    let follow = |_| Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    let mut followers: Vec<_> = (0..3).map(follow).collect();
    for _ in 0..10 {
        converse(&sandbox);
    }
    let wanted = sandbox.silcrow(&["log", "--json", "c1"]).ends(0).out.clone();
    for follower in &mut followers {
        assert_eq!(follower.lines(22), wanted);
    }
    for follower in followers {
        assert_eq!(follower.stop().2, Some(130));
    }
}

/// A person pages through output that is longer than a pipe holds.
#[test]
fn slow_reader_does_not_block_the_store() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", &format!("§respond: {}\n§end", "long ".repeat(40_000)));
    let name = format!("script:{script}");
    let run = |flag| {
        sandbox.silcrow(&["run", "long", "--model", &name, flag, "c1"]).ends(0);
    };
    run("--new");
    for slow in [
        &["log", "--json", "c1"][..],
        &["log", "--json", "c1", "--follow"],
        &["log", "--json", "search", "long"],
    ] {
        let mut slow = Follower::start(&sandbox, slow);
        slow.out.fill_buf().unwrap();
        run("--conversation");
        slow.child.kill().unwrap();
        slow.child.wait().unwrap();
    }
}

#[test]
fn followers_do_not_hinder_a_compaction() {
    let sandbox = Sandbox::new();
    converse(&sandbox);
    let follow = |_| Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    let mut followers: Vec<_> = (0..3).map(follow).collect();
    for _ in 0..10 {
        converse(&sandbox);
        sandbox.silcrow(&["log", "--json", "compact"]).ends(0);
    }
    let wanted = sandbox.silcrow(&["log", "--json", "c1"]).ends(0).out.clone();
    for follower in &mut followers {
        assert_eq!(follower.lines(22), wanted);
    }
    for follower in followers {
        assert_eq!(follower.stop().2, Some(130));
    }
}

/// Several runs write at the same time, and each follower prints every event of its conversation
/// once.
#[test]
fn runs_beside_each_other_are_followed() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§respond: a\n§end");
    let name = format!("script:{script}");
    let ids: Vec<_> = (1..=3).map(|number| format!("c{number}")).collect();
    let args = |id| ["run", "x", "--model", &name, sandbox.flag_of(id), id];
    sandbox.silcrow(&args("other")).ends(0);
    let follow = |id: &String| Follower::start(&sandbox, &["log", "--json", id, "--follow"]);
    let mut followers: Vec<_> = ids.iter().map(follow).collect();
    for _ in 0..5 {
        let begun: Vec<_> = ids.iter().map(|id| sandbox.start(&args(id))).collect();
        for run in begun {
            let done = run.wait_with_output().unwrap();
            assert!(done.status.success(), "{done:?}");
        }
    }
    for (follower, id) in followers.iter_mut().zip(&ids) {
        let wanted = sandbox.silcrow(&["log", "--json", id]).ends(0).out.clone();
        assert_eq!(follower.lines(10), wanted);
    }
    for follower in followers {
        assert_eq!((follower.stop()).2, Some(130));
    }
}

/// Much more than the pipe holds.
#[test]
fn stalled_follower_never_blocks_the_run() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let mut stuck = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    let mut reads = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    reads.line();
    let thought = format!("§think: {}\n", "long ".repeat(20_000));
    for _ in 0..40 {
        answering.send_text(&thought);
    }
    answering.send_text("§respond: x\n§end");
    answering.end();
    let lines = reads.lines(41);
    assert!(lines.ends_with("\"seq\":42}\n"), "{}", &lines[lines.len() - 100..]);
    assert!(run.wait().unwrap().success());
    assert_eq!(reads.stop().2, Some(130));
    let (wanted, given) = (sandbox.silcrow(&["log", "--json", "c1"]).out, stuck.lines(42));
    assert!(given == wanted, "{} bytes, not {}", given.len(), wanted.len());
    assert_eq!(stuck.stop().2, Some(130));
}
