//! The tool `file_replace`. The files that it changes are found in `replace_plan`.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_tool::{
    ApprovalNeed, CallContext, DeltaKind, Preview, Tool, ToolArgs, ToolError, ToolOutput,
    ToolPolicy,
};

use crate::change_set;
use crate::changes::{ChangeJournal, ChangeRecorder};
use crate::known_contents::{known_content, note_known};
use crate::known_files::KnownContent;
use crate::messages;
use crate::previewed_lines::{file_delta, with_diff};
use crate::replace_plan::{PlannedFile, ReplacePlan};
use crate::replacement::Replacement;
use crate::root::Root;

/// The tool `file_replace {find, replace, files, regex?, dry_run?}`, which replaces every occurrence
/// of a text, or every match of a pattern, in many files: in all of them or in none. It needs
/// approval.
///
/// It leaves out files that git ignores, files that are not text, and files that need separate
/// approval, and says how many. The output has the number of occurrences in each file and a unified
/// diff. With a journal, a single undo undoes all of it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use silcrow_tool::{CallContext, Tool as _, ToolArgs};
/// use silcrow_tools::{FileReplace, Root};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// std::fs::write(folder.join("a.rs"), "old_name();\n")?;
/// std::fs::write(folder.join("b.rs"), "old_name();\nold_name();\n")?;
/// let replace = FileReplace::new(&Root::open(folder)?);
/// let args = r#"{"find":"old_name","replace":"new_name","files":["*.rs"],"dry_run":true}"#;
/// let output = replace.call(ToolArgs::new(args), &CallContext::new("c1", "a1")).await?;
/// assert!(output.content.text().contains("b.rs: 2 places"), "{}", output.content.text());
/// // A dry run changes nothing.
/// assert_eq!(std::fs::read_to_string(folder.join("a.rs"))?, "old_name();\n");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FileReplace {
    root: Root,
    journal: Option<ChangeJournal>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplaceArgs {
    find: String,
    replace: String,
    files: Vec<String>,
    #[serde(default)]
    regex: bool,
    #[serde(default)]
    dry_run: bool,
}

impl FileReplace {
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

impl Tool for FileReplace {
    fn name(&self) -> &str {
        "file_replace"
    }

    fn description(&self) -> &str {
        "Replaces every occurrence of a text in many files, in all of them or in none, and returns \
         the difference. `dry_run` shows it without changing anything. Example: {\"find\": \
         \"old_name\", \"replace\": \"new_name\", \"files\": [\"src/**/*.rs\"]}"
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy {
            approval: ApprovalNeed::Always,
            output_cap: Some(MAX_OUTPUT),
            ..ToolPolicy::default()
        }
    }

    /// Returns a preview whose target are the files that change. An approval for the conversation
    /// covers exactly the same arguments.
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let replace = ReplaceCall::new(args, &self.root, None, context)?;
            self.root.slots().run(move || replace.preview()).await
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let recorder = self.journal.as_ref().map(|journal| journal.recorder(context));
            let replace = ReplaceCall::new(args, &self.root, recorder, context)?;
            self.root.slots().run(move || replace.run()).await
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
    r#""find":{"type":"string","description":"the text to replace, exactly as it is in the files"},"#,
    r#""replace":{"type":"string","description":"the text that takes its place; with `regex`, `$1` "#,
    r#"and `${name}` are groups, and `$$` is a dollar sign"},"#,
    r#""files":{"type":"array","minItems":1,"items":{"type":"string"},"description":"paths of files "#,
    r#"and folders, or globs such as `src/**/*.rs`; with `!` before it, a glob leaves files out"},"#,
    r#""regex":{"type":"boolean","description":"whether `find` is a regular expression in the "#,
    r#"syntax of Rust"},"#,
    r#""dry_run":{"type":"boolean","description":"whether nothing is changed, and the difference "#,
    r#"is only shown"}},"#,
    r#""required":["find","replace","files"],"additionalProperties":false}"#,
);

/// The length in bytes of the output that the model reads.
const MAX_OUTPUT: usize = 30 << 10;

/// A call, as a thread that may block runs it.
struct ReplaceCall {
    args: ReplaceArgs,
    /// The arguments as the model wrote them.
    scope: String,
    replacement: Replacement,
    root: Root,
    recorder: Option<ChangeRecorder>,
    context: CallContext,
}

impl ReplaceCall {
    fn new(
        args: ToolArgs<'_>,
        root: &Root,
        recorder: Option<ChangeRecorder>,
        context: &CallContext,
    ) -> Result<Self, ToolError> {
        let (scope, args) = (args.as_str().to_owned(), args.read::<ReplaceArgs>()?);
        let replacement = Replacement::new(&args.find, &args.replace, args.regex)?;
        let (root, context) = (root.clone(), context.clone());
        Ok(Self { args, scope, replacement, root, recorder, context })
    }

    fn plan(&self) -> Result<ReplacePlan, ToolError> {
        let cancel = self.context.cancellation();
        let plan = ReplacePlan::make(&self.root, &self.args.files, &self.replacement, cancel)?;
        plan.check()?;
        Ok(plan)
    }

    fn preview(&self) -> Result<Preview, ToolError> {
        let plan = self.plan()?;
        let does = if self.args.dry_run { "shows changes of" } else { "changes" };
        let preview = Preview::new(&*self.scope).with_target(target(&plan));
        let effect = format!("{does} {}", plan.summary());
        if self.args.dry_run {
            return Ok(preview.with_effect(effect));
        }
        let diffs =
            plan.files.iter().map(|file| (messages::escaped(&file.change.path), &file.diff));
        Ok(with_diff(preview, effect, diffs, &[]))
    }

    fn run(&self) -> Result<ToolOutput, ToolError> {
        let _writing = self.root.lock_writes();
        let plan = self.plan()?;
        let approved = self.context.approved().and_then(|approved| approved.target.as_deref());
        if approved.is_some_and(|approved| approved != target(&plan)) {
            let next = "nothing was changed; call again";
            return Err(ToolError::new(format!("the replacement finds other files now; {next}")));
        }
        if !self.args.dry_run {
            let changes: Vec<_> = plan.files.iter().map(|file| file.change.clone()).collect();
            let cancel = self.context.cancellation();
            change_set::apply(&self.root, &changes, self.recorder.as_ref(), cancel)?;
            self.note(&plan.files);
        }
        let does = if self.args.dry_run { "would change" } else { "changed" };
        let summary = format!("{does} {}", plan.summary());
        let deltas = plan
            .files
            .iter()
            .map(|file| file_delta(file.change.path.as_ref(), &file.diff, DeltaKind::Changed));
        let changes: Vec<_> = if self.args.dry_run { Vec::new() } else { deltas.collect() };
        let output = ToolOutput::new(summary, content(&plan)).with_changes(changes);
        Ok(messages::with_notices(output, plan.notices()))
    }

    /// Records that the conversation still knows the files that it knew.
    fn note(&self, files: &[PlannedFile]) {
        let journal = self.recorder.as_ref().map(ChangeRecorder::journal);
        let (root, conversation) = (&self.root, self.context.conversation_id());
        for PlannedFile { change, .. } in files {
            let before = known_content(root, journal, conversation, change.path.as_ref());
            if before == Some(KnownContent::of_bytes(&change.old)) {
                let now = KnownContent::of_bytes(&change.new);
                note_known(root, journal, conversation, change.path.clone().into(), now);
            }
        }
    }
}

/// Returns all files that a plan changes, so that an approval covers no others.
fn target(plan: &ReplacePlan) -> String {
    let paths: Vec<_> =
        plan.files.iter().map(|file| messages::escaped(&file.change.path)).collect();
    match paths.len() {
        1 => paths.concat(),
        number => format!("{number} files: {}", paths.join(", ")),
    }
}

/// Returns the number of occurrences in each file, and the difference.
fn content(plan: &ReplacePlan) -> String {
    let mut content = String::new();
    for PlannedFile { change, places, .. } in &plan.files {
        let path = messages::escaped(&change.path);
        content.push_str(&format!("{path}: {}\n", messages::count(*places, "place", "places")));
    }
    content.push('\n');
    let diff = |file: &PlannedFile| file.diff.unified(&messages::escaped(&file.change.path));
    content.extend(plan.files.iter().map(diff));
    content
}
