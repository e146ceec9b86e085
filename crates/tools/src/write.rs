//! The tool `file_write`.

use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_tool::{
    ApprovalNeed, CallContext, DeltaKind, FileDelta, Preview, Tool, ToolArgs, ToolError,
    ToolOutput, ToolPolicy,
};

use crate::approved_risk::ApprovedRisk;
use crate::changes::ChangeJournal;
use crate::diff::LineDiff;
use crate::encoding_name::{EncodingName, encoding_schema};
use crate::known_contents::{known_content, note_known};
use crate::known_files::KnownContent;
use crate::messages;
use crate::previewed_lines::{SECRET, changed_lines, file_delta, with_diff};
use crate::root::Root;
use crate::styled_text::StyledText;
use crate::write_target::WriteTarget;

/// The tool `file_write {file, content, encoding?}`, which creates a file, or replaces all of the text of one
/// that the conversation knows. It needs approval.
///
/// A conversation knows the files that it has read, even in part, and written, until others change
/// them. The tools of one [`Root`] and its clones share this.
///
/// A file that is replaced keeps its permissions, its encoding and line ends of `\r\n`. At every
/// moment, even after a crash, the file has the old text or the new one, and never a part. A crash
/// may leave a file named `.silcrow-….tmp` beside it.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_tool::{CallContext, Tool as _, ToolArgs};
/// use silcrow_tools::{FileWrite, Root};
///
/// let folder = tempfile::tempdir()?;
/// let tool = FileWrite::new(&Root::open(folder.path())?);
/// let args = ToolArgs::new(r#"{"file":"plans/notes.md","content":"Buy bread.\n"}"#);
/// tool.call(args, &CallContext::new("c1", "a1")).await?;
/// assert_eq!(std::fs::read_to_string(folder.path().join("plans/notes.md"))?, "Buy bread.\n");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
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
    #[serde(default)]
    encoding: Option<EncodingName>,
}

impl FileWrite {
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

impl Tool for FileWrite {
    fn name(&self) -> &str {
        "file_write"
    }

    fn description(&self) -> &str {
        "Creates a text file, with the folders above it, or replaces all of its text. A file that \
         exists must first be read with file_read; to change a part of it, use file_edit. Example: \
         {\"file\": \"docs/notes.md\", \"content\": \"# Notes\\n\"}"
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
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let args = args.read()?;
            let (journal, approved) = (self.journal.as_ref(), ApprovedRisk::Any);
            let write = WriteCall::new(args, &self.root, journal, context, approved);
            self.root.slots().run(move || write.preview()).await
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
            let journal = self.journal.as_ref();
            let write = WriteCall::new(args, &self.root, journal, context, approved);
            self.root.slots().run(move || write.run()).await
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
    r#""content":{"type":"string","description":"the whole text"},"#,
    encoding_schema!(),
    r#"},"#,
    r#""required":["file","content"],"additionalProperties":false}"#,
);

/// A call, as a thread that may block runs it.
struct WriteCall {
    args: WriteArgs,
    root: Root,
    journal: Option<ChangeJournal>,
    context: CallContext,
    approved: ApprovedRisk,
}

impl WriteCall {
    fn new(
        args: WriteArgs,
        root: &Root,
        journal: Option<&ChangeJournal>,
        context: &CallContext,
        approved: ApprovedRisk,
    ) -> Self {
        let (root, journal, context) = (root.clone(), journal.cloned(), context.clone());
        Self { args, root, journal, context, approved }
    }

    fn preview(&self) -> Result<Preview, ToolError> {
        let WriteArgs { file, content, .. } = &self.args;
        let target = WriteTarget::find(&self.root, file, &self.approved)?;
        let (_, old) = self.known(&target)?;
        let own = target.path();
        let shown = messages::escaped(&own.to_string_lossy());
        let preview = Preview::new(scope(&own)).with_target(&*shown);
        let bytes = messages::count(content.len(), "byte", "bytes");
        let lines = messages::count(content.lines().count(), "line", "lines");
        let new = self.styled(old.as_deref(), content)?;
        let preview = match (target.old_len(), &new.before) {
            (None, _) => {
                let effect = format!("creates a file of {bytes}, {lines}");
                with_diff(preview, effect, [(shown, &LineDiff::new("", &new.text))], &["content"])
            }
            (Some(len), None) => {
                let len = messages::count(len, "byte", "bytes");
                let why = if old.is_none() { "too long to compare" } else { "not all text" };
                let effect =
                    format!("replaces {len} with {bytes}, {lines}; what is there is {why}");
                preview.with_effect(effect)
            }
            (Some(_), Some(before)) => {
                let diff = LineDiff::new(before, &new.text);
                let mut effect = changed_lines(before, &diff);
                if let Some(lost) = new.lost {
                    effect.push_str(&format!(", and makes {lost} UTF-8"));
                }
                match target.risk_of_reading()? {
                    Some(_) => preview.with_effect(format!("{effect}; {SECRET}")),
                    None => with_diff(preview, effect, [(shown, &diff)], &["content"]),
                }
            }
        };
        Ok(match target.risk() {
            Some(risk) => preview.with_risk(risk),
            None => preview,
        })
    }

    fn run(&self) -> Result<ToolOutput, ToolError> {
        let WriteArgs { file, content, .. } = &self.args;
        let _writing = self.root.lock_writes();
        let target = WriteTarget::find(&self.root, file, &self.approved)?;
        let own = target.path();
        if self.context.approved().is_some_and(|approved| approved.scope != scope(&own)) {
            return Err(messages::changed_target(file));
        }
        let (known, old) = self.known(&target)?;
        let did = if known == KnownContent::MISSING { "created" } else { "replaced" };
        let styled = self.styled(old.as_deref(), content)?;
        let delta = self.delta(&own, &target, &styled);
        let new = styled.bytes;
        let notices = target.notices();
        let recorder = self.journal.as_ref().map(|journal| journal.recorder(&self.context));
        target.write(&new, &known, recorder.as_ref(), self.context.cancellation())?;
        let conversation = self.context.conversation_id();
        let known = KnownContent::of_bytes(&new);
        note_known(&self.root, self.journal.as_ref(), conversation, own, known);
        let bytes = messages::count(new.len(), "byte", "bytes");
        let text = format!("{did} {}, {bytes}", messages::quoted(file));
        let output = ToolOutput::new(format!("{did}, {bytes}"), text).with_changes(delta);
        Ok(messages::with_notices(output, notices))
    }

    /// Returns the difference that the call makes, or `None` if it changes nothing.
    fn delta(
        &self,
        own: &Path,
        target: &WriteTarget<'_>,
        new: &StyledText<'_>,
    ) -> Option<FileDelta> {
        let (before, kind) = match (target.old_len(), &new.before) {
            (None, _) => ("", DeltaKind::Created),
            (Some(_), Some(before)) => (&**before, DeltaKind::Changed),
            (Some(_), None) => {
                let shown = messages::escaped(&own.to_string_lossy());
                return Some(FileDelta::new(shown, DeltaKind::Changed));
            }
        };
        let diff = LineDiff::new(before, &new.text);
        let is_same = kind == DeltaKind::Changed && diff.hunks.is_empty();
        (!is_same).then(|| file_delta(own, &diff, kind))
    }

    /// Returns the text in the encoding that the call names, or in the encoding of the file.
    fn styled<'t>(
        &self,
        old: Option<&[u8]>,
        content: &'t str,
    ) -> Result<StyledText<'t>, ToolError> {
        let named = EncodingName::read(self.args.encoding.as_ref())?;
        let Some(named) = named else { return Ok(StyledText::new(old, content)) };
        StyledText::in_encoding(old, content, named).map_err(|char| {
            let (name, quoted) =
                (named.name().unwrap_or("UTF-8"), messages::quoted(&self.args.file));
            ToolError::new(format!(
                "{name} does not have `{char}`; {quoted} was not written: write it without this \
                 character, or in another encoding"
            ))
        })
    }

    /// Returns the content of the file, which the conversation must know unless it is the new one,
    /// and its bytes unless they are many.
    fn known(
        &self,
        target: &WriteTarget<'_>,
    ) -> Result<(KnownContent, Option<Vec<u8>>), ToolError> {
        let (now, bytes) = target.read_old()?;
        let is_new = |bytes: &Vec<u8>| *bytes == self.args.content.as_bytes();
        if now == KnownContent::MISSING || bytes.as_ref().is_some_and(is_new) {
            return Ok((now, bytes));
        }
        let conversation = self.context.conversation_id();
        match known_content(&self.root, self.journal.as_ref(), conversation, &target.path()) {
            Some(known) if known == now => Ok((now, bytes)),
            known => Err(messages::unknown_content(&self.args.file, known.is_some())),
        }
    }
}

/// Returns the scope of an approval for the conversation.
fn scope(own: &Path) -> String {
    format!("file {}", messages::escaped(&own.to_string_lossy()))
}
