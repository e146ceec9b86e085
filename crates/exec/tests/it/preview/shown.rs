//! A person and the log see the lines that change, without secrets, if they are short enough.

use std::sync::Arc;

use futures_util::FutureExt as _;
use silcrow_event::OpenQuestion;
use silcrow_exec::Runner;
use silcrow_tool::{FileDiff, ParkAll, Preview, PreviewDiff, Scope, Secret, Secrets};

use super::write;
use crate::{ready, toolbox};

const KEY: &str = "sk-canary-0123456789";

/// Returns the question that is left open about a call that changes these lines.
async fn question(hunks: String) -> OpenQuestion {
    let tool = write(move |_| {
        let file = FileDiff { path: "a.txt".to_owned(), hunks: hunks.clone() };
        let preview = Preview::new("").with_effect(format!("replaces {KEY}"));
        async { Ok(preview.with_diff(PreviewDiff::new(vec![file]))) }.boxed()
    });
    let secrets = Secrets::named([Secret::new(KEY, "OPENAI_API_KEY")]);
    let mut runner = Runner::new(Arc::new(toolbox(tool)), Arc::new(ParkAll))
        .with_scope(Scope::new("talk").with_turn(3).with_secrets(secrets));
    runner.start(ready("a1", "write", "{}"));
    while !runner.is_parked() {
        runner.next().await;
    }
    runner.open_questions().remove(0)
}

#[tokio::test]
async fn question_shows_changed_lines_without_secrets() {
    let asked = question(format!("@@ -1 +1 @@\n {KEY}\n-one\n+two\n")).await;
    let shown = asked.diff.unwrap();
    assert_eq!(shown.files[0].hunks, "@@ -1 +1 @@\n [secret OPENAI_API_KEY]\n-one\n+two\n");
    assert_eq!(asked.effect.as_deref(), Some("replaces [secret OPENAI_API_KEY]"));
}

#[tokio::test]
async fn question_omits_unreadable_diff() {
    let asked = question("+long\n".repeat(30_000)).await;
    assert_eq!(asked.diff, None);
    assert!(asked.effect.unwrap().ends_with("; the difference is too long to show"));
}
