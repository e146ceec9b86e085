//! Plans, commands of the person, and going back, in a session.

use super::{TerminalWindow, script};
use crate::support::Sandbox;

#[test]
fn plan_can_be_refused_accepted_and_executed() {
    let sandbox = Sandbox::new();
    let plan = |title: &str| {
        let args = format!("{{\"title\":\"{title}\",\"plan\":\"1. Write `b.txt`\"}}");
        format!("§call: {{\"name\":\"plan_propose\",\"args\":{args}}}\n§execute\n%%\n")
    };
    let write = "{\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"beta\"}}";
    let text = format!(
        "§call: {write}\n§execute\n%%\n{}{}§call: {write}\n§execute\n%%\n§respond: It is written.\n§end",
        plan("First"),
        plan("Second")
    );
    let model = script(&sandbox, &text);
    let args = ["chat", "--model", &model, "--permissions", "plan"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 80, 50);
    window.wait_for("› plan (Shift-Tab)");
    window.press("go\r");
    // The first call is denied without a question.
    window.wait_for("plan │ First");
    assert!(!sandbox.root().join("b.txt").exists());
    window.press("wcheck it, too\r");
    window.wait_for("plan │ Second");
    window.press("e");
    window.wait_for_both("It is written.", "› workspace (Shift-Tab)");
    assert!(sandbox.root().join("b.txt").exists());
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("check it, too"), "{shown}");
}

#[test]
fn person_command_output_is_data_for_next_prompt() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, "§respond: I have read it.\n§end");
    let mut window = TerminalWindow::open(&sandbox.command(&["chat", "--model", &model]), 80, 40);
    window.wait_for("›");
    window.press("!echo from-$((40 + 2)); exit 3\r");
    window.wait_for_both("from-42", "exit status 3");
    window.press("what was that?\r");
    window.wait_for_both("I have read it.", "out ›");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let log = sandbox.silcrow(&["log", "search", "from-42", "--json"]);
    assert!(log.out.contains("The person has run"), "{}", log.out);
}

#[test]
fn person_command_gets_the_terminal() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, "§respond: First.\n§end\n%%\n§respond: I have read it.\n§end");
    let mut window = TerminalWindow::open(&sandbox.command(&["chat", "--model", &model]), 77, 31);
    window.wait_for("›");
    window.press("hello\r");
    window.wait_for_both("First.", "out ›");
    let asks = "test -t 0 && test -t 1 && stty size && read x && printf '\\033[31mgot-'$x";
    window.press(&format!("!{asks}\r"));
    window.wait_for("31 77");
    window.press("word\r");
    window.wait_for_both("got-word", "›");
    // Ctrl-C reaches the command and its processes, but not the session. The started process
    // reports its start itself, because a shell that is about to start a program can lose the
    // signal.
    window.press("!trap 'echo caught; exit 7' INT; sh -c 'echo waits; exec sleep 600'\r");
    window.wait_for("sleep 600' waits");
    window.press("\x03");
    window.wait_for_both("caught", "exit status 7");
    // Esc is a key of the program, and a full screen leaves nothing behind.
    let full = "stty raw -echo; printf '\\033[?1049hfull-%s' screen; dd bs=1 count=1 2>/dev/null | od -c; \
                stty sane; printf '\\033[?1049l'; echo ov''er";
    window.press(&format!("!{full}\r"));
    window.wait_for("full-screen");
    window.press("\x1b");
    window.wait_for_both("over", "›");
    window.press("what was that?\r");
    window.wait_for_both("I have read it.", "out ›");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let listed = sandbox.silcrow(&["log", "list", "--json"]).events();
    let id = listed[0]["conversation"].as_str().unwrap();
    let log = sandbox.silcrow(&["log", "show", id, "--no-pager"]).out.clone();
    assert!(log.contains("got-word") && log.contains("caught") && log.contains("over"), "{log}");
    assert!(!log.contains("x1b") && !log.contains("full-screen"), "{log}");
}

#[test]
fn going_back_takes_files_and_conversation_along() {
    let sandbox = Sandbox::new();
    let write = |name: &str| {
        let args = format!("{{\"file\":\"{name}\",\"content\":\"text\"}}");
        format!(
            "§call: {{\"name\":\"file_write\",\"args\":{args}}}\n§execute\n%%\n§respond: Wrote {name}.\n§end\n%%\n"
        )
    };
    let model =
        script(&sandbox, &(write("one.txt") + &write("two.txt") + "§respond: Again.\n§end"));
    let args = ["chat", "--model", &model, "--permissions", "full"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 80, 50);
    window.wait_for("›");
    for name in ["one.txt", "two.txt"] {
        window.press(&format!("write {name}\r"));
        window.wait_for_both(&format!("Wrote {name}."), "full (Shift-Tab)");
    }
    window.press("/rewind 2\r");
    window.wait_for_both("removed two.txt", "a fork of");
    window.wait_for_times("› write two.txt", 2);
    assert!(sandbox.root().join("one.txt").exists() && !sandbox.root().join("two.txt").exists());
    window.press(" again\r");
    window.wait_for_both("Again.", "full (Shift-Tab)");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}
