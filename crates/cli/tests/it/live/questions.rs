//! Questions about calls, and the keys that answer them.

use super::window::steady;
use super::{TerminalWindow, script};
use crate::support::Sandbox;

const WRITES: &str = "\
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"one\\ntwo\\n\"}}
§execute
%%
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"three\\n\"}}
§execute
%%
§respond: Done.
§end";

fn ask(sandbox: &Sandbox) -> TerminalWindow {
    let model = script(sandbox, WRITES);
    let window = TerminalWindow::open(&sandbox.command(&["run", "go", "--model", &model]), 80, 40);
    window.wait_for("y yes");
    window
}

fn written(sandbox: &Sandbox) -> Option<String> {
    std::fs::read_to_string(sandbox.root().join("b.txt")).ok()
}

#[test]
fn a_question_shows_what_it_is_about_and_explains_its_keys() {
    let sandbox = Sandbox::new();
    let mut window = ask(&sandbox);
    window.press("?");
    window.wait_for_both("this explanation", "? more");
    insta::assert_snapshot!("question", steady(&window.shown(), &sandbox));
    window.press("a");
    window.wait_for("Esc goes back");
    insta::assert_snapshot!("question_always", steady(&window.shown(), &sandbox));
    window.press("\x1b");
    window.wait_for("? more");
    window.press("s");
    assert_eq!(window.end().0, Some(130));
    assert_eq!(written(&sandbox), None);
}

#[test]
fn only_the_keys_of_the_row_answer() {
    let sandbox = Sandbox::new();
    let mut window = ask(&sandbox);
    window.press("x\r \x1b[A\x1b[B1fQ\t");
    window.press("axyn");
    window.wait_for("Esc goes back");
    assert_eq!(written(&sandbox), None);
    window.press("\x1b");
    window.wait_for("y yes");
    window.press("y");
    window.wait_for("› yes");
    window.wait_for("+1 -2 lines");
    window.wait_for("y yes");
    assert_eq!(written(&sandbox).as_deref(), Some("one\ntwo\n"));
    window.press("n");
    window.wait_for("Done.");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(written(&sandbox).as_deref(), Some("one\ntwo\n"));
}

#[test]
fn a_yes_for_the_conversation_is_one() {
    let sandbox = Sandbox::new();
    let mut window = ask(&sandbox);
    window.press("a1");
    window.wait_for("Done.");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn a_no_may_have_words_for_the_model() {
    let sandbox = Sandbox::new();
    let mut window = ask(&sandbox);
    window.press("w");
    window.wait_for("No, because");
    window.press("\x1b");
    window.wait_for("y yes");
    window.press("wuse c.txt\r");
    window.wait_for("said: use c.txt");
    window.wait_for("y yes");
    window.press("n");
    window.wait_for("Done.");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(written(&sandbox), None);
}

#[test]
fn a_question_is_asked_at_the_terminal_where_input_is_a_pipe() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, WRITES);
    let command = sandbox.command(&["run", "-", "--model", &model]);
    let mut window = TerminalWindow::open_with(&command, 80, 40, Some("go on"));
    window.wait_for("y yes");
    window.press("a1");
    window.wait_for("Done.");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn a_change_is_shown_as_the_lines_that_differ() {
    let sandbox = Sandbox::new();
    let mut window = ask(&sandbox);
    window.press("y");
    window.wait_for("content in b.txt: +1 -2 lines");
    window.wait_for("-one");
    window.wait_for("+three");
    window.wait_for("y yes");
    window.press("?");
    window.wait_for("replaces 2 of 2 lines with 1 line");
    window.wait_for("y yes");
    window.press("s");
    assert_eq!(window.end().0, Some(130));
    assert_eq!(written(&sandbox).as_deref(), Some("one\ntwo\n"));
}

#[test]
fn a_yes_for_the_folder_is_kept_and_holds_nowhere_else() {
    let sandbox = Sandbox::new();
    let mut window = ask(&sandbox);
    window.press("af");
    // The second call is allowed by the rule that was just kept.
    window.wait_for("Done.");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(written(&sandbox).as_deref(), Some("three\n"));
    let file = sandbox.path("config/silcrow/policy.toml");
    let root = sandbox.root().canonicalize().unwrap();
    let root = root.display();
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        format!(
            "mode = \"ask\"\n\n# Kept by an answer to a question.\n[[rules]]\neffect = \"allow\"\n\
             tool = \"file_write\"\npath = \"b.txt\"\nroot = \"{root}\"\n"
        )
    );
    // Another run there does not ask, also by another way to the folder.
    std::os::unix::fs::symlink(sandbox.root(), sandbox.path("way")).unwrap();
    let model = script(&sandbox, WRITES);
    let run = |root: &str| {
        let root = sandbox.path(root);
        let args = ["run", "go", "--model", &model, "--root", root.to_str().unwrap()];
        TerminalWindow::open(&sandbox.command(&args), 80, 40)
    };
    for root in ["root", "way"] {
        std::fs::remove_file(sandbox.root().join("b.txt")).unwrap();
        let window = run(root);
        window.wait_for("Done.");
        assert_eq!(window.end().0, Some(0));
        assert_eq!(written(&sandbox).as_deref(), Some("three\n"));
    }
    std::fs::create_dir(sandbox.path("other")).unwrap();
    let mut window = run("other");
    window.wait_for("y yes");
    window.press("s");
    assert_eq!(window.end().0, Some(130));
    assert!(!sandbox.path("other/b.txt").exists());
}

#[test]
fn a_rule_that_cannot_be_kept_is_not_a_yes() {
    let sandbox = Sandbox::new();
    let file = sandbox.path("config/silcrow/policy.toml");
    let mut window = ask(&sandbox);
    std::fs::write(&file, "mode =").unwrap();
    window.press("af");
    window.wait_for("the rule is not kept, because");
    window.wait_for_times("y yes", 1);
    assert_eq!(written(&sandbox), None);
    window.press("s");
    assert_eq!(window.end().0, Some(130));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mode =");
}

#[test]
fn rows_that_were_never_shown_take_another_yes() {
    let sandbox = Sandbox::new();
    let content = "line\\n".repeat(300);
    let text = format!(
        "§call: {{\"name\":\"file_write\",\"args\":{{\"file\":\"b.txt\",\"content\":\"{content}\"}}}}\n\
         §execute\n%%\n§respond: Done.\n§end"
    );
    let model = script(&sandbox, &text);
    let command = sandbox.command(&["run", "go", "--model", &model]);
    let open = || {
        let window = TerminalWindow::open(&command, 80, 40);
        window.wait_for("rows are not shown here; ? shows all of them");
        window.wait_for("? more");
        window
    };
    let mut window = open();
    window.press("yaf");
    window.wait_for("Not all rows were shown");
    assert_eq!(written(&sandbox), None);
    window.press("?n");
    window.wait_for("Done.");
    let all = String::from_utf8_lossy(&window.bytes()).matches("+line").count();
    assert!(all >= 300, "{all}");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(written(&sandbox), None);

    let mut window = open();
    window.press("Y");
    window.wait_for("Done.");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(written(&sandbox).map(|text| text.len()), Some(1500));
}

#[test]
fn a_question_has_few_rows_at_each_width() {
    let long = "for name in alpha beta gamma; do printf '%s is here, and so is the next one' \"$name\"; done";
    for (name, command) in [("short", "make check"), ("long", long)] {
        let command = serde_json::Value::from(command);
        for columns in [60, 80, 120] {
            let sandbox = Sandbox::new();
            let text = format!(
                "§call: {{\"name\":\"shell\",\"args\":{{\"command\":{command}}}}}\n§execute"
            );
            let model = script(&sandbox, &text);
            let run = sandbox.command(&["run", "go", "--model", &model]);
            let mut window = TerminalWindow::open(&run, columns, 30);
            window.wait_for("? more");
            insta::assert_snapshot!(format!("{name}_{columns}"), steady(&window.shown(), &sandbox));
            window.press("s");
            assert_eq!(window.end().0, Some(130));
        }
    }
}

#[test]
fn a_long_command_is_folded_until_all_of_it_is_asked_for() {
    let sandbox = Sandbox::new();
    let lines: String = (0..60).map(|line| format!("echo line {line}; ")).collect();
    let text = format!(
        "§call: {{\"name\":\"shell\",\"args\":{{\"command\":\"{lines}rm -r x\"}}}}\n§execute\n%%\n\
         §respond: Done.\n§end"
    );
    let model = script(&sandbox, &text);
    let run = sandbox.command(&["run", "go", "--model", &model]);
    let mut window = TerminalWindow::open(&run, 80, 40);
    window.wait_for("rows are not shown here");
    assert!(!window.shown().contains("line 30;"), "{}", window.shown());
    // What it ends with is seen.
    assert!(window.shown().contains("rm -r x"), "{}", window.shown());
    window.press("y");
    window.wait_for("Not all rows were shown");
    window.press("?");
    window.wait_for("line 30;");
    window.press("n");
    window.wait_for("Done.");
    assert_eq!(window.end().0, Some(0));
}
