//! The tool `file_list`. `tree_list` selects the entries.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::root::{Root, here};
use crate::tree_list::TreeList;

/// The tool `file_list {path?, depth?, ignored?}`, which lists a folder as a tree in sorted order.
/// Folders end in `/`, and files are followed by their size.
///
/// It leaves out files that git ignores, unless they are requested, and says so. If the space does
/// not suffice for all entries, the upper ones are shown.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use silcrow_tool::{CallContext, Tool as _, ToolArgs};
/// use silcrow_tools::{FileList, Root};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// std::fs::create_dir(folder.join("src"))?;
/// std::fs::write(folder.join("src/main.rs"), "fn main() {}\n")?;
/// let list = FileList::new(&Root::open(folder)?);
/// let args = ToolArgs::new(r#"{"depth":2}"#);
/// let output = list.call(args, &CallContext::new("c1", "a1")).await?;
/// let text = output.content.text();
/// assert!(text.contains("src/") && text.contains("main.rs"), "{text}");
/// // No path leads out of the root.
/// let args = ToolArgs::new(r#"{"path":".."}"#);
/// assert!(list.call(args, &CallContext::new("c1", "a2")).await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FileList {
    root: Root,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArgs {
    #[serde(default = "here")]
    path: String,
    depth: Option<usize>,
    #[serde(default)]
    ignored: bool,
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
        "Lists a folder: one entry a line, folders end in `/`, files are followed by their size. \
         With a depth, folders are followed by what is in them. Leaves out what git ignores. \
         Example: {\"path\": \"src\", \"depth\": 3}"
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { read_only: true, output_cap: Some(MAX_OUTPUT), ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let ListArgs { path, depth, ignored } = args.read()?;
            let (root, cancel) = (self.root.clone(), context.cancellation().clone());
            let depth = depth.unwrap_or(1).clamp(1, MAX_DEPTH);
            let list = move || TreeList::read(&root, &path, depth, ignored, &cancel);
            self.root.slots().run(list).await
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""path":{"type":"string","description":"the folder, relative to the root; "#,
    r#"`.` if it is left out"},"#,
    r#""depth":{"type":"integer","minimum":1,"description":"the number of levels; "#,
    r#"1 if it is left out"},"#,
    r#""ignored":{"type":"boolean","description":"whether entries that git ignores are shown"}},"#,
    r#""additionalProperties":false}"#,
);

/// The number of levels.
const MAX_DEPTH: usize = 20;

/// The length in bytes of the list that the model reads.
const MAX_OUTPUT: usize = 30 << 10;
