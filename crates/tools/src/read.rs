//! The tool `file_read`.

use std::io::{self, Read as _, Seek as _, SeekFrom};

use cap_std::fs::File;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_event::Truncation;
use silcrow_exec::{
    CallContext, CancellationToken, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
};

use crate::messages;
use crate::root::Root;
use crate::spills::{SPILL, Spills};
use crate::text::{FileText, decode};

/// The tool `file_read {file, offset?}`, which returns the text of a file from a byte on. Of a long
/// file it returns a part, and says how much is left.
#[derive(Clone, Debug)]
pub struct FileRead {
    root: Root,
    spills: Option<Spills>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArgs {
    file: String,
    #[serde(default)]
    offset: u64,
}

impl FileRead {
    /// Creates the tool, confined to `root`.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone(), spills: None }
    }

    /// Adds spilled outputs, which the tool reads under the names that calls report for them.
    #[must_use]
    pub fn with_spills(self, spills: Spills) -> Self {
        Self { spills: Some(spills), ..self }
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
        "Reads a text file. Returns at most 256 KiB of it, and says how to continue."
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { read_only: true, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let ReadArgs { file, offset } = args.read()?;
            let (root, name) = self.place(&file, context.conversation_id())?;
            let (name, cancel) = (name.to_owned(), context.cancellation().clone());
            self.root.slots().run(move || read(&root, &name, offset, &cancel)).await
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""file":{"type":"string","description":"the file, relative to the root"},"#,
    r#""offset":{"type":"integer","description":"bytes to leave out at the beginning"}},"#,
    r#""required":["file"],"additionalProperties":false}"#,
);

fn read(
    root: &Root,
    path: &str,
    offset: u64,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let (file, metadata) = root.open_at(path).map_err(|error| root.failure(path, error))?;
    if !metadata.is_file() {
        return Err(messages::not_regular_file(path, metadata.file_type()));
    }
    let bytes = part(file, offset, cancel).map_err(|error| root.failure(path, error))?;
    if cancel.is_cancelled() {
        return Err(messages::cancelled());
    }
    // The size in the metadata is too small for a file that grew, and for files as in `/proc`.
    let size = match bytes.len() as u64 {
        0 => metadata.len(),
        read => metadata.len().max(offset.saturating_add(read)),
    };
    let half = if offset > 0 { half(&bytes) } else { 0 };
    let rest = &bytes[half..];
    let text = text(rest, bytes.len() > MAX_BYTES).map_err(|kind| {
        ToolError::new(format!(
            "{} is {kind} ({size} bytes), no text to read",
            messages::quoted(path)
        ))
    })?;
    if text.used == 0 {
        return Ok(match offset {
            0 => ToolOutput::new("empty file", "").with_notice("the file is empty"),
            _ => {
                let notice = format!("the file ends before: it has {size} bytes");
                ToolOutput::new("nothing more", "").with_notice(notice)
            }
        });
    }
    let lines = messages::count(text.text.lines().count(), "line", "lines");
    let next = offset + (half + text.used) as u64;
    let cut = text.used < rest.len();
    let summary = match (cut, offset) {
        (false, _) => lines,
        (true, 0) => format!("the first {lines}"),
        (true, _) => format!("the next {lines}"),
    };
    let left = Truncation::default().with_omitted_bytes(size - next).with_next_offset(next);
    let output = ToolOutput::new(summary, text.text).with_truncation(cut.then_some(left));
    Ok(messages::with_notices(output, [messages::invalid_bytes(text.wrong)]))
}

/// Returns the bytes of a file from `offset` on, at most one more than the tool returns.
fn part(mut file: File, offset: u64, cancel: &CancellationToken) -> io::Result<Vec<u8>> {
    if offset > 0 {
        file.seek(SeekFrom::Start(offset))?;
    }
    let mut bytes = Vec::new();
    while bytes.len() <= MAX_BYTES && !cancel.is_cancelled() {
        let more = (MAX_BYTES + 1 - bytes.len()).min(MAX_READ);
        if (&mut file).take(more as u64).read_to_end(&mut bytes)? == 0 {
            break;
        }
    }
    Ok(bytes)
}

/// Returns the text of all bytes, or of as many as fit. If `more` bytes follow, the last one is not
/// used, so that the rest is never empty.
fn text(bytes: &[u8], more: bool) -> Result<FileText, &'static str> {
    if !more {
        let whole = decode(bytes, MAX_BYTES, false)?;
        if whole.used == bytes.len() {
            return Ok(whole);
        }
    }
    // Bytes that are not shown do not decide whether the file is text.
    let shown = if more { MAX_BYTES.min(bytes.len() - 1) } else { bytes.len() };
    decode(&bytes[..shown], MAX_BYTES, true)
}

/// Returns the number of bytes at the start that belong to a character before them.
fn half(bytes: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()
}

/// The number of bytes that the tool returns at most.
const MAX_BYTES: usize = 256 * 1024;

/// The number of bytes that are read between two checks for cancellation.
const MAX_READ: usize = 64 * 1024;
