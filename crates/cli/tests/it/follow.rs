//! Following a conversation, and reading a store, while another process works on it.

mod crowd;
mod model;
mod parted;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use self::model::{Answering, Model};
use crate::support::{CommandOutput, Sandbox};

/// Starts `silcrow run` in the conversation `c1`, with a model whose answers the test gives.
fn begin(sandbox: &Sandbox, model: &Model) -> (Child, Answering) {
    let model_name = model.name();
    let args = ["run", "go", "--model", &model_name, "--conversation", "c1", "--user", "ann"];
    let run = sandbox.command(&args).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let answering = model.asked();
    (run, answering)
}

/// Adds a question and its answer to conversation `c1`.
#[track_caller]
fn converse(sandbox: &Sandbox) -> CommandOutput {
    let script = sandbox.write("script", "§respond: a\n§end");
    let name = format!("script:{script}");
    let said = sandbox.silcrow(&["run", "x", "--model", &name, "--conversation", "c1"]);
    said.ends(0);
    said
}

/// `silcrow log … --follow`, and what it prints.
struct Follower {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Follower {
    fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
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

    fn lines(&mut self, count: usize) -> String {
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

    /// What it prints until it ends by itself, what it says, and its exit code.
    fn ends(mut self) -> (String, String, Option<i32>) {
        let (mut out, mut err) = (String::new(), String::new());
        self.out.read_to_string(&mut out).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (out, err, self.child.wait().unwrap().code())
    }

    /// Stops the follower with Ctrl-C.
    fn stop(self) -> (String, String, Option<i32>) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        self.ends()
    }
}

#[test]
fn two_follow_a_run_and_the_store_can_be_read_meanwhile() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering) = begin(&sandbox, &model);
    let mut early = Follower::start(&sandbox, &["log", "c1", "--follow"]);
    assert!(early.line().contains("\"content\":\"go\""));
    answering.send_text("§think: one\n§think: two\n");
    let first = early.line();
    assert!(first.contains("\"content\":\"one\""), "{first}");

    // It starts in the middle, and gets the beginning too.
    let mut late = Follower::start(&sandbox, &["log", "show", "c1", "--follow"]);
    let begun = late.lines(2);
    assert!(begun.ends_with(&first), "{begun}");

    let shown = sandbox.silcrow(&["log", "c1"]);
    assert_eq!(shown.ends(0).out, begun);
    let listed = sandbox.silcrow(&["log"]);
    assert_eq!(listed.ends(0).events()[0]["events"], 2);
    assert_eq!(sandbox.silcrow(&["log", "list", "--user", "ann"]).ends(0).out, listed.out);
    assert_eq!(sandbox.silcrow(&["log", "list", "--user", "bob"]).ends(0).out, "");
    let hits = sandbox.silcrow(&["log", "search", "go", "--user", "ann"]);
    assert_eq!(hits.ends(0).events()[0]["event"]["seq"], 1);
    let verified = sandbox.silcrow(&["log", "verify"]);
    assert_eq!(verified.ends(0).events()[0]["events"], 2);
    let exported = sandbox.silcrow(&["log", "export"]);
    assert_eq!(exported.ends(0).events().len(), 3);
    assert!(sandbox.silcrow(&["log", "nobody"]).ends(2).err.contains("no conversation"));

    // A command that writes fails, and names the process that has the store.
    let holder = format!("in use by process {}", run.id());
    let export = sandbox.write("export.jsonl", &exported.out);
    let second = ["run", "x", "--model", "rehearsal"];
    let writes =
        [&["log", "import", &export][..], &["log", "delete", "c1"], &["log", "compact"], &second];
    for args in writes {
        let said = sandbox.silcrow(args);
        assert!(said.ends(1).err.contains(&holder), "{args:?}: {}", said.err);
    }

    answering.send_text("§respond: done\n§end");
    answering.end();
    assert!(run.wait().unwrap().success());
    let rest = early.lines(2);
    assert_eq!(late.lines(2), rest);
    assert!(rest.contains("\"two\"") && rest.contains("\"done\""), "{rest}");
    let all = sandbox.silcrow(&["log", "c1"]);
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
fn a_follower_waits_for_a_conversation_and_for_a_run() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§respond: a\n§end\n%%\n§respond: b\n§end");
    let name = format!("script:{script}");
    sandbox.silcrow(&["run", "x", "--model", &name, "--conversation", "other"]).ends(0);
    let mut follower = Follower::start(&sandbox, &["log", "c1", "--follow"]);
    follower.waits();
    for round in ["first", "second"] {
        sandbox.silcrow(&["run", round, "--model", &name, "--conversation", "c1"]).ends(0);
        let lines = follower.lines(2);
        assert!(lines.contains(round), "{lines}");
    }
    assert_eq!(follower.stop().2, Some(130));
}

/// Followers look into the store between two runs, and no run finds it in use because of that.
#[test]
fn runs_in_a_row_are_not_hindered_by_followers() {
    let sandbox = Sandbox::new();
    converse(&sandbox);
    let follow = |_| Follower::start(&sandbox, &["log", "c1", "--follow"]);
    let mut followers: Vec<_> = (0..3).map(follow).collect();
    for _ in 0..10 {
        converse(&sandbox);
    }
    let wanted = sandbox.silcrow(&["log", "c1"]).ends(0).out.clone();
    for follower in &mut followers {
        assert_eq!(follower.lines(22), wanted);
    }
    for follower in followers {
        assert_eq!(follower.stop().2, Some(130));
    }
}

#[test]
fn a_follower_is_told_that_the_conversation_was_removed() {
    let sandbox = Sandbox::new();
    converse(&sandbox);
    let mut follower = Follower::start(&sandbox, &["log", "c1", "--follow"]);
    follower.lines(2);
    sandbox.silcrow(&["log", "delete", "c1"]).ends(0);
    let (out, err, code) = follower.ends();
    assert_eq!((&*out, code), ("", Some(1)));
    assert!(err.contains("was removed meanwhile"), "{err}");
}

/// A person pages through output that is longer than a pipe holds.
#[test]
fn who_reads_slowly_does_not_keep_the_store_from_a_run() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", &format!("§respond: {}\n§end", "long ".repeat(40_000)));
    let name = format!("script:{script}");
    let args = ["run", "long", "--model", &name, "--conversation", "c1"];
    sandbox.silcrow(&args).ends(0);
    for slow in [&["log", "c1"][..], &["log", "c1", "--follow"], &["log", "search", "long"]] {
        let mut slow = Follower::start(&sandbox, slow);
        slow.out.fill_buf().unwrap();
        sandbox.silcrow(&args).ends(0);
        slow.child.kill().unwrap();
        slow.child.wait().unwrap();
    }
}

/// While the follower sleeps the conversation restarts, and grows longer than it was.
#[test]
fn another_conversation_of_the_same_name_is_not_taken_for_the_one_that_was_followed() {
    for while_a_run_goes_on in [false, true] {
        let sandbox = Sandbox::new();
        converse(&sandbox);
        let mut follower = Follower::start(&sandbox, &["log", "c1", "--follow"]);
        follower.lines(2);
        follower.waits();
        let id = Pid::from_child(&follower.child);
        kill_process(id, Signal::STOP).unwrap();
        sandbox.silcrow(&["log", "delete", "c1"]).ends(0);
        let model = Model::new();
        let run = while_a_run_goes_on.then(|| {
            let (run, mut answering) = begin(&sandbox, &model);
            answering.send_text("§think: one\n§think: two\n§think: three\n");
            while sandbox.silcrow(&["log", "c1"]).out.lines().count() < 3 {}
            (run, answering)
        });
        if run.is_none() {
            converse(&sandbox);
            converse(&sandbox);
        }
        kill_process(id, Signal::CONT).unwrap();
        assert_eq!(follower.line(), "", "{while_a_run_goes_on}");
        let (out, err, code) = follower.ends();
        assert_eq!((&*out, code), ("", Some(1)), "{while_a_run_goes_on}");
        assert!(err.contains("was removed meanwhile"), "{err}");
        if let Some((mut run, mut answering)) = run {
            answering.send_text("§respond: x\n§end");
            answering.end();
            assert!(run.wait().unwrap().success());
        }
    }
}

/// A follower looks into the store as soon as a run has ended.
#[test]
fn followers_do_not_hinder_a_compaction() {
    let sandbox = Sandbox::new();
    converse(&sandbox);
    let follow = |_| Follower::start(&sandbox, &["log", "c1", "--follow"]);
    let followers: Vec<_> = (0..3).map(follow).collect();
    for _ in 0..10 {
        converse(&sandbox);
        sandbox.silcrow(&["log", "compact"]).ends(0);
    }
    for follower in followers {
        assert_eq!(follower.stop().2, Some(130));
    }
}

#[test]
fn a_follower_makes_no_store() {
    let sandbox = Sandbox::new();
    converse(&sandbox);
    let mut follower = Follower::start(&sandbox, &["log", "c1", "--follow"]);
    follower.lines(2);
    let store = sandbox.path("data/silcrow");
    std::fs::rename(&store, sandbox.path("moved")).unwrap();
    let (_, err, code) = follower.ends();
    assert_eq!(code, Some(1));
    assert!(err.contains("was removed meanwhile"), "{err}");
    assert!(!store.exists());
}

#[test]
fn a_run_that_cannot_be_followed_says_so_and_goes_on() {
    let sandbox = Sandbox::new();
    converse(&sandbox);
    let share = sandbox.path("data/silcrow/share");
    std::fs::remove_dir(&share).unwrap();
    std::os::unix::fs::symlink(sandbox.path("root"), &share).unwrap();
    let err = converse(&sandbox).err;
    assert!(err.contains("nobody else can read the store now") && err.contains("share"), "{err}");
    assert_eq!(std::fs::read_dir(sandbox.path("root")).unwrap().count(), 0);
}

#[test]
fn follow_is_for_one_conversation_of_a_store() {
    let sandbox = Sandbox::new();
    assert!(sandbox.silcrow(&["log", "c1", "--follow"]).ends(2).err.contains("there is no store"));
    sandbox.silcrow(&["log", "--follow"]).ends(2);
    sandbox.silcrow(&["log", "list", "--follow"]).ends(2);
}
