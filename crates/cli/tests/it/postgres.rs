//! Conversations in a PostgreSQL database, which several machines share.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use silcrow_testkit::PostgresServer;

use crate::follow::model::Model;
use crate::live::TerminalWindow;
use crate::live::handed_over::HandedOver;
use crate::support::{CommandOutput, Sandbox};

/// A machine that uses a database.
struct Machine {
    sandbox: Sandbox,
    database: String,
}

impl Machine {
    fn new(database: &str) -> Self {
        Self { sandbox: Sandbox::new(), database: database.to_owned() }
    }

    fn args<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        let (command, rest) = args.split_first().unwrap();
        [&[*command, "--store", &*self.database], rest].concat()
    }

    fn silcrow(&self, args: &[&str]) -> CommandOutput {
        self.sandbox.silcrow(&self.args(args))
    }

    /// Runs a prompt whose model writes these answers.
    fn run(&self, args: &[&str], answers: &str) -> CommandOutput {
        let model = format!("script:{}", self.sandbox.write("script", answers));
        let args = [&["run"], args, &["--model", &model]].concat();
        self.silcrow(&args)
    }

    /// Begins a run in the conversation `c`, whose call appends to the file `ran` and takes long.
    fn begin_call(&self) -> (Child, impl Iterator<Item = String> + use<>) {
        let model = format!("script:{}", self.sandbox.write("calls", CALLS));
        let args = ["run", "go", "--json", "--allow", "shell", "--new", "c", "--model", &model];
        let mut run = self.sandbox.start(&self.args(&args));
        let mut lines = BufReader::new(run.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains("\"progress\"")), "the call did not start");
        (run, lines)
    }
}

const CALLS: &str = "\
§call: {\"name\": \"shell\", \"args\": {\"command\": \"echo ran >> ran; echo started; sleep 600\"}}
§execute";

#[test]
fn machines_share_conversations() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (Machine::new(&database), Machine::new(&database));
    let ran = one.run(&["where do whales sleep", "--new", "c"], "§respond: In the sea.\n§end");
    assert_eq!(ran.ends(0).out, "In the sea.\n");
    let more = other.run(&["and cats", "--conversation", "c"], "§respond: On sofas.\n§end");
    assert_eq!(more.ends(0).out, "On sofas.\n");
    let types = one.silcrow(&["log", "--json", "show", "c"]).ends(0).types();
    assert_eq!(types, ["user", "respond", "user", "respond"]);
    let found = one.silcrow(&["log", "search", "WHALE"]);
    assert!(found.ends(0).out.contains("where do whales sleep"), "{}", found.out);
    assert!(one.silcrow(&["log"]).ends(0).out.contains("where do whales sleep"));
    one.silcrow(&["log", "verify"]).ends(0);
    other.silcrow(&["log", "rename", "c", "sleepers"]).ends(0);
    assert!(one.silcrow(&["log"]).ends(0).out.contains("sleepers"));
    one.silcrow(&["log", "fork", "c", "--at", "2", "--new", "d"]);
    other.silcrow(&["log", "delete", "--yes", "c"]).ends(0);
    assert_eq!(one.silcrow(&["log", "show", "c"]).code, Some(2));
    assert_eq!(one.silcrow(&["log", "compact"]).code, Some(2), "the server does it itself");
}

#[test]
fn questions_are_answered_from_another_machine() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (Machine::new(&database), Machine::new(&database));
    let asks = "§call: {\"name\": \"file_write\", \"args\": {\"file\": \"a.txt\", \"content\": \"one\\n\"}}\n§execute";
    let run = one.run(&["go", "--new", "c", "--on-question", "park"], asks);
    assert_eq!(run.code, Some(3), "{}", run.err);
    other.silcrow(&["answer", "c", "1/a1", "yes"]).ends(0);
    let run = one.run(&["--conversation", "c", "--resume"], "§respond: It is done.\n§end");
    assert_eq!(run.ends(0).out, "It is done.\n");
    assert_eq!(fs::read_to_string(one.sandbox.root().join("a.txt")).unwrap(), "one\n");
}

#[test]
fn export_round_trips_between_folder_and_database() {
    let Some(server) = PostgresServer::shared() else { return };
    let machine = Machine::new(&server.database());
    let script = machine.sandbox.write("script", "§think: hm\n§respond: yes\n§end");
    let model = format!("script:{script}");
    machine.sandbox.silcrow(&["run", "go", "--new", "c", "--model", &model]).ends(0);
    let before = machine.sandbox.silcrow(&["log", "export"]).ends(0).out.clone();
    let file = machine.sandbox.write("export", &before);
    machine.silcrow(&["log", "import", "--own", &file]).ends(0);
    assert_eq!(machine.silcrow(&["log", "export"]).ends(0).out, before);
    let back = machine.sandbox.path("back");
    let back = back.to_str().unwrap();
    machine.sandbox.silcrow(&["log", "--store", back, "import", "--own", &file]).ends(0);
    let after = machine.sandbox.silcrow(&["log", "--store", back, "export"]);
    assert_eq!(after.ends(0).out, before);
}

#[test]
fn conversation_on_another_machine_is_active() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (Machine::new(&database), Machine::new(&database));
    let model = Model::new();
    let args = ["run", "go", "--model", &model.name(), "--new", "c"].map(str::to_owned);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut run = one.sandbox.start(&one.args(&args));
    let mut answering = model.asked();
    let said = other.run(&["more", "--conversation", "c"], "§respond: no\n§end");
    assert!(
        said.ends(1).err.contains(&format!("is running in process {}", run.id())),
        "{}",
        said.err
    );
    let gone = other.silcrow(&["log", "delete", "--yes", "c"]);
    assert!(gone.ends(1).err.contains(&format!("process {}", run.id())), "{}", gone.err);
    let sent = other.silcrow(&["run", "be brief", "--steer", "--conversation", "c"]);
    assert!(sent.ends(0).err.contains(&format!("process {}", run.id())), "{}", sent.err);

    let script = format!("script:{}", other.sandbox.write("script", "§respond: now\n§end"));
    let waits = ["run", "more", "--conversation", "c", "--wait", "--model", &script];
    let mut waits = other.sandbox.command(&other.args(&waits));
    let waits = waits.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waits = waits.spawn().unwrap();
    let notices = BufReader::new(waits.stderr.take().unwrap()).lines().map_while(Result::ok);
    let said = notices.into_iter().find(|line| line.contains("waiting for process"));
    assert!(said.is_some_and(|line| line.contains(&run.id().to_string())));

    answering.send_text("§respond: yes\n§end");
    answering.end();
    // The message gets a separate answer.
    let mut answering = model.asked();
    assert!(answering.request.contains("be brief"), "{}", answering.request);
    answering.send_text("§respond: brief\n§end");
    answering.end();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    assert_eq!(waits.wait().unwrap().code(), Some(0));
}

#[test]
fn session_attaches_to_and_steers_remote_run() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (Machine::new(&database), Machine::new(&database));
    let model = Model::new();
    let name = model.name();
    let run = ["run", "go on", "--model", &name, "--new", "c"];
    let mut run = one.sandbox.start(&one.args(&run));
    let mut answering = model.asked();
    let script = format!("script:{}", other.sandbox.write("script", "§respond: More.\n§end"));
    let chat = other.sandbox.command(&other.args(&["chat", "--model", &script]));
    let mut window = TerminalWindow::open(&chat, 100, 40);
    window.wait_for("›");
    window.press("/attach\r");
    window.wait_for_both("conversation c: at work in", "› go on");
    window.press("and quickly\r");
    // The message is for the next step, so it has to be there before this one ends.
    while other.silcrow(&["log", "--json", "show", "c"]).types() != ["user", "user"] {}
    answering.send_text("§respond: The first answer.\n§end");
    answering.end();
    let mut again = model.asked();
    assert!(again.request.contains("and quickly"), "{}", again.request);
    again.send_text("§respond: The quick answer.\n§end");
    again.end();
    window.wait_for_both("The quick answer.", "(Shift-Tab)");
    assert_eq!(run.wait().unwrap().code(), Some(0));
    // The session is in that conversation now.
    window.press("more\r");
    window.wait_for("More.");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn handed_over_run_is_found_in_the_database() {
    let Some(server) = PostgresServer::shared() else { return };
    HandedOver::new(&["--store", &server.database()]).check();
}

/// A run is frozen, another machine continues it, and the run wakes up: it ends, and its call with
/// it.
#[test]
fn frozen_run_ends_after_takeover() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (Machine::new(&database), Machine::new(&database));
    let (mut run, mut lines) = one.begin_call();
    signal(&run, Signal::STOP);
    server.run(&database, "update silcrow.conversation set lease_until = now()");
    other.run(&["and now", "--conversation", "c"], "§respond: I see.\n§end").ends(0);
    signal(&run, Signal::CONT);
    let failed = lines.find(|line| line.contains("\"error\"")).expect("it says why it ends");
    assert!(failed.contains("store_fenced") && failed.contains("taken it over"), "{failed}");
    assert_eq!(run.wait().unwrap().code(), Some(1));
    let log = other.silcrow(&["log", "--json", "show", "c"]).ends(0).types();
    assert_eq!(log, ["user", "call", "result", "user", "respond"]);
}

fn signal(process: &Child, signal: Signal) {
    kill_process(Pid::from_child(process), signal).unwrap();
}

/// The machine dies in the middle of a call, and another one continues.
#[test]
fn takeover_starts_no_call_twice() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (Machine::new(&database), Machine::new(&database));
    let (mut run, _) = one.begin_call();
    run.kill().unwrap();
    run.wait().unwrap();
    // The lease would end by itself.
    server.run(&database, "update silcrow.conversation set lease_until = now()");
    let more = other.run(&["and now", "--conversation", "c"], "§respond: I see.\n§end");
    assert_eq!(more.ends(0).out, "I see.\n");
    let log = other.silcrow(&["log", "--json", "show", "c"]).ends(0).out.clone();
    assert!(log.contains("the call was started and its outcome is unknown"), "{log}");
    assert_eq!(fs::read_to_string(one.sandbox.root().join("ran")).unwrap(), "ran\n");
}

#[test]
fn database_errors_hide_the_password() {
    let Some(server) = PostgresServer::shared() else { return };
    let sandbox = Sandbox::new();
    let folder = server.folder();
    server.run("postgres", "create role guarded login password 'right'");
    let wrong = format!("postgres://guarded:very-secret@/postgres?host={folder}");
    for args in [
        &["log", "--store", &wrong][..],
        &["run", "x", "--model", "rehearsal", "--store", &wrong],
        &["run", "x", "--json", "--model", "rehearsal", "--store", &wrong],
        &["answer", "c", "--store", &wrong],
    ] {
        let said = sandbox.silcrow(args);
        assert!(matches!(said.code, Some(1 | 2)), "{args:?}: {}", said.err);
        let all = format!("{}{}", said.out, said.err);
        assert!(all.contains("PGPASSWORD") && !all.contains("secret"), "{args:?}: {all}");
    }
    let down = sandbox.silcrow(&["log", "--store", "postgres://ann:very-secret@127.0.0.1:1/x"]);
    assert!(down.ends(1).err.contains("cannot be reached"), "{}", down.err);
    assert!(!down.err.contains("secret"), "{}", down.err);
    let mut command =
        sandbox.command(&["log", "--store", &format!("postgres://guarded@/nowhere?host={folder}")]);
    let said = command.env("PGPASSWORD", "right").output().unwrap();
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("nowhere") && said.contains("createdb"), "{said}");
}

#[test]
fn every_command_takes_a_database() {
    let Some(server) = PostgresServer::shared() else { return };
    let machine = Machine::new(&server.database());
    let ran = machine.run(&["note it", "--new", "c", "--allow", "file_write"], WRITES);
    assert_eq!(ran.ends(0).out, "It is written.\n");
    let written = machine.sandbox.root().join("a.txt");
    assert!(written.exists());
    let model = format!("script:{}", machine.sandbox.write("again", "§respond: Again.\n§end"));
    for (args, code, shown) in [
        (&["log", "list"][..], 0, "note it"),
        (&["log", "search", "written"], 0, "It is written."),
        (&["log", "export", "c"], 0, "{\"conversation\":\"c\""),
        (&["log", "report", "c"], 0, "## Prompt"),
        (&["log", "mend"], 2, "a database does it itself"),
        (&["context", "c"], 0, "assistant, about"),
        (&["compact", "c", "--model", &model], 0, "events are summarized"),
        (&["replay", "c", "--model", &model], 0, "Again."),
        (&["tool", "file_list", "{}"], 0, "a.txt"),
        (&["undo", "c"], 0, "a.txt"),
        (&["answer", "c"], 0, "waits for no answer"),
        (&["stop", "c"], 1, "no run is at work"),
        (&["budget", "c", "--tokens", "9"], 1, "no run is at work"),
        (&["profile", "add", "drinks tea"], 0, "fact 1"),
        (&["profile"], 0, "drinks tea"),
        (&["profile", "export"], 0, "drinks tea"),
        (&["profile", "learn", "--model", &model], 1, "nothing was learned"),
        (&["profile", "forget", "1"], 0, "forgotten: drinks tea"),
        (&["profile", "delete", "--yes"], 0, "deleted"),
    ] {
        let said = machine.silcrow(args);
        let all = format!("{}{}", said.out, said.err);
        assert!(said.code == Some(code) && all.contains(shown), "{args:?}: {:?} {all}", said.code);
    }
    assert!(!written.exists());
}

const WRITES: &str = "\
§call: {\"name\": \"file_write\", \"args\": {\"file\": \"a.txt\", \"content\": \"one\"}}
§execute
%%
§respond: It is written.
§end";
