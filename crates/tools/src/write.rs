//! The tool `file_write`.

use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_exec::{
    ApprovalNeed, CallContext, CancellationToken, Preview, Tool, ToolArgs, ToolError, ToolOutput,
    ToolPolicy,
};

use crate::changes::{ChangeJournal, ChangeRecorder};
use crate::messages;
use crate::replace::WriteTarget;
use crate::root::Root;

/// The tool `file_write {file, content}`, which creates a file or replaces it whole. It needs
/// approval.
///
/// At every moment, also after a crash, the file has the old text or the new one, and never a part.
/// A crash may leave a file named `.silcrow-….tmp` beside it.
#[derive(Clone, Debug)]
pub struct FileWrite {
    root: Root,
    journal: Option<ChangeJournal>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteArgs {
    file: String,
    content: String,
}

impl FileWrite {
    /// Creates the tool, confined to `root`.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone(), journal: None }
    }

    /// Sets the journal that keeps what files were before, so that their changes can be taken back.
    #[must_use]
    pub fn with_journal(self, journal: &ChangeJournal) -> Self {
        Self { journal: Some(journal.clone()), ..self }
    }
}

impl Tool for FileWrite {
    fn name(&self) -> &str {
        "file_write"
    }

    fn description(&self) -> &str {
        "Writes a text file: makes it, with the folders above it, or replaces all of its text."
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { approval: ApprovalNeed::Always, idempotent: true, ..ToolPolicy::default() }
    }

    /// Returns a preview whose target is the file's path without links. An approval for the
    /// conversation covers this file with any text.
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let WriteArgs { file, content } = args.read()?;
            let root = self.root.clone();
            self.root.slots().run(move || preview(&root, &file, &content)).await
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let WriteArgs { file, content } = args.read()?;
            let approved = context.approved().map(|preview| preview.scope.clone());
            let (root, cancel) = (self.root.clone(), context.cancellation().clone());
            let recorder = self.journal.as_ref().map(|journal| journal.recorder(context));
            let write = move || {
                write(&root, &file, &content, approved.as_deref(), recorder.as_ref(), &cancel)
            };
            self.root.slots().run(write).await
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""file":{"type":"string","description":"the file, relative to the root"},"#,
    r#""content":{"type":"string","description":"the whole text"}},"#,
    r#""required":["file","content"],"additionalProperties":false}"#,
);

fn preview(root: &Root, path: &str, content: &str) -> Result<Preview, ToolError> {
    let target = WriteTarget::find(root, path)?;
    let bytes = messages::count(content.len(), "byte", "bytes");
    let lines = messages::count(content.lines().count(), "line", "lines");
    let own = target.path();
    let does = match target.old_len() {
        Some(old) => format!("replaces {} with", messages::count(old, "byte", "bytes")),
        None => "creates a file of".to_owned(),
    };
    let preview = Preview::new(scope(&own)).with_target(messages::escaped(&own.to_string_lossy()));
    Ok(preview.with_effect(format!("{does} {bytes}, {lines}")))
}

/// Returns the scope of an approval for the conversation.
fn scope(own: &Path) -> String {
    format!("file {}", messages::escaped(&own.to_string_lossy()))
}

fn write(
    root: &Root,
    path: &str,
    content: &str,
    approved: Option<&str>,
    recorder: Option<&ChangeRecorder>,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let target = WriteTarget::find(root, path)?;
    let scope = scope(&target.path());
    if approved.is_some_and(|approved| approved != scope) {
        return Err(messages::changed_target(path));
    }
    let did = if target.old_len().is_some() { "replaced" } else { "created" };
    target.write(content.as_bytes(), recorder, cancel)?;
    let bytes = messages::count(content.len(), "byte", "bytes");
    Ok(ToolOutput::new(
        format!("{did}, {bytes}"),
        format!("{did} {}, {bytes}", messages::quoted(path)),
    ))
}
