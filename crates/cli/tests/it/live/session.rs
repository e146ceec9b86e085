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
fn a_session_answers_shows_its_calls_and_ends() {
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
fn commands_of_the_session_are_found_and_explained() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press("/help\r");
    window.wait_for("Ctrl-D");
    window.press("/modle\r");
    window.wait_for("did you mean /model?");
    window.press("/dialect phase\r");
    window.wait_for("the dialect is phase");
    window.press("/fork\r");
    window.wait_for("nothing to fork yet");
    window.press("/exit\r");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    insta::assert_snapshot!("commands", steady(&shown, &sandbox));
}

#[test]
fn a_fork_continues_from_an_earlier_prompt() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press("first\r");
    window.wait_for("two");
    window.wait_for("out ›");
    window.press("second\r");
    window.wait_for("There is one file");
    window.press("/fork\r");
    window.wait_for("2 second");
    window.press("/fork 2\r");
    window.wait_for("a fork of");
    window.wait_for("› second");
    window.press(" again\r");
    window.wait_for("Another answer.");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let list = sandbox.silcrow(&["log", "list", "--json"]);
    assert_eq!(list.out.lines().count(), 2, "{}", list.out);
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
    window.press("\x1b\x1b");
    window.wait_until_gone("› not this");
    window.press("\x1b\x1b");
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
fn nothing_has_a_colour_where_none_is_wanted() {
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
fn a_terminal_without_unicode_gets_ascii_signs() {
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
fn a_dumb_terminal_gets_lines_and_no_session() {
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
fn an_earlier_conversation_is_picked_from_a_list() {
    let sandbox = Sandbox::new();
    for prompt in ["Explain the borrow checker", "Write a poem"] {
        let model = script(&sandbox, "§respond: Of course.\n§end");
        sandbox.silcrow(&["run", prompt, "--model", &model]).ends(0);
    }
    let model = script(&sandbox, "§respond: More about it.\n§end");
    let command = sandbox.command(&["--resume", "--model", &model]);
    let mut window = TerminalWindow::open(&command, 80, 30);
    window.wait_for_both("Write a poem", "2 of 2 ›");
    insta::assert_snapshot!("picker", steady(&window.shown(), &sandbox));
    window.press("brw chk");
    window.wait_for("1 of 2");
    window.press("\r");
    window.wait_until_gone("1 of 2");
    window.press("go on\r");
    window.wait_for_both("More about it.", "›");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    let log = sandbox.silcrow(&["log", "search", "borrow", "--json"]);
    let found: serde_json::Value = serde_json::from_str(log.out.lines().next().unwrap()).unwrap();
    let shown = sandbox.silcrow(&["log", "show", found["conversation"].as_str().unwrap()]);
    assert!(shown.out.contains("More about it."), "{}", shown.out);
}

#[test]
fn a_signal_ends_a_session_that_waits_for_a_line() {
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
fn a_path_and_words_of_any_script_are_prompts() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press("\u{fc}ber alles\r");
    window.wait_for("out ›");
    window.press("/etc/hosts is a file\r");
    window.wait_for_both("There is one file", "›");
    window.press("\u{6771}\r");
    window.wait_for_both("Another answer.", "›");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn a_session_shows_and_summarizes_what_the_model_reads() {
    let sandbox = Sandbox::new();
    let script_text = "§respond: walruses\n§end\n%%\n§respond: puffins\n§end\n%%\nThe notes.";
    let model = script(&sandbox, script_text);
    let args = ["chat", "--model", &model, "--window", "9000"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 80, 40);
    window.wait_for("›");
    window.press("/compact\r");
    window.wait_for("nothing to summarize yet");
    for (prompt, answer) in [("first\r", "walruses"), ("second\r", "puffins")] {
        window.press(prompt);
        window.wait_for_both(answer, "out ›");
    }
    window.press("/compact\r");
    window.wait_for("2 events are summarized");
    window.press("/context\r");
    window.wait_for("stands for the first 2 of");
    window.press("/compact undo\r");
    window.wait_for("reads everything again");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
}

/// A store that another process writes to cannot be recovered yet, and a long one takes long to read.
#[test]
fn a_session_can_be_typed_in_before_its_store_can_be_used() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, "§respond: Of course.\n§end");
    sandbox.silcrow(&["run", "earlier", "--model", &model]).ends(0);
    let lock = std::fs::File::open(sandbox.path("data/silcrow/LOCK")).unwrap();
    lock.lock().unwrap();
    let mut window = open(&sandbox, 80);
    window.press("hello\r");
    lock.unlock().unwrap();
    window.wait_for("two");
    window.wait_for("out ›");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn what_a_run_costs_is_shown_where_the_price_is_known() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, "§respond: walruses\n§end");
    let prices = sandbox.write("prices.toml", "[\"*\"]\ninput = 1000\noutput = 1000\n");
    let args = ["chat", "--model", &model, "--prices", &prices];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 80, 40);
    window.wait_for("›");
    window.press("hello\r");
    window.wait_for_both("walruses", "out · cost ~");
    window.press("/cost\r");
    window.wait_for("out, cost ~");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn lines_that_are_typed_at_once_are_all_prompts() {
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
fn a_session_says_what_is_damaged_and_goes_on() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, "§respond: yes\n§end");
    sandbox.silcrow(&["run", "whales", "--model", &model, "--new", "c1"]).ends(0);
    let log = sandbox.path("data/silcrow/log");
    let segment = log.read_dir().unwrap().next().unwrap().unwrap().path();
    std::fs::write(segment, "").unwrap();

    let mut window = open(&sandbox, 120);
    window.press("hello\r");
    window.wait_for("the store is damaged: bytes 0 to ");
    window.wait_for_both("two", "›");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(shown.matches("the store is damaged").count(), 1, "{shown}");
}
