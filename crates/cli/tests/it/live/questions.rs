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
fn a_kept_yes_holds_for_later_runs_by_any_way_to_the_folder() {
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
