//! The tool `file_search`. The search itself is in `walk`.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_exec::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::root::{Root, here};
use crate::text_query::TextQuery;
use crate::walk::SearchWalk;

/// The tool `file_search {query, path?}`, which finds the lines that contain a text and returns
/// them as `path:line: text`.
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
        "Finds the lines of text files that hold a text, as `path:line: text`. A query without \
         capitals finds them in any case. Leaves out `.git`, `target` and `node_modules`."
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
            let SearchArgs { query, path } = args.read()?;
            let (root, cancel) = (self.root.clone(), context.cancellation().clone());
            let search = move || {
                let query = TextQuery::new(query)?;
                SearchWalk::new(&root, &query, &cancel).search(&path)
            };
            self.root.slots().run(search).await
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""query":{"type":"string","description":"the text, on one line; no pattern"},"#,
    r#""path":{"type":"string","description":"the folder or file to search, "#,
    r#"relative to the root; `.` if it is left out"}},"#,
    r#""required":["query"],"additionalProperties":false}"#,
);
