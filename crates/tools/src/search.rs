//! The tool `file_search`, and how it compares text.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_exec::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::root::{Root, here};
use crate::walk::SearchWalk;

/// `file_search {query, path?}`: the lines that hold a text, as `path:line: text`.
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
            let (root, cancel) = (self.root.clone(), context.cancel().clone());
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

/// What is looked for.
pub(crate) struct TextQuery {
    text: String,
    /// It holds no capital, so those of the line do not count.
    any_case: bool,
}

impl TextQuery {
    fn new(text: String) -> Result<Self, ToolError> {
        if text.is_empty() {
            return Err(ToolError::new("`query` is empty; write the text to look for"));
        }
        if text.contains('\n') {
            return Err(ToolError::new("`query` has a line break; search goes line by line"));
        }
        if text.len() > MAX_QUERY {
            let len = text.len();
            return Err(ToolError::new(format!(
                "`query` has {len} bytes; search for a part of it, of at most {MAX_QUERY}"
            )));
        }
        let any_case = text.to_lowercase() == text;
        Ok(Self { text, any_case })
    }

    /// The most bytes that hold the text in a line. In other case characters have other lengths.
    pub(crate) fn longest(&self) -> usize {
        self.text.len() * 4
    }

    /// The line, cut around the first place where it holds the text. There may be more of it before
    /// and after what is given.
    pub(crate) fn excerpt(&self, line: &str, more: (bool, bool)) -> Option<String> {
        let before = if self.any_case {
            let line = line.to_lowercase();
            line[..line.find(&self.text)?].chars().count()
        } else {
            line[..line.find(&self.text)?].chars().count()
        };
        let line = line.trim_end();
        // As much as fits before the text, which is to be seen.
        let start = if before + self.text.chars().count() <= MAX_SHOWN {
            0
        } else {
            before.saturating_sub(MAX_BEFORE)
        };
        let mut shown = String::from(if start > 0 || more.0 { "…" } else { "" });
        shown.extend(line.chars().skip(start).take(MAX_SHOWN));
        if line.chars().nth(start + MAX_SHOWN).is_some() || more.1 {
            shown.push('…');
        }
        Some(shown)
    }
}

/// Bytes of a query.
const MAX_QUERY: usize = 4096;

/// Characters of a line that are shown.
const MAX_SHOWN: usize = 200;

/// Characters shown before the text in a longer line.
const MAX_BEFORE: usize = 50;
