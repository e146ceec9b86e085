//! The first minute, without a model, on terminals of all sizes and kinds.

use std::thread;

use super::TerminalWindow;
use super::window::steady;
use crate::support::Sandbox;

/// A kind of terminal.
struct Look {
    name: &'static str,
    variables: &'static [(&'static str, &'static str)],
    /// The parameters of some colour, and of one that is not there.
    colors: (&'static str, &'static str),
}

const LOOKS: [Look; 4] = [
    Look { name: "dark", variables: &[("COLORFGBG", "15;0")], colors: ("96m", "34m") },
    Look { name: "light", variables: &[("COLORFGBG", "0;15")], colors: ("34m", "96m") },
    Look { name: "no colour", variables: &[("NO_COLOR", "1")], colors: ("\x1b[", "34m") },
    Look {
        name: "no Unicode",
        variables: &[("LANG", "C"), ("LC_ALL", "C"), ("COLORFGBG", "15;0")],
        colors: ("96m", "34m"),
    },
];

/// Plays the first minute, and returns the shown text.
fn play(look: &Look, columns: u16) -> String {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("plan.txt"), "Meeting at ten.\n").unwrap();
    let mut command = sandbox.command(&["chat", "--model", "rehearsal"]);
    command.env_remove("NO_COLOR").env_remove("COLORFGBG").envs(look.variables.iter().copied());
    let mut window = TerminalWindow::open(&command, columns, 60);
    window.wait_for("(Shift-Tab)");
    for (typed, shown) in [
        ("What is in this directory?", "plan.txt"),
        ("/context", "shows all of it"),
        ("!cat plan.txt", "Meeting at ten."),
    ] {
        window.press(&format!("{typed}\r"));
        window.wait_for_both(shown, "(Shift-Tab)");
    }
    let bytes = String::from_utf8_lossy(&window.bytes()).into_owned();
    let (there, missing) = look.colors;
    assert!(bytes.contains(there) && !bytes.contains(missing), "{}: {bytes:?}", look.name);
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    let is_cut = shown.lines().any(|row| row.chars().count() >= columns.into());
    assert!(!is_cut, "{} at {columns}:\n{shown}", look.name);
    // The number of tokens depends on the letters of paths and ids.
    steady(&shown, &sandbox).replace(|char: char| char.is_ascii_digit(), "0")
}

#[test]
fn first_minute_matches_at_every_width_and_terminal() {
    for columns in [60, 80, 100, 140] {
        let shown = thread::scope(|scope| {
            let plays = LOOKS.each_ref().map(|look| scope.spawn(move || play(look, columns)));
            plays.map(|play| play.join().unwrap())
        });
        let [dark, light, colourless, ascii] = shown;
        assert_eq!(dark, light, "{columns}");
        assert_eq!(dark, colourless, "{columns}");
        assert!(ascii.is_ascii(), "{ascii}");
        assert!(ascii.contains("ok file_list"), "{ascii}");
    }
}

#[test]
fn dumb_terminal_gets_plain_lines() {
    for columns in [60, 80, 100, 140] {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.root().join("plan.txt"), "Meeting at ten.\n").unwrap();
        let mut command =
            sandbox.command(&["run", "What is in this directory?", "--model", "rehearsal"]);
        command.env("TERM", "dumb");
        let window = TerminalWindow::open(&command, columns, 30);
        window.wait_for("plan.txt");
        let bytes = String::from_utf8(window.bytes()).unwrap();
        assert!(!bytes.contains('\x1b'), "{bytes:?}");
        assert_eq!(window.end().0, Some(0));
    }
}
