use std::io::Read as _;
use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_exec::{Args, Context, Failure, Output, Policy, Tool};

use crate::blocking::blocking;
use crate::root::Root;
use crate::tell;

/// `file_read {file}`: the text of a file; of a long one the first part, and how much is left.
#[derive(Clone, Debug)]
pub struct FileRead {
    root: Root,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    file: String,
}

impl FileRead {
    /// The tool, confined to `root`.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone() }
    }
}

impl Tool for FileRead {
    fn name(&self) -> &str {
        "file_read"
    }

    fn description(&self) -> &str {
        "Reads a text file. Of a long one it gives the first 256 KiB and says how much is left."
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
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        async move {
            let Wanted { file } = args.read()?;
            let root = self.root.clone();
            blocking(move || read(&root, &file)).await
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""file":{"type":"string","description":"the file, relative to the root"}},"#,
    r#""required":["file"],"additionalProperties":false}"#,
);

fn read(root: &Root, path: &str) -> Result<Output, Failure> {
    let (file, metadata) =
        root.peek(Path::new(path)).map_err(|error| root.failure(path, &error))?;
    if !metadata.is_file() {
        return Err(tell::no_file(path, metadata.file_type()));
    }
    let mut bytes = Vec::new();
    // One byte more tells a file that just fits from one that does not.
    file.take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| root.failure(path, &error))?;

    let cut = bytes.len() > MAX_BYTES;
    // Also of a file whose size is not told beforehand, or that grew.
    let size = metadata.len().max(bytes.len() as u64);
    if cut {
        bytes.truncate(MAX_BYTES - LAST_LINE);
    }
    let Some(mut text) = text(bytes, cut) else {
        let told = tell::quoted(path);
        return Err(Failure::new(format!("{told} is binary ({size} bytes), no text to read")));
    };
    if text.is_empty() {
        return Ok(Output::new("empty file", "[the file is empty]"));
    }
    let lines = tell::count(text.lines().count(), "line", "lines");
    if !cut {
        return Ok(Output::new(lines, text));
    }
    let left = size - text.len() as u64;
    text.push_str(if text.ends_with('\n') { "" } else { "\n" });
    text.push_str(&format!("[cut here: {left} of {size} bytes are left]"));
    Ok(Output::new(format!("the first {lines}"), text))
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
