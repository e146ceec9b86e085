//! The tool `web_search`.
//!
//! This module has the arguments and the list of results. `engines` has the engines.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_tool::{
    ApprovalNeed, CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
};

use crate::engine::{SearchEngine, SearchResult};
use crate::failure::{check_risk, failed};

/// The tool `web_search {query, count?}`, which lists the results of a search engine: titles, URLs
/// and a few words of each page.
///
/// ```
/// use silcrow_tool::{Tool as _, Toolbox};
/// use silcrow_web::{DuckDuckGo, Fetcher, WebSearch};
///
/// let search = WebSearch::new(DuckDuckGo::new(Fetcher::new()));
/// assert_eq!(search.name(), "web_search");
/// let mut tools = Toolbox::new();
/// tools.add(search).unwrap();
/// ```
#[derive(Clone)]
pub struct WebSearch {
    engine: Arc<dyn SearchEngine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WebSearchArgs {
    query: String,
    count: Option<usize>,
}

impl WebSearch {
    /// Creates the tool with its engine.
    pub fn new(engine: impl SearchEngine + 'static) -> Self {
        Self { engine: Arc::new(engine) }
    }

    async fn search(
        &self,
        args: &WebSearchArgs,
        context: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        let query = query(&args.query)?;
        check_risk(risk(&query).as_deref(), context)?;
        let count = args.count.unwrap_or(DEFAULT_COUNT).clamp(1, MAX_COUNT);
        let results = self.engine.search(&query, count).await;
        let results = results.map_err(|error| failed(self.engine.name(), &error))?;
        let results: Vec<_> = results.into_iter().take(count).collect();
        let summary = match results.len() {
            0 => return Ok(ToolOutput::new("nothing found", "").with_notice(NOTHING)),
            1 => "1 result".to_owned(),
            number => format!("{number} results"),
        };
        let list: Vec<_> =
            results.iter().enumerate().map(|(at, result)| entry(at, result)).collect();
        let notice = format!("found by {}; `web_scrape` reads a page", self.engine.name());
        Ok(ToolOutput::new(summary, list.join("\n\n")).with_notice(notice))
    }
}

impl Tool for WebSearch {
    fn name(&self) -> &str {
        "web_search"
    }

    fn description(&self) -> &str {
        "Searches the web. Returns titles, URLs and a few words of the pages that fit best. \
         Example: {\"query\": \"rust 2024 edition temporaries\"}"
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy {
            read_only: true,
            sends_out: true,
            approval: ApprovalNeed::Always,
            ..ToolPolicy::default()
        }
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let query = query(&args.read::<WebSearchArgs>()?.query)?;
            let (name, host) = (self.engine.name(), self.engine.host());
            let preview = Preview::new(host).with_target(format!("{host}: {query}"));
            let preview = preview.with_effect(format!("sends the query to {name}"));
            Ok(match risk(&query) {
                Some(risk) => preview.with_risk(risk),
                None => preview,
            })
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move { self.search(&args.read()?, context).await }.boxed()
    }
}

impl fmt::Debug for WebSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSearch").field("engine", &self.engine.name()).finish()
    }
}

/// Returns the query on one line.
fn query(text: &str) -> Result<String, ToolError> {
    let query = one_line(text, usize::MAX);
    match query.len() {
        0 => Err(ToolError::new("`query` is empty; write the words to search for")),
        1..=MAX_QUERY => Ok(query),
        long => Err(ToolError::new(format!(
            "`query` has {long} bytes; a search engine reads at most {MAX_QUERY}"
        ))),
    }
}

/// Returns the reason why a query needs a person's own approval, if it does.
fn risk(query: &str) -> Option<String> {
    (query.len() > LONG_QUERY).then(|| format!("it sends {} bytes of text", query.len()))
}

/// Returns a result as a list shows it. Each text is on one line, so no page can add a result.
fn entry(at: usize, result: &SearchResult) -> String {
    let mut entry = format!("{}. {}", at + 1, one_line(&result.title, MAX_TITLE));
    let lines = [one_line(&result.url, MAX_URL), one_line(&result.snippet, MAX_SNIPPET)];
    for line in lines.iter().filter(|line| !line.is_empty()) {
        entry.push_str("\n   ");
        entry.push_str(line);
    }
    entry
}

/// Returns the words of a text on one line, at most `limit` characters of it.
fn one_line(text: &str, limit: usize) -> String {
    let words: Vec<_> = text
        .split(|char: char| char.is_whitespace() || char.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ").chars().take(limit).collect()
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""query":{"type":"string","description":"the words to search for"},"#,
    r#""count":{"type":"integer","minimum":1,"maximum":20,"#,
    r#""description":"the greatest number of results, by default 8"}},"#,
    r#""required":["query"],"additionalProperties":false}"#,
);

const NOTHING: &str = "the engine found nothing; try fewer or other words";

/// The number of results, unless the call says another.
const DEFAULT_COUNT: usize = 8;

/// The maximum number of results.
const MAX_COUNT: usize = 20;

/// The length of the longest query, in bytes.
const MAX_QUERY: usize = 2000;

/// The length of a query, in bytes, above which it may carry data out.
const LONG_QUERY: usize = 300;

/// The lengths of a title, a URL and a snippet in the list, in characters.
const MAX_TITLE: usize = 200;
const MAX_URL: usize = 2000;
const MAX_SNIPPET: usize = 500;
