//! The tool `file_read`. `line_view` selects and formats the lines.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_media::{DirectDecoder, MediaDecoder};
use silcrow_tool::{
    ApprovalNeed, CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
};

use crate::approved_risk::ApprovedRisk;
use crate::changes::ChangeJournal;
use crate::encoding::TextEncoding;
use crate::encoding_name::{EncodingName, encoding_schema};
use crate::kept_media::{KeptMedia, MEDIA, media_number};
use crate::known_contents::note_known;
use crate::line_view::LineRange;
use crate::messages;
use crate::read_media::{MediaArgs, MediaReading, media_schema, read_kept, read_media};
use crate::resolve::PathAccess;
use crate::root::Root;
use crate::shown_lines::shown_lines;
use crate::spills::{SPILL, Spills};
use crate::text_source::TextSource;

/// The tool `file_read {file, offset?, limit?, column?, numbers?, encoding?, pages?, pictures?, region?}`,
/// which returns a text file as it is, or lines of it with their numbers. Of a long file it returns a
/// part, at most 30 KiB and 2,000 lines, and of a long line 2,000 bytes, and says how to continue. It also
/// shows pictures, or a region of one, and returns PDFs by page: their text, or pictures of the pages.
///
/// A file that usually holds secrets needs a person's own approval.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_tool::{CallContext, Tool as _, ToolArgs};
/// use silcrow_tools::{FileRead, Root};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("notes.md"), "Buy bread.\n")?;
/// let tool = FileRead::new(&Root::open(folder.path())?);
/// let context = CallContext::new("c1", "a1");
/// let output = tool.call(ToolArgs::new(r#"{"file":"notes.md"}"#), &context).await?;
/// assert_eq!(output.content.text(), "Buy bread.\n");
/// assert!(tool.call(ToolArgs::new(r#"{"file":"../x"}"#), &context).await.is_err());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct FileRead {
    root: Root,
    spills: Option<Spills>,
    journal: Option<ChangeJournal>,
    decoder: Arc<dyn MediaDecoder>,
    kept: Option<Arc<dyn KeptMedia>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArgs {
    file: String,
    offset: Option<u64>,
    limit: Option<u64>,
    column: Option<u64>,
    numbers: Option<bool>,
    encoding: Option<EncodingName>,
    pages: Option<String>,
    pictures: Option<bool>,
    region: Option<[u32; 4]>,
}

impl FileRead {
    /// Creates the tool, confined to `root`.
    pub fn new(root: &Root) -> Self {
        let decoder = Arc::new(DirectDecoder);
        Self { root: root.clone(), spills: None, journal: None, decoder, kept: None }
    }

    /// Adds spilled outputs, which the tool reads under the names that calls report for them.
    #[must_use]
    pub fn with_spills(self, spills: Spills) -> Self {
        Self { spills: Some(spills), ..self }
    }

    /// Sets the journal that records the files that conversations have read, so that a later
    /// process lets them replace these with `file_write`.
    #[must_use]
    pub fn with_journal(self, journal: &ChangeJournal) -> Self {
        Self { journal: Some(journal.clone()), ..self }
    }

    /// Sets where pictures and PDFs are decoded, which by default is this process. With a decoder that
    /// reads no PDFs, the tool names a command that prints their text.
    #[must_use]
    pub fn with_decoder(self, decoder: Arc<dyn MediaDecoder>) -> Self {
        Self { decoder, ..self }
    }

    /// Adds the media of conversations, which the tool shows again as `media:NUMBER`.
    #[must_use]
    pub fn with_kept_media(self, kept: Arc<dyn KeptMedia>) -> Self {
        Self { kept: Some(kept), ..self }
    }

    /// Returns the media of conversations and a number, if a file names one of them.
    fn kept(&self, file: &str) -> Result<Option<(&dyn KeptMedia, u32)>, ToolError> {
        let Some(kept) = self.kept.as_deref().filter(|_| file.starts_with(MEDIA)) else {
            return Ok(None);
        };
        media_number(file).map(|number| Some((kept, number)))
    }

    /// Returns the root of a file, and its path in that root.
    fn place<'f>(&self, file: &'f str, conversation: &str) -> Result<(Root, &'f str), ToolError> {
        match (file.strip_prefix(SPILL), &self.spills) {
            (Some(name), Some(spills)) => {
                let root = spills.root(conversation);
                let not_kept =
                    || ToolError::new(format!("nothing was kept as {}", messages::quoted(file)));
                Ok((root.map_err(|_| not_kept())?, name))
            }
            _ => Ok((self.root.clone(), file)),
        }
    }
}

impl Tool for FileRead {
    fn name(&self) -> &str {
        "file_read"
    }

    fn description(&self) -> &str {
        match self.kept {
            Some(_) => DESCRIPTION_WITH_MEDIA,
            None => DESCRIPTION,
        }
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { read_only: true, approval: ApprovalNeed::IfRisky, ..ToolPolicy::default() }
    }

    /// Returns a preview whose target is the file's path without links.
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let ReadArgs { file, .. } = args.read()?;
            if let Some((_, number)) = self.kept(&file)? {
                let preview = Preview::new(format!("image {number} of this conversation"));
                return Ok(preview.with_target(file).with_effect("shows it again"));
            }
            let (root, name) = self.place(&file, context.conversation_id())?;
            let name = name.to_owned();
            self.root.slots().run(move || preview(&root, &name)).await
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let args: ReadArgs = args.read()?;
            let ReadArgs { file, offset, limit, column, numbers, encoding, .. } = args;
            let ReadArgs { pages, pictures, region, .. } = args;
            let wanted = MediaArgs { pages, pictures, region };
            let media = MediaReading::new(self.decoder.clone(), wanted)?;
            if let Some((kept, number)) = self.kept(&file)? {
                return read_kept(kept, context.conversation_id(), number, &media).await;
            }
            let encoding = EncodingName::read(encoding.as_ref())?;
            let range = LineRange::new(offset, limit, column, numbers)?;
            let (root, name) = self.place(&file, context.conversation_id())?;
            let journal = self.journal.clone().filter(|_| name == file);
            let (name, context) = (name.to_owned(), context.clone());
            let read =
                move || read(&root, &name, range, encoding, &media, journal.as_ref(), &context);
            self.root.slots().run(read).await
        }
        .boxed()
    }
}

macro_rules! description {
    ($more:literal) => {
        concat!(
            "Reads a text file, a picture, or the text of a PDF. A text: all of it as it is, or some of \
             its lines, each of which then begins with its number and a tab that are not in the file. \
             Returns at most 30 KiB and 2000 lines, and 2000 bytes of a line in a longer file, and says \
             how to continue. Examples: {\"file\": \"src/main.rs\"}, {\"file\": \"src/main.rs\", \
             \"offset\": 120, \"limit\": 40}",
            $more
        )
    };
}

const DESCRIPTION: &str = description!("");

const DESCRIPTION_WITH_MEDIA: &str =
    description!(", and {\"file\": \"media:2\"} to see image 2 of this conversation again");

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""file":{"type":"string","description":"the file, relative to the root"},"#,
    r#""offset":{"type":"integer","minimum":1,"description":"the number of the first line; "#,
    r#"1 if it is left out"},"#,
    r#""limit":{"type":"integer","minimum":1,"description":"the number of lines; "#,
    r#"as many as there is room for if it is left out"},"#,
    r#""column":{"type":"integer","minimum":1,"description":"the first byte shown of a very "#,
    r#"long first line; 1 if it is left out"},"#,
    r#""numbers":{"type":"boolean","description":"whether each line begins with its number; "#,
    r#"if it is left out, only where offset, limit or column is given"},"#,
    encoding_schema!(),
    media_schema!(),
    r#"},"#,
    r#""required":["file"],"additionalProperties":false}"#,
);

fn preview(root: &Root, path: &str) -> Result<Preview, ToolError> {
    let failure = |error| root.failure(path, error);
    let place = root.find(path, PathAccess::Read).map_err(failure)?;
    let own = messages::escaped(&place.path().to_string_lossy());
    let preview =
        Preview::new(format!("file {own}")).with_target(own).with_effect("reads the file");
    let risk = root.risk(&place, PathAccess::Read).map_err(failure)?;
    Ok(match risk {
        Some(risk) => preview.with_risk(risk),
        None => preview,
    })
}

fn read(
    root: &Root,
    path: &str,
    range: LineRange,
    named: Option<TextEncoding>,
    media: &MediaReading,
    journal: Option<&ChangeJournal>,
    context: &CallContext,
) -> Result<ToolOutput, ToolError> {
    let failure = |error| root.failure(path, error);
    let place = root.find(path, PathAccess::Read).map_err(failure)?;
    let risk = root.risk(&place, PathAccess::Read).map_err(failure)?;
    ApprovedRisk::from_context(context).check(path, risk.as_deref())?;
    if named.is_none()
        && let Some(output) = read_media(root, path, &place, media)?
    {
        return Ok(output);
    }
    let source = TextSource::open(root, path, &place, named)?;
    let (size, encoding, known) = (source.size, source.encoding, source.known.clone());
    let cancel = context.cancellation();
    let range = range.within(context.output_cap(), size);
    let view = source.view(range, cancel).map_err(|error| root.failure(path, error))?;
    if cancel.is_cancelled() {
        return Err(messages::cancelled());
    }
    note_known(root, journal, context.conversation_id(), place.path(), known);
    let output = shown_lines(view, range, size, encoding, named.is_some());
    Ok(messages::with_notices(output, [messages::lookalike(&place)]))
}
