//! Calls on a terminal: their rows while they run, and their lines when they have ended.

use super::window::steady;
use super::{TerminalWindow, script};
use crate::support::Sandbox;

const COMMANDS: &str = "\
§call: {\"name\":\"shell\",\"args\":{\"command\":\"true\"}}
§call: {\"name\":\"shell\",\"args\":{\"command\":\"echo no; exit 3\"}}
§execute
%%
§respond: Done.
§end";

#[test]
fn a_command_that_fails_has_a_sign_of_its_own() {
    for locale in ["C.UTF-8", "C"] {
        let sandbox = Sandbox::new();
        let model = script(&sandbox, COMMANDS);
        let args = ["run", "go", "--model", &model, "--permissions", "full", "--new", "c1"];
        let args = [&args[..], &["--max-parallel", "1"]].concat();
        let mut command = sandbox.command(&args);
        command.env("LANG", locale);
        let (code, shown) = TerminalWindow::open(&command, 80, 30).end();
        assert_eq!(code, Some(0), "{shown}");
        insta::assert_snapshot!(format!("commands_{locale}"), steady(&shown, &sandbox));
    }
}

#[test]
fn what_two_agents_do_is_indented_under_the_call_of_each() {
    for columns in [60, 140] {
        let sandbox = Sandbox::new();
        let waits = "<action id=\"s\">{\"name\":\"shell\",\"parameters\":\
                     {\"command\":\"while [ ! -e go ]; do sleep 0.05; done\"}}</action>\n\
                     <response final=\"true\">It is there.$s</response>";
        // One answer for each of the two.
        let reader = sandbox.write("reader", &format!("{waits}\n%%\n{waits}"));
        let manifest = sandbox.write(
            "m.toml",
            &format!(
                "[agents.reader]\ndescription = \"Reads.\"\nmodel = \"script:{reader}\"\n\
                 tools = [\"shell\"]\n"
            ),
        );
        sandbox.trust(&manifest);
        let call = |id: &str, task: &str| {
            format!(
                "<action id=\"{id}\" type=\"agent\" mode=\"async\">\
                 {{\"name\":\"reader\",\"parameters\":{{\"task\":\"{task}\"}}}}</action>\n"
            )
        };
        let both = format!("{}{}", call("x", "one"), call("y", "two"));
        let model = script(&sandbox, &format!("{both}<response>$x $y</response>"));
        let args = ["run", "go", "--dialect", "action", "--model", &model];
        let args = [&args[..], &["--manifest", &manifest, "--permissions", "full"]].concat();
        let window = TerminalWindow::open(&sandbox.command(&args), columns, 30);
        // Once where each call was written, and once below the row of the agent's call.
        window.wait_for_times("reader → shell", 4);
        let shown = window.shown();
        let rows: Vec<_> = shown.lines().collect();
        for task in ["one", "two"] {
            let call = format!("→ reader {task}");
            let at = rows.iter().position(|row| row.starts_with(&call)).unwrap();
            assert!(rows[at + 1].starts_with("  reader → shell while"), "{columns}\n{shown}");
        }
        std::fs::write(sandbox.root().join("go"), "").unwrap();
        let (code, shown) = window.end();
        assert_eq!(code, Some(0), "{shown}");
        assert_eq!(shown.matches("✓ reader").count(), 2, "{shown}");
        assert_eq!(shown.matches("  reader → shell").count(), 2, "{shown}");
        assert!(shown.lines().all(|row| row.chars().count() < columns.into()), "{shown}");
    }
}
