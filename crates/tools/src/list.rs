//! The tool `file_list`.

use std::ffi::OsStr;

use cap_std::fs::Dir;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_event::Truncation;
use silcrow_exec::{
    CallContext, CancellationToken, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
};

use crate::messages;
use crate::names::FirstNames;
use crate::resolve::PathAccess;
use crate::root::{Root, here};

/// The tool `file_list {path?}`, which lists a folder in sorted order. Folders end in `/`, and
/// files are followed by their size.
#[derive(Clone, Debug)]
pub struct FileList {
    root: Root,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArgs {
    #[serde(default = "here")]
    path: String,
}

impl FileList {
    /// Creates the tool, confined to `root`.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone() }
    }
}

impl Tool for FileList {
    fn name(&self) -> &str {
        "file_list"
    }

    fn description(&self) -> &str {
        "Lists a folder: one entry a line, folders end in `/`, files are followed by their size."
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
            let ListArgs { path } = args.read()?;
            let (root, cancel) = (self.root.clone(), context.cancellation().clone());
            self.root.slots().run(move || list(&root, &path, &cancel)).await
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""path":{"type":"string","description":"the folder, relative to the root; "#,
    r#"`.` if it is left out"}},"#,
    r#""additionalProperties":false}"#,
);

fn list(root: &Root, path: &str, cancel: &CancellationToken) -> Result<ToolOutput, ToolError> {
    let place = root.find(path, PathAccess::Read).map_err(|error| root.failure(path, error))?;
    if let Some(name) = place.rest.last() {
        let folder = place.trail.last();
        let found = folder.dir.symlink_metadata(name).map_err(|error| root.failure(path, error))?;
        let kind = messages::kind_name(found.file_type());
        return Err(ToolError::new(format!("{} is {kind}, no folder", messages::quoted(path))));
    }
    let dir = &place.trail.last().dir;
    let names =
        FirstNames::read(dir, MAX_ENTRIES, cancel).map_err(|error| root.failure(path, error))?;
    if cancel.is_cancelled() {
        return Err(messages::cancelled());
    }
    let entries = names.first.len() + names.others;
    let mut content: String = names.first.iter().map(|name| line(dir, name)).collect();
    content.pop();
    let output = ToolOutput::new(messages::count(entries, "entry", "entries"), content);
    Ok(match (entries, names.others) {
        (0, _) => output.with_notice("the folder is empty"),
        (_, 0) => output,
        (_, others) => {
            output.with_truncation(Truncation::default().with_omitted_lines(others as u64))
        }
    })
}

/// The number of entries that are shown.
const MAX_ENTRIES: usize = 1000;

/// Returns the line for an entry, with its line break.
fn line(dir: &Dir, name: &OsStr) -> String {
    let shown = messages::escaped(&name.to_string_lossy());
    match dir.symlink_metadata(name) {
        Ok(metadata) if metadata.is_dir() => format!("{shown}/\n"),
        Ok(metadata) if metadata.is_file() => format!("{shown}  {} bytes\n", metadata.len()),
        Ok(metadata) => format!("{shown}  ({})\n", messages::kind_name(metadata.file_type())),
        // It was removed meanwhile, or access is denied.
        Err(_) => format!("{shown}  (unknown)\n"),
    }
}
