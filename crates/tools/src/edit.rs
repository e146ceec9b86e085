//! The tool `file_edit`; `text_edits` applies the edits to a text.

use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_tool::{
    ApprovalNeed, CallContext, DeltaKind, Preview, Tool, ToolArgs, ToolError, ToolOutput,
    ToolPolicy,
};

use crate::approved_risk::ApprovedRisk;
use crate::changes::{ChangeJournal, ChangeRecorder};
use crate::diff::LineDiff;
use crate::encoding_name::{EncodingName, encoding_schema};
use crate::known_contents::note_known;
use crate::known_files::KnownContent;
use crate::messages;
use crate::previewed_lines::{SECRET, changed_lines, file_delta, with_diff};
use crate::root::Root;
use crate::text_edits::{EditedText, TextEdit, apply_edits};
use crate::text_file::{TextFile, edit_risk};
use crate::write_target::WriteTarget;

/// The tool `file_edit {file, edits: [{old, new, all?}], encoding?}`, which replaces exact texts in a file, all
/// of them or none. It needs approval.
///
/// Each text must be in the file exactly once, or `all` must be set; otherwise the error names its
/// places, or the nearest text. The file keeps its permissions, its encoding and its line ends. The
/// output is a unified diff.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use silcrow_tool::{CallContext, Tool as _, ToolArgs};
/// use silcrow_tools::{FileEdit, Root};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// std::fs::write(folder.join("a.rs"), "let a = 1;\nlet b = 1;\n")?;
/// let edit = FileEdit::new(&Root::open(folder)?);
/// let context = CallContext::new("c1", "a1");
/// // The text is in the file twice, so the model has to say more.
/// let args = r#"{"file":"a.rs","edits":[{"old":"= 1","new":"= 2"}]}"#;
/// assert!(edit.call(ToolArgs::new(args), &context).await.is_err());
/// let args = r#"{"file":"a.rs","edits":[{"old":"a = 1","new":"a = 2"}]}"#;
/// edit.call(ToolArgs::new(args), &context).await?;
/// assert_eq!(std::fs::read_to_string(folder.join("a.rs"))?, "let a = 2;\nlet b = 1;\n");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FileEdit {
    root: Root,
    journal: Option<ChangeJournal>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditArgs {
    file: String,
    edits: Vec<TextEdit>,
    #[serde(default)]
    encoding: Option<EncodingName>,
}

impl FileEdit {
    /// Creates the tool, confined to `root`.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone(), journal: None }
    }

    /// Sets the journal that keeps earlier contents of files, so that changes can be undone.
    #[must_use]
    pub fn with_journal(self, journal: &ChangeJournal) -> Self {
        Self { journal: Some(journal.clone()), ..self }
    }
}

impl Tool for FileEdit {
    fn name(&self) -> &str {
        "file_edit"
    }

    fn description(&self) -> &str {
        "Replaces exact texts in a file, all of the edits or none, and returns the difference. Each \
         `old` is copied from the file without line numbers, and has enough lines around the change \
         to be in the file only once. Example: {\"file\": \"src/main.rs\", \"edits\": [{\"old\": \
         \"let n = 1;\", \"new\": \"let n = 2;\"}]}"
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy {
            approval: ApprovalNeed::Always,
            output_cap: Some(MAX_DIFF),
            ..ToolPolicy::default()
        }
    }

    /// Returns a preview whose target is the file's path without links. An approval for the
    /// conversation covers this file with any edits.
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let args = args.read()?;
            let edit = EditCall::new(args, &self.root, None, context, ApprovedRisk::Any);
            self.root.slots().run(move || edit.preview()).await
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let (args, approved) = (args.read()?, ApprovedRisk::from_context(context));
            let recorder = self.journal.as_ref().map(|journal| journal.recorder(context));
            let edit = EditCall::new(args, &self.root, recorder, context, approved);
            self.root.slots().run(move || edit.run()).await
        }
        .boxed()
    }

    fn can_undo(&self, _: ToolArgs<'_>) -> bool {
        self.journal.is_some()
    }

    fn undo<'a>(
        &'a self,
        call: &'a str,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            match &self.journal {
                Some(journal) => journal.undo_call(&self.root, call, context).await,
                None => Err(ToolError::new("what files were before is not kept")),
            }
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""file":{"type":"string","description":"the file, relative to the root"},"#,
    r#""edits":{"type":"array","minItems":1,"description":"the edits, one after the other","#,
    r#""items":{"type":"object","properties":{"#,
    r#""old":{"type":"string","description":"the text to replace, exactly as it is in the file, "#,
    r#"with its white space"},"#,
    r#""new":{"type":"string","description":"the text that takes its place"},"#,
    r#""all":{"type":"boolean","description":"whether every occurrence is replaced; otherwise "#,
    r#"`old` must be in the file exactly once"}},"#,
    r#""required":["old","new"],"additionalProperties":false}},"#,
    encoding_schema!(),
    r#"},"#,
    r#""required":["file","edits"],"additionalProperties":false}"#,
);

/// The length in bytes of the difference that the model reads.
const MAX_DIFF: usize = 30 << 10;

/// A call, as a thread that may block runs it.
struct EditCall {
    args: EditArgs,
    root: Root,
    recorder: Option<ChangeRecorder>,
    context: CallContext,
    approved: ApprovedRisk,
}

/// A file, and its text after the edits.
struct PlannedEdit<'a> {
    target: WriteTarget<'a>,
    old: TextFile,
    new: EditedText,
}

impl EditCall {
    fn new(
        args: EditArgs,
        root: &Root,
        recorder: Option<ChangeRecorder>,
        context: &CallContext,
        approved: ApprovedRisk,
    ) -> Self {
        Self { args, root: root.clone(), recorder, context: context.clone(), approved }
    }

    fn plan(&self) -> Result<PlannedEdit<'_>, ToolError> {
        let EditArgs { file, edits, encoding } = &self.args;
        // The risks of writing and of reading are checked together, because the output shows the
        // contents.
        let target = WriteTarget::find(&self.root, file, &ApprovedRisk::Any)?;
        let risk = edit_risk(&target)?;
        self.approved.check(file, risk.as_deref())?;
        let target = target.with_approved_risk();
        let encoding = EncodingName::read(encoding.as_ref())?;
        let old = TextFile::read(file, &target, encoding)?;
        let new = apply_edits(old.text(), edits)
            .map_err(|why| ToolError::new(format!("{}: {why}", messages::quoted(file))))?;
        Ok(PlannedEdit { target, old, new })
    }

    fn preview(&self) -> Result<Preview, ToolError> {
        let PlannedEdit { target, old, new } = self.plan()?;
        let path = target.path();
        let diff = LineDiff::new(&old.shown(old.text()), &old.shown(&new.text));
        let places = messages::count(new.places, "place", "places");
        let shown = messages::escaped(&path.to_string_lossy());
        let effect = format!("changes {places}: {}", changed_lines(old.text(), &diff));
        let preview = Preview::new(scope(&path)).with_target(&*shown);
        let preview = match target.risk_of_reading()? {
            Some(_) => preview.with_effect(format!("{effect}; {SECRET}")),
            None => with_diff(preview, effect, [(shown, &diff)], &["edits"]),
        };
        Ok(match edit_risk(&target)? {
            Some(risk) => preview.with_risk(risk),
            None => preview,
        })
    }

    fn run(&self) -> Result<ToolOutput, ToolError> {
        let _writing = self.root.lock_writes();
        let file = &self.args.file;
        let PlannedEdit { target, old, new } = self.plan()?;
        let path = target.path();
        if self.context.approved().is_some_and(|approved| approved.scope != scope(&path)) {
            return Err(messages::changed_target(file));
        }
        let content = old.encode(file, &new.text)?;
        let [name, links] = target.notices();
        target.write(&content, &old.known, self.recorder.as_ref(), self.context.cancellation())?;
        let known = KnownContent::of_bytes(&content);
        let journal = self.recorder.as_ref().map(ChangeRecorder::journal);
        let conversation = self.context.conversation_id();
        note_known(&self.root, journal, conversation, path.clone(), known);
        let shown = messages::escaped(&path.to_string_lossy());
        let diff = LineDiff::new(&old.shown(old.text()), &old.shown(&new.text));
        let places = messages::count(new.places, "place", "places");
        let summary = format!("{places} changed, {} lines", diff.counts());
        let output = ToolOutput::new(summary, diff.unified(&shown));
        let output = output.with_changes([file_delta(&path, &diff, DeltaKind::Changed)]);
        Ok(messages::with_notices(output, [name, old.notice(), links]))
    }
}

/// Returns the scope of an approval for the conversation.
fn scope(path: &Path) -> String {
    format!("file {}", messages::escaped(&path.to_string_lossy()))
}
