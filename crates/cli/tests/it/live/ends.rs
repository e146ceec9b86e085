//! Terminals that hang up and people who stop early: nothing is left behind.

use std::fs::File;
use std::io::Read as _;
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{TerminalWindow, script};
use crate::support::Sandbox;

/// A call that runs until it is stopped, and until then has the pipe `alive` open.
const RUNS_ON: &str = "\
§call: {\"name\":\"shell\",\"args\":{\"command\":\"exec 3> alive; echo begun; while :; do sleep 0.05; done\",\"timeout\":500}}
§execute
%%
§respond: It is done.
§end";

#[test]
fn hangup_ends_everything_and_is_logged() {
    for args in [&["run", "go"][..], &["chat"]] {
        let sandbox = Sandbox::new();
        let alive = sandbox.root().join("alive");
        mknodat(CWD, &alive, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let model = script(&sandbox, RUNS_ON);
        let args = [args, &["--model", &model, "--permissions", "full"]].concat();
        let mut window = TerminalWindow::open(&sandbox.command(&args), 80, 30);
        if args[0] == "chat" {
            window.wait_for("›");
            window.press("go\r");
        }
        let mut alive = File::open(alive).unwrap();
        window.wait_for("│ begun");
        assert_eq!(window.hang_up(), Some(129), "{args:?}");
        // The end of the pipe is reached when the last process that has it open has ended.
        assert_eq!(alive.read_to_end(&mut Vec::new()).unwrap(), 0);
        let list = sandbox.silcrow(&["log", "list", "--json"]).ends(0).events();
        let id = list[0]["conversation"].as_str().unwrap();
        let types = sandbox.silcrow(&["log", "--json", "show", id]).ends(0).types();
        assert_eq!(types, ["user", "call", "result", "cancelled"], "{args:?}");
    }
}

#[test]
fn ctrl_c_ends_a_run_reading_its_input() {
    let sandbox = Sandbox::new();
    let silcrow = sandbox.command(&["run", "-", "--model", &script(&sandbox, RUNS_ON)]);
    // The shell outlives Ctrl-C and ends with the exit code of the command, whose input never ends, because
    // it could also write to it.
    let line = "mkfifo input; trap : INT; sh -c 'echo waits >&2; exec \"$@\"' sh \"$@\" <>input";
    let mut command = Command::new("sh");
    command.args(["-c", line, "sh"]).arg(silcrow.get_program()).args(silcrow.get_args());
    command.envs(silcrow.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(sandbox.root());
    let mut window = TerminalWindow::open(&command, 80, 30);
    window.wait_for("waits");
    window.press("\x03");
    let (code, shown) = window.end();
    assert_eq!(code, Some(130), "{shown}");
    // Nothing has begun.
    assert!(!sandbox.path("data").exists());
}
