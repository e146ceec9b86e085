use std::io;
use std::path::Path;

use cap_std::fs::DirEntry;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_exec::{Args, Context, Failure, Output, Policy, Tool};

use crate::blocking::blocking;
use crate::root::{Root, here};
use crate::tell;

/// `file_list {path?}`: what is in a folder, sorted: folders end in `/`, files have their size.
#[derive(Clone, Debug)]
pub struct FileList {
    root: Root,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default = "here")]
    path: String,
}

impl FileList {
    /// The tool, confined to `root`.
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

    fn policy(&self) -> Policy {
        Policy { read_only: true, ..Policy::default() }
    }

    fn call<'a>(
        &'a self,
        args: Args<'a>,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        async move {
            let Wanted { path } = args.read()?;
            let root = self.root.clone();
            blocking(move || list(&root, &path)).await
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

fn list(root: &Root, path: &str) -> Result<Output, Failure> {
    let entries = entries(root, path)?;
    let mut content: String = entries.iter().take(MAX_ENTRIES).map(line).collect();
    if entries.is_empty() {
        content.push_str("[the folder is empty]");
    } else if entries.len() > MAX_ENTRIES {
        let left = entries.len() - MAX_ENTRIES;
        content.push_str(&format!("[{left} more entries are left out]"));
    } else {
        content.pop();
    }
    Ok(Output::new(tell::count(entries.len(), "entry", "entries"), content))
}

/// Entries shown.
const MAX_ENTRIES: usize = 1000;

fn entries(root: &Root, path: &str) -> Result<Vec<DirEntry>, Failure> {
    let read = || {
        let mut entries = root.dir().read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_cached_key(DirEntry::file_name);
        Ok(entries)
    };
    read().map_err(|error: io::Error| {
        // A pipe or a file is told by name.
        match root.peek(Path::new(path)) {
            Ok((_, metadata)) if !metadata.is_dir() => {
                let kind = tell::kind_name(metadata.file_type());
                Failure::new(format!("{} is {kind}, no folder", tell::quoted(path)))
            }
            _ => root.failure(path, &error),
        }
    })
}

/// An entry and its line break.
fn line(entry: &DirEntry) -> String {
    let name = tell::plain(&entry.file_name().to_string_lossy());
    match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => format!("{name}/\n"),
        Ok(metadata) if metadata.is_file() => format!("{name}  {} bytes\n", metadata.len()),
        Ok(metadata) => format!("{name}  ({})\n", tell::kind_name(metadata.file_type())),
        // It went away meanwhile, or may not be looked at.
        Err(_) => format!("{name}  (unknown)\n"),
    }
}
