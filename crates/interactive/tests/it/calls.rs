//! Calls on a live screen: their rows while they run, and their lines when they have ended.

use std::num::NonZeroUsize;

use silcrow_parser::Dialect;

use crate::run_window::RunWindow;
use crate::support::Sandbox;

const COMMANDS: &str = "\
§call: {\"name\":\"shell\",\"args\":{\"command\":\"true\"}}
§call: {\"name\":\"shell\",\"args\":{\"command\":\"echo no; exit 3\"}}
§execute
%%
§respond: Done.
§end";

#[tokio::test(flavor = "multi_thread")]
async fn failed_command_has_a_distinct_sign() {
    for is_ascii in [false, true] {
        let sandbox = Sandbox::new();
        let mut options = sandbox.full(COMMANDS);
        options.session.max_parallel = NonZeroUsize::new(1);
        let (name, window) = match is_ascii {
            false => ("commands", RunWindow::open(options, 80)),
            true => ("commands_ascii", RunWindow::open_ascii(options, 80)),
        };
        let (shown, ended) = window.end().await;
        ended.unwrap();
        insta::assert_snapshot!(name, sandbox.steady(&shown));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_steps_are_indented_under_their_calls() {
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
                "[agents.reader]\ndescription = \"Reads.\"\nmodel = \"script:{}\"\n\
                 tools = [\"shell\"]\n",
                reader.display()
            ),
        );
        let call = |id: &str, task: &str| {
            format!(
                "<action id=\"{id}\" type=\"agent\" mode=\"async\">\
                 {{\"name\":\"reader\",\"parameters\":{{\"task\":\"{task}\"}}}}</action>\n"
            )
        };
        let both = format!("{}{}", call("x", "one"), call("y", "two"));
        let mut options = sandbox.full(&format!("{both}<response>$x $y</response>"));
        options.session.dialect = Dialect::Action;
        options.session.manifest = Some(manifest);
        let mut window = RunWindow::open(options, columns);
        // Once at the place of each call, and once below the row of the agent's call.
        window.wait_for_times("reader → shell", 4).await;
        let shown = window.shown();
        let rows: Vec<_> = shown.lines().collect();
        for task in ["one", "two"] {
            let call = format!("→ reader {task}");
            let at = rows.iter().position(|row| row.starts_with(&call)).unwrap();
            assert!(rows[at + 1].starts_with("  reader → shell while"), "{columns}\n{shown}");
        }
        std::fs::write(sandbox.root().join("go"), "").unwrap();
        let (shown, ended) = window.end().await;
        ended.unwrap();
        assert_eq!(shown.matches("✓ reader").count(), 2, "{shown}");
        assert_eq!(shown.matches("  reader → shell").count(), 2, "{shown}");
        assert!(shown.lines().all(|row| row.chars().count() < columns.into()), "{shown}");
    }
}
