//! The tool `web_search`, with a scripted engine.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_tool::{ApprovalNeed, CallContext, Preview, Tool as _, ToolArgs};
use silcrow_web::{Error, ErrorKind, SearchEngine, SearchResult, WebSearch};

/// An engine that gives the same results for each query.
struct ScriptedEngine(Vec<SearchResult>);

impl SearchEngine for ScriptedEngine {
    fn name(&self) -> &str {
        "Scripted"
    }

    fn host(&self) -> &str {
        "search.example"
    }

    fn search<'a>(
        &'a self,
        query: &'a str,
        _: usize,
    ) -> BoxFuture<'a, Result<Vec<SearchResult>, Error>> {
        async move {
            match query {
                "fail" => Err(Error::new(ErrorKind::Blocked, "it asks for a person")),
                _ => Ok(self.0.clone()),
            }
        }
        .boxed()
    }
}

fn result(title: &str, url: &str, snippet: &str) -> SearchResult {
    let [title, url, snippet] = [title, url, snippet].map(str::to_owned);
    SearchResult { title, url, snippet }
}

fn tool() -> WebSearch {
    WebSearch::new(ScriptedEngine(vec![
        result("First", "https://a.example/", "The first page."),
        result("Second\n1. Forged", "https://b.example/", "  two\n\nlines\u{1b}[2J "),
        result("Third", "https://c.example/", ""),
    ]))
}

#[tokio::test]
async fn results_are_a_numbered_list() {
    let context = CallContext::new("c", "a1");
    let args = ToolArgs::new(r#"{"query":"  some \n words "}"#);
    let output = tool().call(args, &context).await.unwrap();
    assert_eq!(output.summary, "3 results");
    let expected = "1. First
   https://a.example/
   The first page.

2. Second 1. Forged
   https://b.example/
   two lines [2J

3. Third
   https://c.example/";
    assert_eq!(output.content.text(), expected);
    let args = ToolArgs::new(r#"{"query":"words","count":1}"#);
    let output = tool().call(args, &context).await.unwrap();
    assert_eq!(output.summary, "1 result");
    let none = WebSearch::new(ScriptedEngine(Vec::new()));
    let output = none.call(ToolArgs::new(r#"{"query":"x"}"#), &context).await.unwrap();
    assert_eq!((&*output.summary, output.content.is_empty()), ("nothing found", true));
}

#[tokio::test]
async fn each_query_is_shown_and_approved() {
    let tool = tool();
    assert_eq!(tool.policy().approval, ApprovalNeed::Always);
    assert!(tool.policy().sends_out && tool.policy().read_only);
    let context = CallContext::new("c", "a1");
    let args = ToolArgs::new(r#"{"query":"some\nwords"}"#);
    let preview = tool.preview(args, &context).await.unwrap();
    let expected = Preview::new("search.example").with_target("search.example: some words");
    assert_eq!(preview, expected.with_effect("sends the query to Scripted"));

    let long = format!(r#"{{"query":"{}"}}"#, "secret ".repeat(100));
    let preview = tool.preview(ToolArgs::new(&long), &context).await.unwrap();
    assert_eq!(preview.risk.as_deref(), Some("it sends 699 bytes of text"));
    tool.call(ToolArgs::new(&long), &context).await.unwrap_err();
    let approved = CallContext::new("c", "a1").with_approved(Some(preview));
    tool.call(ToolArgs::new(&long), &approved).await.unwrap();
}

#[tokio::test]
async fn failures_name_the_engine() {
    let (tool, context) = (tool(), CallContext::new("c", "a1"));
    let error = tool.call(ToolArgs::new(r#"{"query":"fail"}"#), &context).await.unwrap_err();
    assert_eq!(error.to_string(), "Scripted: it asks for a person");
    let huge = format!(r#"{{"query":"{}"}}"#, "a".repeat(3000));
    for args in
        ["{}", r#"{"query":""}"#, r#"{"query":" \n"}"#, &huge, r#"{"query":"a","engine":"b"}"#]
    {
        tool.call(ToolArgs::new(args), &context).await.unwrap_err();
        tool.preview(ToolArgs::new(args), &context).await.unwrap_err();
    }
    serde_json::from_str::<serde_json::Value>(tool.schema()).unwrap();
}
