//! How the terminal calls the person who looks elsewhere.

use super::{TerminalWindow, script};
use crate::support::Sandbox;

#[test]
fn question_alerts_the_person_and_restores_the_title() {
    let sandbox = Sandbox::new();
    sandbox.silcrow(&["config", "set", "notify", "osc777"]).ends(0);
    let call = "{\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"beta\"}}";
    let model = script(&sandbox, &format!("§call: {call}\n§execute\n%%\n§respond: Done.\n§end"));
    let mut command = sandbox.command(&["chat", "--model", &model]);
    command.env_remove("TMUX");
    let mut window = TerminalWindow::open(&command, 80, 40);
    window.wait_for("›");
    window.press("go\r");
    window.wait_for("y yes");
    window.press("y");
    window.wait_for_both("Done.", "out ›");
    let bytes = String::from_utf8(window.bytes()).unwrap();
    let root = sandbox.root();
    let root = root.display();
    let order = [
        "\x1b[22;2t".to_owned(),
        format!("\x1b]2;\u{25cf} silcrow: {root}\x07"),
        format!("\x1b]2;? silcrow: {root}\x07"),
        format!("\x1b]777;notify;silcrow waits for your answer;{root}\x07"),
        format!("\x1b]2;silcrow: {root}\x07"),
    ];
    let order = order.map(|sequence| bytes.find(&sequence));
    assert!(order.is_sorted() && order[0].is_some(), "{order:?} in {bytes:?}");
    window.press("\x04");
    let (code, bytes) = window.end_with_bytes();
    assert_eq!(code, Some(0));
    assert!(String::from_utf8(bytes).unwrap().contains("\x1b[23;2t"), "the title stays");
}

#[test]
fn todo_list_stays_above_the_line_until_hidden() {
    let sandbox = Sandbox::new();
    let items = "[{\"content\":\"read it\",\"status\":\"completed\"},\
                  {\"content\":\"mend it\",\"status\":\"in_progress\"}]";
    let wait =
        "{\"name\":\"shell\",\"args\":{\"command\":\"while [ ! -e go ]; do sleep 0.05; done\"}}";
    let todo = format!("{{\"name\":\"todo\",\"args\":{{\"items\":{items}}}}}");
    let text =
        format!("§call: {todo}\n§execute\n%%\n§call: {wait}\n§execute\n%%\n§respond: It is.\n§end");
    let model = script(&sandbox, &text);
    let args = ["chat", "--model", &model, "--permissions", "full"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 80, 40);
    window.wait_for("›");
    window.press("go\r");
    window.wait_for_both("✓ read it → mend it", "Esc stops");
    window.press("\x14");
    window.wait_until_gone("→ mend it");
    std::fs::write(sandbox.root().join("go"), "").unwrap();
    window.wait_for("todo: 1 of 2 done");
    window.wait_for("full (Shift-Tab)");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn settings_choose_the_parts_of_the_status_line() {
    let sandbox = Sandbox::new();
    sandbox.silcrow(&["config", "set", "status", "branch,mode,todo"]).ends(0);
    std::fs::create_dir(sandbox.root().join(".git")).unwrap();
    std::fs::write(sandbox.root().join(".git/HEAD"), "ref: refs/heads/topic\n").unwrap();
    let todo = "{\"name\":\"todo\",\"args\":{\"items\":[{\"content\":\"read it\",\"status\":\"in_progress\"}]}}";
    let wait =
        "{\"name\":\"shell\",\"args\":{\"command\":\"while [ ! -e go ]; do sleep 0.05; done\"}}";
    let text =
        format!("§call: {todo}\n§execute\n%%\n§call: {wait}\n§execute\n%%\n§respond: It is.\n§end");
    let model = script(&sandbox, &text);
    let args = ["chat", "--model", &model, "--permissions", "full"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 80, 40);
    window.wait_for("›");
    window.press("go\r");
    window.wait_for("· topic · full · todo: 0 of 1 done · Esc stops");
    std::fs::write(sandbox.root().join("go"), "").unwrap();
    window.wait_for("It is.");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let refused = sandbox.silcrow(&["config", "set", "status", "branch,weather"]);
    assert!(refused.ends(2).err.contains("write a list of some of \"mode\""), "{}", refused.err);
}
