//! Recordings of the screen at three widths: an edit, a question, and a command with a long output.

use silcrow_policy::PermissionMode;

use crate::run_window::RunWindow;
use crate::support::Sandbox;

/// The calls of the recordings, each with the mode of its run and the text at which it is recorded; a run
/// without one is recorded at its end.
const RECORDINGS: [(&str, PermissionMode, &str, Option<&str>); 3] = [
    (
        "edit",
        PermissionMode::Workspace,
        r#"{"name":"file_edit","args":{"file":"src/sums.py","edits":[{"old":"    return a - b","new":"    # Both may be negative.\n    return a + b"}]}}"#,
        None,
    ),
    (
        "question",
        PermissionMode::Workspace,
        r#"{"name":"shell","args":{"command":"npm install --save-dev left-pad && npm test"}}"#,
        Some("? "),
    ),
    (
        "output",
        PermissionMode::Full,
        r#"{"name":"shell","args":{"command":"for n in $(seq 1 40); do echo \"test number_$n ... ok\"; done; sleep 0.2; echo '1 of 41 failed'; exit 3"}}"#,
        None,
    ),
];

const SUMS: &str = "\"\"\"Sums.\"\"\"\n\n\ndef add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return 2 * a\n";

async fn recording(columns: u16, mode: PermissionMode, call: &str, at: Option<&str>) -> String {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.root().join("src")).unwrap();
    std::fs::write(sandbox.root().join("src/sums.py"), SUMS).unwrap();
    let script = format!("§call: {call}\n§execute\n%%\n§respond: Done.\n§end");
    let mut options = sandbox.options(&script);
    options.session.policy.permissions = Some(mode);
    let mut window = RunWindow::open(options, columns);
    let Some(text) = at else {
        let (shown, ended) = window.end().await;
        ended.unwrap();
        return sandbox.steady(&shown);
    };
    window.wait_for("y yes").await;
    window.wait_for(text).await;
    let shown = sandbox.steady(&window.shown());
    window.press("s").await;
    window.end().await.1.unwrap();
    // The time in the line of status decides how much of the line has room.
    shown.split_inclusive('\n').filter(|row| !row.starts_with("· ")).collect()
}

/// Returns a recording in which only the command's call has a time. On a busy machine the screen
/// may learn of its start or its end too late to show one.
fn timed(name: &str, shown: &str) -> String {
    match name {
        "output" => shown.replace("status 3\n", "status 3 · N s\n"),
        _ => shown.replace("\n  · N s\n", "\n").replace("lines · N s\n", "lines\n"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_match_the_documented_screens() {
    let page = std::fs::read_to_string("../../docs/screens.md").unwrap();
    for (name, mode, call, at) in RECORDINGS {
        for columns in [60, 80, 120] {
            let shown = timed(name, &recording(columns, mode, call, at).await);
            insta::assert_snapshot!(format!("recording_{name}_{columns}"), shown);
            assert!(shown.lines().all(|row| row.chars().count() <= columns.into()), "{shown}");
            // The page shows the screens of 80 columns as they are.
            let is_shown = columns != 80 || page.contains(shown.trim_end());
            assert!(is_shown, "docs/screens.md shows another screen of the {name} than\n{shown}");
        }
    }
}
