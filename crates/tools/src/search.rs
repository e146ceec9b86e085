//! The tool `file_search`. The walk is in `tree_walk`, and the search of files in `file_search`.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::root::{Root, here};
use crate::search_query::{LetterCase, SearchQuery};
use crate::search_report::{SearchLimits, search};
use crate::tree_walk::WalkFilter;

/// The tool `file_search {query, path?, regex?, case?, files?, context?, limit?, ignored?}`, which
/// finds the lines that contain a text or match a pattern, and returns them as `path:line: text`.
///
/// It leaves out files that git ignores, files that are not text, and files that usually hold
/// secrets, and says how many. Its output says where it stopped early.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use silcrow_tool::{CallContext, Tool as _, ToolArgs};
/// use silcrow_tools::{FileSearch, Root};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// std::fs::write(folder.join("main.rs"), "fn main() {\n    todo!()\n}\n")?;
/// std::fs::write(folder.join(".env"), "TOKEN=todo\n")?;
/// let search = FileSearch::new(&Root::open(folder)?);
/// let args = ToolArgs::new(r#"{"query":"todo"}"#);
/// let output = search.call(args, &CallContext::new("c1", "a1")).await?;
/// // A file that usually holds secrets is left out.
/// assert_eq!(output.content.text().trim(), "main.rs:2:     todo!()");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FileSearch {
    root: Root,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArgs {
    query: String,
    #[serde(default = "here")]
    path: String,
    #[serde(default)]
    regex: bool,
    #[serde(default)]
    case: LetterCase,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    context: usize,
    limit: Option<usize>,
    #[serde(default)]
    ignored: bool,
}

impl FileSearch {
    /// Creates the tool, confined to `root`.
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone() }
    }
}

impl Tool for FileSearch {
    fn name(&self) -> &str {
        "file_search"
    }

    fn description(&self) -> &str {
        "Finds the lines of text files that contain a text, as `path:line: text`. A query without \
         capitals finds them in any case. Leaves out what git ignores. Examples: {\"query\": \
         \"fn main\", \"files\": [\"*.rs\"]}, {\"query\": \"TODO|FIXME\", \"regex\": true, \"path\": \
         \"src\", \"context\": 2}"
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
            let args: SearchArgs = args.read()?;
            let (root, cancel) = (self.root.clone(), context.cancellation().clone());
            let work = move || {
                let around = args.context.min(MAX_CONTEXT);
                let query = SearchQuery::new(&args.query, args.regex, args.case, around)?;
                let filter = WalkFilter::new(&args.files, args.ignored)?;
                let hits = args.limit.unwrap_or(HITS).clamp(1, MAX_HITS);
                let limits = SearchLimits { hits, ..SearchLimits::default() };
                search(&root, &args.path, &query, filter, limits, &cancel)
            };
            self.root.slots().run(work).await
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""query":{"type":"string","description":"the text to find, on one line"},"#,
    r#""path":{"type":"string","description":"the folder or file to search, "#,
    r#"relative to the root; `.` if it is left out"},"#,
    r#""regex":{"type":"boolean","description":"whether the query is a regular expression in the "#,
    r#"syntax of Rust; otherwise it is found as it is written"},"#,
    r#""case":{"type":"string","enum":["smart","exact","any"],"description":"which letters are "#,
    r#"the same; smart, where it is left out: any case unless the query has a capital"},"#,
    r#""files":{"type":"array","items":{"type":"string"},"description":"globs of the files to "#,
    r#"search, such as `*.rs` or `src/**`; with `!` before it, one leaves files out"},"#,
    r#""context":{"type":"integer","minimum":0,"description":"the number of lines to show before "#,
    r#"and after each hit, at most 20"},"#,
    r#""limit":{"type":"integer","minimum":1,"description":"the number of hits to return; "#,
    r#"100 if it is left out, at most 1000"},"#,
    r#""ignored":{"type":"boolean","description":"whether files that git ignores are searched"}},"#,
    r#""required":["query"],"additionalProperties":false}"#,
);

/// The default and the maximum number of hits.
const HITS: usize = 100;
const MAX_HITS: usize = 1000;

/// The number of lines that are shown before and after a hit.
const MAX_CONTEXT: usize = 20;

/// The length in bytes of the output that the model reads.
const MAX_OUTPUT: usize = 30 << 10;
