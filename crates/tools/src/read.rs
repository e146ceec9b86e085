//! The tool `file_read`. Which lines it shows, and how, is in `line_view`.

use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};

use cap_std::fs::File;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_event::Truncation;
use silcrow_media::ImageSize;
use silcrow_tool::{
    ApprovalNeed, CallContext, CancellationToken, Preview, Tool, ToolArgs, ToolError, ToolOutput,
    ToolPolicy,
};

use crate::approved_risk::ApprovedRisk;
use crate::changes::ChangeJournal;
use crate::decoded_reader::DecodedReader;
use crate::encoding::TextEncoding;
use crate::encoding_name::{EncodingName, encoding_schema};
use crate::known_contents::note_known;
use crate::known_files::KnownContent;
use crate::line_view::{CutLine, LineRange, LineView};
use crate::messages;
use crate::read_media::read_media;
use crate::resolve::{PathAccess, ResolvedPath};
use crate::root::Root;
use crate::spills::{SPILL, Spills};
use crate::text_commands::text_command;

/// The tool `file_read {file, offset?, limit?, column?, numbers?, encoding?}`, which returns a text file
/// as it is, or lines of it with their numbers. Of a long file it returns a part, at most 30 KiB and
/// 2,000 lines, and of a long line 2,000 bytes, and says how to continue.
///
/// A file that usually holds secrets needs a person's own approval.
#[derive(Clone, Debug)]
pub struct FileRead {
    root: Root,
    spills: Option<Spills>,
    journal: Option<ChangeJournal>,
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
}

impl FileRead {
    /// Creates the tool, confined to `root`.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone(), spills: None, journal: None }
    }

    /// Adds spilled outputs, which the tool reads under the names that calls report for them.
    #[must_use]
    pub fn with_spills(self, spills: Spills) -> Self {
        Self { spills: Some(spills), ..self }
    }

    /// Sets the journal that keeps what conversations have read, so that a later process lets them
    /// replace it with `file_write`.
    #[must_use]
    pub fn with_journal(self, journal: &ChangeJournal) -> Self {
        Self { journal: Some(journal.clone()), ..self }
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
        "Reads a text file or a picture. A text: all of it as it is, or some of its lines, each of which then begins with \
         its number and a tab that are not in the file. Returns at most 30 KiB and 2000 lines, and \
         2000 bytes of a line in a longer file, and says how to continue. \
         Examples: {\"file\": \"src/main.rs\"}, {\"file\": \"src/main.rs\", \"offset\": 120, \
         \"limit\": 40}"
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
            let ReadArgs { file, offset, limit, column, numbers, encoding } = args.read()?;
            let encoding = EncodingName::read(encoding.as_ref())?;
            let range = LineRange::new(offset, limit, column, numbers)?;
            let (root, name) = self.place(&file, context.conversation_id())?;
            let journal = self.journal.clone().filter(|_| name == file);
            let (name, context) = (name.to_owned(), context.clone());
            let read = move || read(&root, &name, range, encoding, journal.as_ref(), &context);
            self.root.slots().run(read).await
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""file":{"type":"string","description":"the file, relative to the root"},"#,
    r#""offset":{"type":"integer","minimum":1,"description":"the number of the first line; "#,
    r#"1 if it is left out"},"#,
    r#""limit":{"type":"integer","minimum":1,"description":"the number of lines; "#,
    r#"as many as there is room for if it is left out"},"#,
    r#""column":{"type":"integer","minimum":1,"description":"the first byte that is shown of the "#,
    r#"first line, to read on in a very long one; 1 if it is left out"},"#,
    r#""numbers":{"type":"boolean","description":"whether each line begins with its number; "#,
    r#"if it is left out, only where offset, limit or column is given"},"#,
    encoding_schema!(),
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
    journal: Option<&ChangeJournal>,
    context: &CallContext,
) -> Result<ToolOutput, ToolError> {
    let failure = |error| root.failure(path, error);
    let place = root.find(path, PathAccess::Read).map_err(failure)?;
    let risk = root.risk(&place, PathAccess::Read).map_err(failure)?;
    ApprovedRisk::of(context).check(path, risk.as_deref())?;
    if named.is_none()
        && let Some(output) = read_media(root, path, &place)?
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
    let output = output(view, range, size, encoding, named.is_some());
    Ok(messages::with_notices(output, [messages::lookalike(&place)]))
}

/// A text file that is open.
struct TextSource {
    file: File,
    /// Its length in bytes.
    size: u64,
    encoding: TextEncoding,
    known: KnownContent,
    /// The content, unless it is long.
    content: Option<Vec<u8>>,
}

impl TextSource {
    fn open(
        root: &Root,
        path: &str,
        place: &ResolvedPath,
        named: Option<TextEncoding>,
    ) -> Result<Self, ToolError> {
        let failure = |error: io::Error| root.failure(path, error);
        let (mut file, metadata) = place.open().map_err(failure)?;
        if !metadata.is_file() {
            return Err(messages::not_regular_file(path, metadata.file_type()));
        }
        let (known, content) = KnownContent::read(&mut file, &metadata).map_err(failure)?;
        let mut start = Vec::new();
        if content.is_none() {
            (&mut file).take(MAX_SNIFFED).read_to_end(&mut start).map_err(failure)?;
            file.seek(SeekFrom::Start(0)).map_err(failure)?;
        }
        let sniffed = content.as_deref().unwrap_or(&start);
        let sniffed = &sniffed[..sniffed.len().min(MAX_SNIFFED as usize)];
        // The size in the metadata is too small for files as in `/proc`.
        let size = content.as_ref().map_or(metadata.len(), |content| content.len() as u64);
        let refused = |kind| {
            let bytes = messages::count(size, "byte", "bytes");
            let way = text_command(path, sniffed)
                .map(|command| format!("; the command `{command}` says what is in it"))
                .unwrap_or_default();
            let pixels = ImageSize::read(sniffed).map_or_else(String::new, |size| {
                format!(" of {} × {} pixels", size.width, size.height)
            });
            let path = messages::quoted(path);
            ToolError::new(format!("{path} is {kind}{pixels} ({bytes}), no text to read{way}"))
        };
        let more = size > sniffed.len() as u64;
        let encoding = match named {
            Some(named) => named.with_mark_of(sniffed),
            None => {
                let found = TextEncoding::detect(sniffed, more).map_err(refused)?;
                content.as_deref().map_or(found, |content| found.reconsidered(content))
            }
        };
        if matches!(encoding, TextEncoding::Utf16 { .. }) && content.is_none() {
            return Err(refused("text in UTF-16 that is too long to be converted"));
        }
        Ok(Self { file, size, encoding, known, content })
    }

    fn view(self, range: LineRange, cancel: &CancellationToken) -> io::Result<LineView> {
        let mark = self.encoding.mark_length();
        let Some(content) = self.content else {
            let mut file = self.file;
            file.seek(SeekFrom::Start(mark as u64))?;
            let reader = BufReader::with_capacity(MAX_BUFFER, file);
            return match self.encoding {
                TextEncoding::Legacy(encoding) => {
                    LineView::read(DecodedReader::new(reader, encoding), range, cancel)
                }
                _ => LineView::read(reader, range, cancel),
            };
        };
        if matches!(self.encoding, TextEncoding::Utf8 { .. }) {
            return LineView::read(&content[mark..], range, cancel);
        }
        let (text, wrong) = self.encoding.decode(&content);
        let mut view = LineView::read(text.as_bytes(), range, cancel)?;
        view.wrong += wrong;
        Ok(view)
    }
}

/// Returns the lines, and notices about what is not shown as it is in the file.
fn output(
    view: LineView,
    range: LineRange,
    size: u64,
    encoding: TextEncoding,
    is_named: bool,
) -> ToolOutput {
    let is_guess = matches!(encoding, TextEncoding::Legacy(_)) && !is_named;
    let how = if is_guess { " (`encoding` sets another one)" } else { "" };
    let notices = [
        encoding.name().map(|name| format!("the file is text in {name}, shown in UTF-8{how}")),
        view.is_windows().then(|| "its lines end with \\r\\n".to_owned()),
        messages::invalid_bytes(view.wrong),
        view.cut.map(|CutLine { number, column, length }| {
            let others = match view.cuts {
                1 => String::new(),
                cuts => format!(", and so are {} more lines", cuts - 1),
            };
            format!(
                "line {number} has {length} and is cut{others}; it continues with offset \
                 {number}, limit 1, column {column}"
            )
        }),
    ];
    if view.shown == 0 {
        let (summary, notice) = match (size, view.lines) {
            (0, _) => ("empty file", "the file is empty".to_owned()),
            (_, Some(lines)) => {
                let lines = messages::count(lines, "line", "lines");
                ("nothing more", format!("the file ends before: it has {lines}"))
            }
            (_, None) => {
                let why = "the line is too far into the file to be counted to".to_owned();
                ("nothing read", format!("{why}; file_search finds lines of long files"))
            }
        };
        return ToolOutput::new(summary, "").with_notice(notice);
    }
    let last = range.offset + view.shown - 1;
    let shown = match (range.offset, view.next) {
        (1, None) => messages::count(view.shown, "line", "lines"),
        (first, _) if first == last => format!("line {first}{}", of(view.lines)),
        (first, _) => format!("lines {first}-{last}{}", of(view.lines)),
    };
    let left = view.next.map(|next| {
        let left = Truncation::default().with_next_offset(next);
        match view.lines {
            Some(lines) => left.with_omitted_lines(lines - last),
            None => left.with_omitted_bytes(size.saturating_sub(view.read)),
        }
    });
    let output = ToolOutput::new(shown, view.text).with_truncation(left);
    messages::with_notices(output, notices)
}

fn of(lines: Option<u64>) -> String {
    lines.map(|lines| format!(" of {lines}")).unwrap_or_default()
}

/// The number of bytes at the beginning of a long file that decide whether it is text.
const MAX_SNIFFED: u64 = 64 << 10;

/// The number of bytes that are read at once.
const MAX_BUFFER: usize = 64 << 10;
