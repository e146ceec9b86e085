//! SearXNG, a search engine that a person runs, by its JSON.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use crate::engine::{SearchEngine, SearchResult};
use crate::engines::{ask, read_json};
use crate::error::{Error, ErrorKind};
use crate::fetcher::{FetchRequest, Fetcher};
use crate::web_url::WebUrl;

/// A SearXNG server that a person chose. It may be on this machine or in a private network: its own
/// host and port are allowed for queries, and nothing else there.
///
/// The server must have the format `json` among the `formats` of its settings.
///
/// ```
/// use silcrow_web::{Fetcher, SearchEngine as _, SearxNg};
///
/// // The person chose this server, so it may be on this machine.
/// let engine = SearxNg::new(Fetcher::new(), "http://localhost:8888/")?;
/// assert_eq!(engine.host(), "localhost");
/// # Ok::<(), silcrow_web::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SearxNg {
    fetcher: Fetcher,
    endpoint: WebUrl,
}

#[derive(Deserialize)]
struct SearxNgAnswer {
    results: Vec<SearxNgResult>,
}

#[derive(Deserialize)]
struct SearxNgResult {
    url: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    content: Option<String>,
}

impl SearxNg {
    /// Creates the engine of the server at this URL, such as `http://localhost:8888/`.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a URL.
    pub fn new(fetcher: Fetcher, url: &str) -> Result<Self, Error> {
        let base = WebUrl::parse(url)?;
        let fetcher = fetcher.with_allowed_host(&format!("{}:{}", base.host(), base.port()))?;
        let base = base.as_str().trim_end_matches('/');
        let endpoint = base.strip_suffix("/search").unwrap_or(base);
        Ok(Self { fetcher, endpoint: WebUrl::parse(&format!("{endpoint}/search"))? })
    }

    async fn results(&self, query: &str) -> Result<Vec<SearchResult>, Error> {
        let url = self.endpoint.with_query(&[("q", query), ("format", "json")])?;
        let request = FetchRequest::new(url, "application/json");
        let response = ask(&self.fetcher, request).await.map_err(|error| match error.kind() {
            ErrorKind::Blocked => {
                let message = "it does not return JSON; add `json` to `formats` in its settings";
                Error::new(ErrorKind::Blocked, message).with_source(error)
            }
            _ => error,
        })?;
        let answer: SearxNgAnswer = read_json(response).await?;
        Ok(answer.results.into_iter().map(SearchResult::from).collect())
    }
}

impl From<SearxNgResult> for SearchResult {
    fn from(SearxNgResult { url, title, content }: SearxNgResult) -> Self {
        Self { title: title.unwrap_or_default(), url, snippet: content.unwrap_or_default() }
    }
}

impl SearchEngine for SearxNg {
    fn name(&self) -> &str {
        "SearXNG"
    }

    fn host(&self) -> &str {
        self.endpoint.host()
    }

    fn search<'a>(
        &'a self,
        query: &'a str,
        count: usize,
    ) -> BoxFuture<'a, Result<Vec<SearchResult>, Error>> {
        async move {
            let mut results = self.results(query).await?;
            results.truncate(count);
            Ok(results)
        }
        .boxed()
    }
}
