//! A session from its first line to its last.

use super::window::steady;
use super::{TerminalWindow, script};
use crate::support::Sandbox;

const TWO_ANSWERS: &str = "\
§respond: # Greeting

Hello, **you**. This is a paragraph that is longer than a narrow terminal is wide.

- one
- two

§end
%%
§think: I list the files.
They are few.
§call: {\"name\":\"file_list\",\"args\":{}}
§execute
%%
§respond: There is one file: `a.txt`.
§end
%%
§respond: Another answer.
§end";

fn open(sandbox: &Sandbox, columns: u16) -> TerminalWindow {
    std::fs::write(sandbox.root().join("a.txt"), "alpha\n").unwrap();
    let model = script(sandbox, TWO_ANSWERS);
    let window = TerminalWindow::open(&sandbox.command(&["chat", "--model", &model]), columns, 40);
    window.wait_for("›");
    window
}

#[test]
fn session_answers_shows_calls_and_ends() {
    for columns in [60, 80, 140] {
        let sandbox = Sandbox::new();
        let mut window = open(&sandbox, columns);
        window.press("hello\r");
        window.wait_for("two");
        window.wait_for("out ›");
        window.press("list\\\rthem\r");
        window.wait_for_both("2 steps", "›");
        window.press("\x04");
        let (code, shown) = window.end();
        assert_eq!(code, Some(0), "{shown}");
        insta::assert_snapshot!(format!("session_{columns}"), steady(&shown, &sandbox));
    }
}

#[test]
fn esc_esc_takes_the_last_prompt_back() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press("first try\r");
    window.wait_for("two");
    window.wait_for("out ›");
    window.press("not this");
    window.wait_for("› not this");
    window.press("\x1b");
    window.wait_for("› not this Esc again clears");
    window.press("\x1b");
    window.wait_until_gone("› not this");
    window.press("\x1b");
    window.wait_for("Esc again takes the last prompt back");
    window.press("\x1b");
    window.wait_for_times("› first try", 2);
    window.press(" again\r");
    // The first prompt of a conversation leaves nothing to fork.
    window.wait_for("There is one file");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let log = sandbox.silcrow(&["log", "search", "first", "try", "--json"]);
    assert!(log.out.contains("first try again"), "{}", log.out);
}

#[test]
fn lines_are_remembered_for_their_folder() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press("hello there\r");
    window.wait_for("out ›");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let mut window = open(&sandbox, 80);
    window.press("\x1b[A");
    window.wait_for("› hello there");
    window.press("\x03");
    window.wait_for("Ctrl-D leaves");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn no_color_disables_all_colors() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, TWO_ANSWERS);
    let mut command = sandbox.command(&["chat", "--model", &model]);
    command.env("NO_COLOR", "1");
    let mut window = TerminalWindow::open(&command, 80, 30);
    window.wait_for("›");
    window.press("hello\r");
    window.wait_for("out ›");
    window.press("\x04");
    let bytes = String::from_utf8(window.bytes()).unwrap();
    let colours = bytes.match_indices("\x1b[").filter(|(at, _)| {
        let rest = &bytes[at + 2..];
        let end = rest.find(|char: char| char.is_ascii_alphabetic()).unwrap_or(0);
        rest[end..].starts_with('m') && !matches!(&rest[..end], "0" | "")
    });
    assert_eq!(colours.count(), 0, "{bytes:?}");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn terminal_without_unicode_gets_ascii() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("a.txt"), "alpha\n").unwrap();
    let model = script(&sandbox, TWO_ANSWERS.split("%%\n").nth(1).unwrap());
    let mut command = sandbox.command(&["run", "go", "--model", &model]);
    command.env("LANG", "C").env("LC_ALL", "C");
    let (_, shown) = TerminalWindow::open(&command, 80, 30).end();
    assert!(shown.contains("ok file_list"), "{shown}");
    assert!(shown.is_ascii(), "{shown}");
}

#[test]
fn dumb_terminal_gets_lines_without_a_session() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, TWO_ANSWERS);
    let mut command = sandbox.command(&["chat", "--model", &model]);
    let (code, shown) = TerminalWindow::open(command.env("TERM", "dumb"), 80, 30).end();
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("silcrow run answers one prompt"), "{shown}");
    let mut command = sandbox.command(&["run", "go", "--model", &model]);
    let window = TerminalWindow::open(command.env("TERM", "dumb"), 80, 30);
    window.wait_for("Hello, **you**.");
    assert!(!String::from_utf8(window.bytes()).unwrap().contains("\x1b["), "no row changes");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn signal_ends_a_waiting_session() {
    for (signal, code) in [("-HUP", 129), ("-TERM", 143)] {
        let sandbox = Sandbox::new();
        let window = open(&sandbox, 80);
        let process = window.child().to_string();
        let killed = std::process::Command::new("kill").args([signal, &process]).status();
        assert!(killed.unwrap().success());
        assert_eq!(window.end().0, Some(code));
    }
}

#[test]
fn lines_typed_in_a_burst_are_all_prompts() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press("hello\rlist them\r");
    window.wait_for_both("2 steps", "›");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    let order = [shown.find("› hello"), shown.find("• two"), shown.find("› list them")];
    assert!(order.is_sorted() && order[0].is_some(), "{shown}");
}

#[test]
fn unbracketed_paste_is_one_prompt_without_commands() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press("/exit\rsecond\r\tthird\rfourth\rfifth\rsixth\rseventh\reighth\r");
    window.wait_for("[paste 1: 8 lines]");
    window.press("\r");
    window.wait_for_both("two", "out ›");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let log = sandbox.silcrow(&["log", "search", "third", "--json"]);
    assert!(log.out.contains("/exit\\nsecond\\n\\tthird"), "{}", log.out);
}

#[test]
fn resumed_session_shows_its_end() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press("hello\r");
    window.wait_for_both("two", "out ›");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let model = script(&sandbox, "§respond: Again.\n§end");
    let mut window = TerminalWindow::open(&sandbox.command(&["-c", "-m", &model]), 80, 40);
    window.wait_for_both("• two", "› ask");
    window.press("more\r");
    window.wait_for_both("Again.", "›");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    let order = ["last used", "› hello", "Hello, you.", "Again."].map(|text| shown.find(text));
    assert!(order.is_sorted() && order[0].is_some(), "{shown}");
}
