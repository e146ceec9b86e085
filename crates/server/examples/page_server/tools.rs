//! The tools of the example server.

use std::collections::HashMap;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use silcrow_tool::{
    ApprovalNeed, CallContext, DeltaKind, FileDelta, FileDiff, Preview, PreviewDiff, Tool,
    ToolArgs, ToolError, ToolOutput, ToolPolicy,
};
use tokio::sync::watch;

/// The calls that have ended, and whether each one succeeded.
pub(crate) type EndedWork = watch::Receiver<HashMap<String, bool>>;

/// A tool that works until the input says that it has ended.
#[derive(Clone)]
pub(crate) struct Work(pub(crate) EndedWork);

impl Tool for Work {
    fn name(&self) -> &str {
        "work"
    }

    fn description(&self) -> &str {
        "Works on something with a name."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object","properties":{"name":{"type":"string"},"says":{"type":"string"},"changes":{"type":"array"}}}"#
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { read_only: true, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let args: Value = args.read()?;
            let name = args["name"].as_str().unwrap_or_default();
            let mut ended = self.0.clone();
            let ended = ended.wait_for(|ended| ended.contains_key(name)).await;
            match ended.ok().and_then(|ended| ended.get(name).copied()) {
                Some(true) => {
                    let says = args["says"].as_str().unwrap_or("It is done.");
                    let changes = args["changes"].as_array().into_iter().flatten().map(delta);
                    Ok(ToolOutput::new(says, says).with_changes(changes))
                }
                _ => Err(ToolError::new(format!("{name} has failed"))),
            }
        }
        .boxed()
    }
}

/// Reads the difference of a file.
fn delta(file: &Value) -> FileDelta {
    let word = |name: &str| file[name].as_str().unwrap_or_default();
    let count = |name: &str| file[name].as_u64().unwrap_or_default();
    let kind = word("kind").parse().unwrap_or(DeltaKind::Changed);
    let counted = FileDelta::new(word("path"), kind).with_lines(count("added"), count("removed"));
    counted.with_hunks(word("hunks"))
}

/// A tool that a person has to allow, and that does nothing.
pub(crate) struct Publish;

impl Tool for Publish {
    fn name(&self) -> &str {
        "publish"
    }

    fn description(&self) -> &str {
        "Publishes a page."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object","properties":{"page":{"type":"string"},"text":{"type":"string"}}}"#
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() }
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let args: Value = args.read()?;
            let page = args["page"].as_str().unwrap_or_default();
            let text = args["text"].as_str().unwrap_or_default();
            let hunks = format!("@@ -1,2 +1,2 @@\n # {page}\n-Nothing yet.\n+{text}\n");
            let diff = PreviewDiff::new(vec![FileDiff { path: page.to_owned(), hunks }]);
            let preview = Preview::new(page).with_target(format!("pages/{page}"));
            let preview = preview.with_effect("replaces one line with another").with_diff(diff);
            let is_risky = args["risky"].as_bool() == Some(true);
            Ok(if is_risky { preview.with_risk("everybody can read it") } else { preview })
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async { Ok(ToolOutput::new("It is published.", "published")) }.boxed()
    }
}
