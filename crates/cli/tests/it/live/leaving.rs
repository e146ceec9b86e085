//! The one yes that lets commands leave the sandbox in the mode `full`.

use super::{TerminalWindow, script};
use crate::approve::at_terminal;
use crate::support::Sandbox;

/// Returns a script whose turns are commands that want to leave the sandbox. Each writes a file beside
/// the root, where nothing in the sandbox can.
fn leaving(turns: &[&[&str]]) -> String {
    let call = |name: &&str| {
        format!(
            "§call: {{\"name\":\"shell\",\"args\":{{\"command\":\"touch ../{name}\",\
             \"needs\":{{\"outside\":\"it writes beside the root\"}}}}}}\n"
        )
    };
    let turn = |names: &&[&str]| names.iter().map(call).collect::<String>() + "§execute\n%%\n";
    turns.iter().map(turn).collect()
}

const HOLDS: &str = "a yes holds until the mode changes";

#[test]
fn yes_holds_in_a_session_until_the_mode_changes() {
    let sandbox = Sandbox::new();
    let ends = |text: &str| format!("§respond: {text}\n§end\n%%\n");
    let text = leaving(&[&["one"], &["two"]])
        + &ends("First.")
        + &leaving(&[&["three"]])
        + &ends("Second.")
        + &leaving(&[&["four"]])
        + &ends("Third.")
        + &leaving(&[&["five"]])
        + "§respond: Fourth.\n§end";
    let model = script(&sandbox, &text);
    let args = ["chat", "--model", &model, "--permissions", "full"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 60, 60);
    window.wait_for("› full (Shift-Tab)");
    window.press("go\r");
    // The question says how long the yes holds, also where it has little room.
    window.wait_for(HOLDS);
    window.wait_for("y yes");
    assert!(!window.shown().contains("a always"), "{}", window.shown());
    assert!(!sandbox.path("one").exists());
    window.press("y");
    // A second question would wait forever.
    window.wait_for("First.");
    window.press("again\r");
    window.wait_for("Second.");
    assert!(["one", "two", "three"].iter().all(|name| sandbox.path(name).exists()));
    // Another mode forgets it, and `full` asks again.
    window.press("/permissions ask\r");
    window.wait_for("› ask (Shift-Tab)");
    window.press("go\r");
    window.wait_for("touch ../four");
    window.wait_for_times("y yes", 1);
    assert_eq!(window.shown().matches(HOLDS).count(), 1, "{}", window.shown());
    window.press("n");
    window.wait_for("Third.");
    window.press("/permissions full\r");
    window.wait_for("Sure? [y/N]");
    window.press("y\r");
    window.wait_for("› full (Shift-Tab)");
    window.press("go\r");
    window.wait_for_times(HOLDS, 2);
    window.press("n");
    window.wait_for("Fourth.");
    assert!(!["four", "five"].iter().any(|name| sandbox.path(name).exists()));
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn yes_holds_in_one_run_and_is_kept_nowhere() {
    let sandbox = Sandbox::new();
    let text = leaving(&[&["one", "two"], &["three"]]) + "§respond: Done.\n§end";
    let model = script(&sandbox, &text);
    let run = sandbox.command(&["run", "go", "--model", &model, "--permissions", "full"]);
    let mut window = TerminalWindow::open(&run, 100, 60);
    window.wait_for(HOLDS);
    window.wait_for("y yes");
    window.press("y");
    window.wait_for("Done.");
    assert_eq!(window.end().0, Some(0));
    for name in ["one", "two", "three"] {
        std::fs::remove_file(sandbox.path(name)).unwrap();
    }
    // The next run asks again, and its question holds at a plain terminal, too.
    let (shown, code) = at_terminal(&run, &["y\n"]);
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(shown.matches("A call needs your approval.").count(), 1, "{shown}");
    assert!(shown.contains("yes holds until the mode changes"), "{shown}");
    assert!(["one", "two", "three"].iter().all(|name| sandbox.path(name).exists()), "{shown}");
    let policy = std::fs::read_to_string(sandbox.path("config/silcrow/policy.toml")).unwrap();
    assert_eq!(policy, "mode = \"ask\"\n");
}

#[test]
fn no_lets_nothing_out() {
    let sandbox = Sandbox::new();
    let text = leaving(&[&["one"], &["two"]]) + "§respond: Done.\n§end";
    let model = script(&sandbox, &text);
    let run = sandbox.command(&["run", "go", "--model", &model, "--permissions", "full"]);
    let (shown, code) = at_terminal(&run, &["n\n", "n\n"]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(!sandbox.path("one").exists() && !sandbox.path("two").exists());
}
