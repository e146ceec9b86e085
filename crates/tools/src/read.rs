use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_exec::{Args, Context, Failure, Output, Policy, Tool};

use crate::blocking::blocking;
use crate::root::Root;
use crate::spills::{SPILL, Spills};
use crate::tell;

/// `file_read {file, offset}`: the text of a file, from a byte on; of a long one a part, and how
/// much is left.
#[derive(Clone, Debug)]
pub struct FileRead {
    root: Root,
    spills: Option<Spills>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    file: String,
    #[serde(default)]
    offset: u64,
}

impl FileRead {
    /// The tool, confined to `root`.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone(), spills: None }
    }

    /// The same tool, which reads these too, under the names that calls were given for them.
    #[must_use]
    pub fn with_spills(self, spills: Spills) -> Self {
        Self { spills: Some(spills), ..self }
    }

    /// Where a file is looked for, and by which name.
    fn place<'f>(&self, file: &'f str, conversation: &str) -> Result<(Root, &'f str), Failure> {
        match (file.strip_prefix(SPILL), &self.spills) {
            (Some(name), Some(spills)) => {
                let root = spills.root(conversation);
                let told = || Failure::new(format!("nothing was kept as {}", tell::quoted(file)));
                Ok((root.map_err(|_| told())?, name))
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
        "Reads a text file. Of a long one it gives 256 KiB and says how to go on."
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> Policy {
        Policy { read_only: true, ..Policy::default() }
    }

    fn call<'a>(
        &'a self,
        args: Args<'a>,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        async move {
            let Wanted { file, offset } = args.read()?;
            let (root, name) = self.place(&file, context.conversation())?;
            let name = name.to_owned();
            blocking(move || read(&root, &name, offset)).await
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

fn read(root: &Root, path: &str, offset: u64) -> Result<Output, Failure> {
    let (mut file, metadata) =
        root.peek(Path::new(path)).map_err(|error| root.failure(path, &error))?;
    if !metadata.is_file() {
        return Err(tell::no_file(path, metadata.file_type()));
    }
    if offset > 0 {
        file.seek(SeekFrom::Start(offset)).map_err(|error| root.failure(path, &error))?;
    }
    let mut bytes = Vec::new();
    // One byte more tells a file that just fits from one that does not.
    file.take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| root.failure(path, &error))?;

    let cut = bytes.len() > MAX_BYTES;
    // Also of a file whose size is not told beforehand, or that grew.
    let size = match bytes.len() as u64 {
        0 => metadata.len(),
        read => metadata.len().max(offset.saturating_add(read)),
    };
    if cut {
        bytes.truncate(MAX_BYTES - LAST_LINE);
    }
    let begin = offset + if offset > 0 { leave_half(&mut bytes) } else { 0 };
    let Some(mut text) = text(bytes, cut) else {
        let told = tell::quoted(path);
        return Err(Failure::new(format!("{told} is binary ({size} bytes), no text to read")));
    };
    if text.is_empty() {
        return Ok(match offset {
            0 => Output::new("empty file", "[the file is empty]"),
            _ => {
                Output::new("nothing more", format!("[the file ends before: it has {size} bytes]"))
            }
        });
    }
    let lines = tell::count(text.lines().count(), "line", "lines");
    if !cut {
        return Ok(Output::new(lines, text));
    }
    let next = begin + text.len() as u64;
    let left = size - next;
    text.push_str(if text.ends_with('\n') { "" } else { "\n" });
    text.push_str(&format!(
        "[cut here: {left} of {size} bytes are left; go on with offset {next}]"
    ));
    let which = if offset == 0 { "the first" } else { "the next" };
    Ok(Output::new(format!("{which} {lines}"), text))
}

/// Leaves out the rest of a character that the bytes begin inside of; says how long that is.
fn leave_half(bytes: &mut Vec<u8>) -> u64 {
    let half = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    bytes.drain(..half);
    half as u64
}

/// Bytes given at most, the last line of a cut file included.
const MAX_BYTES: usize = 256 * 1024;

/// Bytes kept free for the line that says what is left.
const LAST_LINE: usize = 128;

/// The bytes as text, if they are; the last character may be cut.
fn text(mut bytes: Vec<u8>, cut: bool) -> Option<String> {
    if bytes.contains(&0) {
        return None;
    }
    if let Err(error) = str::from_utf8(&bytes)
        && cut
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    String::from_utf8(bytes).ok()
}
