//! Runs that go on in a server when their person leaves.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::process::Child;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{TerminalWindow, exit_code, script};
use crate::follow::model::Model;
use crate::support::Sandbox;

/// A call that counts its starts, and runs until somebody opens the pipe `gate`.
const LONG_CALL: &str = "\
§call: {\"name\":\"shell\",\"args\":{\"command\":\"echo ran >> ran; echo begun; cat gate\",\"timeout\":500}}
§execute
";

/// A person with a session, a server that continues runs, and a model that both ask.
pub(crate) struct HandedOver {
    sandbox: Sandbox,
    model: Model,
    /// The options that name the store.
    store: Vec<String>,
}

/// A server that ends with its test.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl HandedOver {
    pub(crate) fn new(store: &[&str]) -> Self {
        let (sandbox, model) = (Sandbox::new(), Model::new());
        let gate = sandbox.root().join("gate");
        mknodat(CWD, &gate, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        Self { sandbox, model, store: store.iter().map(|&word| word.to_owned()).collect() }
    }

    fn args<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        let store = self.store.iter().map(String::as_str);
        let (command, rest) = args.split_first().unwrap();
        std::iter::once(*command).chain(store).chain(rest.iter().copied()).collect()
    }

    /// Starts a server, and waits until it is there.
    fn serve(&self, args: &[&str]) -> Worker {
        let name = self.model.name();
        let serve = ["serve", "--work", "--listen", "127.0.0.1:0", "--model", &name];
        let mut server = self.sandbox.start(&self.args(&[&serve, args].concat()));
        let mut link = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut link).unwrap();
        assert!(link.starts_with("http://"), "{link:?}");
        Worker(server)
    }

    fn open(&self, args: &[&str]) -> TerminalWindow {
        let name = self.model.name();
        let chat = ["chat", "--model", &name, "--permissions", "full"];
        let command = self.sandbox.command(&self.args(&[&chat, args].concat()));
        TerminalWindow::open(&command, 100, 40)
    }

    /// Begins a run whose call takes long.
    fn begin(&self, window: &mut TerminalWindow) {
        window.press("go\r");
        let mut answering = self.model.asked();
        answering.send_text(LONG_CALL);
        answering.end();
        window.wait_for("│ begun");
    }

    /// Lets the call end.
    fn open_gate(&self) {
        drop(OpenOptions::new().write(true).open(self.sandbox.root().join("gate")).unwrap());
    }

    fn types(&self) -> Vec<String> {
        let listed = self.sandbox.silcrow(&self.args(&["log", "list", "--json"])).ends(0).events();
        let id = listed[0]["conversation"].as_str().unwrap().to_owned();
        self.sandbox.silcrow(&self.args(&["log", "--json", "show", &id])).ends(0).types()
    }

    /// Closes the window in the middle of the call. A server continues the run, a later session follows it
    /// there, and the call has started once.
    fn close_and_find_again(&self, window: TerminalWindow) {
        let session = window.close();
        self.open_gate();
        assert_eq!(exit_code(session), Some(129));
        let mut answering = self.model.asked();
        assert!(answering.request.contains("begun"), "{}", answering.request);
        let later = self.open(&["--continue"]);
        later.wait_for("at work in the server http://127.0.0.1:");
        answering.send_text("§respond: It is whole.\n§end");
        answering.end();
        later.wait_for("It is whole.");
        assert_eq!(self.types(), ["user", "call", "result", "respond"]);
        assert_eq!(fs::read_to_string(self.sandbox.root().join("ran")).unwrap(), "ran\n");
        later.hang_up();
    }

    /// A run is handed over while its call is at work.
    pub(crate) fn check(&self) {
        let _server = self.serve(&[]);
        let mut window = self.open(&[]);
        window.wait_for("›");
        self.begin(&mut window);
        window.press("/handover\r");
        window.wait_for_both("the run goes on in", "the terminal may close");
        self.close_and_find_again(window);
    }
}

#[test]
fn handed_over_run_is_found_again() {
    let run = HandedOver::new(&[]);
    run.check();
    let offers = run.sandbox.path("data/silcrow/offers");
    assert_eq!(fs::read_dir(offers).unwrap().count(), 0, "a run that is over leaves nothing");
}

#[test]
fn closing_terminal_hands_over_only_if_configured() {
    let run = HandedOver::new(&[]);
    let _server = run.serve(&[]);
    let mut window = run.open(&[]);
    window.wait_for("›");
    window.press("/handover\r");
    window.wait_for("nothing runs");
    window.press("/handover close\r");
    window.wait_for("if the terminal closes, a run goes on in the server");
    run.begin(&mut window);
    run.close_and_find_again(window);
}

#[test]
fn run_stays_and_explains_without_a_server() {
    let run = HandedOver::new(&[]);
    let other = run.sandbox.path("other");
    fs::create_dir(&other).unwrap();
    let _server = run.serve(&["--root", other.to_str().unwrap()]);
    let mut window = run.open(&[]);
    window.wait_for("›");
    run.begin(&mut window);
    window.press("/handover\r");
    window.wait_for("no server continues runs of this folder, so the run stays here");
    window.wait_for("silcrow serve --work --root");
    run.open_gate();
    let mut answering = run.model.asked();
    answering.send_text("§respond: It stayed.\n§end");
    answering.end();
    window.wait_for_both("It stayed.", "(Shift-Tab)");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(run.types(), ["user", "call", "result", "respond"]);
}

#[test]
fn open_question_survives_the_hand_over() {
    let run = HandedOver::new(&[]);
    let _server = run.serve(&[]);
    let write = r#"{"name":"file_write","args":{"file":"b.txt","content":"beta"}}"#;
    let first = script(&run.sandbox, &format!("§call: {write}\n§execute\n"));
    let args = ["chat", "--model", &first, "--permissions", "ask"];
    let mut window = TerminalWindow::open(&run.sandbox.command(&args), 100, 40);
    window.wait_for("›");
    window.press("/handover close\r");
    window.wait_for("if the terminal closes");
    window.press("write it\r");
    window.wait_for("y yes");
    assert_eq!(window.hang_up(), Some(129));
    assert!(!run.sandbox.root().join("b.txt").exists());
    let listed = run.sandbox.silcrow(&["log", "list", "--json"]).ends(0).events();
    let id = listed[0]["conversation"].as_str().unwrap();
    run.sandbox.silcrow(&["runs", "answer", id, "1/a1", "yes"]).ends(0);
    let mut answering = run.model.asked();
    answering.send_text("§respond: It is written.\n§end");
    answering.end();
    while !run.types().contains(&"respond".to_owned()) {}
    assert_eq!(fs::read_to_string(run.sandbox.root().join("b.txt")).unwrap(), "beta");
}
