//! The tool `tool_search`, which shows the model the full definitions of tools that it knows only
//! by name.
//!
//! It ranks tools by the number of the words in their names and descriptions.

use std::cmp::Reverse;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::client::definition::ToolDefinition;

/// A search in the definitions of all servers' tools.
pub(crate) struct ToolSearch(Vec<ToolDefinition>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolSearchArgs {
    query: String,
}

impl ToolSearch {
    pub(crate) const fn new(tools: Vec<ToolDefinition>) -> Self {
        Self(tools)
    }

    fn find(&self, query: &str) -> Vec<&ToolDefinition> {
        let query = query.to_lowercase();
        let words: Vec<_> = query.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let rank = |tool: &ToolDefinition| {
            let (name, about) = (tool.name.to_lowercase(), tool.description.to_lowercase());
            let words = words.iter().filter(|word| !word.is_empty());
            let found = |word: &&str| {
                3 * usize::from(name.contains(word)) + usize::from(about.contains(word))
            };
            let exact = if query.contains(&name) { 100 } else { 0 };
            exact + words.map(found).sum::<usize>()
        };
        let mut found: Vec<_> = self.0.iter().map(|tool| (rank(tool), tool)).collect();
        found.retain(|(rank, _)| *rank > 0);
        found.sort_by_key(|(rank, tool)| (Reverse(*rank), &tool.name));
        found.into_iter().take(MOST).map(|(_, tool)| tool).collect()
    }

    fn run(&self, args: ToolArgs<'_>) -> Result<ToolOutput, ToolError> {
        let ToolSearchArgs { query } = args.read()?;
        let found = self.find(&query);
        let lines = found.iter().map(|tool| {
            format!("{}: {}\narguments: {}\n", tool.name, tool.description, tool.schema)
        });
        let output = ToolOutput::new(format!("{} tools", found.len()), lines.collect::<String>());
        Ok(match found.is_empty() {
            true => output.with_notice("no tool was found; search for other words"),
            false => output,
        })
    }
}

impl Tool for ToolSearch {
    fn name(&self) -> &'static str {
        "tool_search"
    }

    fn description(&self) -> &'static str {
        "Returns the descriptions and the arguments of tools that are listed only by name, which are \
         those with a dot in their names. Search before you call one of them."
    }

    fn schema(&self) -> &'static str {
        r#"{"type":"object","properties":{"query":{"type":"string","minLength":1,"description":"Words about what the tool does, or names of tools."}},"required":["query"],"additionalProperties":false}"#
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { read_only: true, idempotent: true, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move { self.run(args) }.boxed()
    }
}

/// The number of tools that one search returns.
const MOST: usize = 8;
