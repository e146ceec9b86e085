//! Brave Search, by its API with a key.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use reqwest::header::HeaderName;
use serde::Deserialize;

use crate::engine::{SearchEngine, SearchResult};
use crate::engines::{ask, read_json};
use crate::error::{Error, ErrorKind};
use crate::fetcher::{FetchRequest, Fetcher};
use crate::html::pick;
use crate::search_key::SearchKey;
use crate::web_url::WebUrl;

/// The search engine Brave Search, which needs a key. Only the origin of its API receives the key.
///
/// ```
/// use silcrow_tool::Tool as _;
/// use silcrow_web::{BraveSearch, Fetcher, SearchEngine as _, SearchKey, WebSearch};
///
/// let brave = BraveSearch::new(Fetcher::new(), SearchKey::new("BSA-1234567890")?);
/// assert_eq!(brave.host(), "api.search.brave.com");
/// assert_eq!(WebSearch::new(brave).name(), "web_search");
/// # Ok::<(), silcrow_web::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BraveSearch {
    fetcher: Fetcher,
    endpoint: WebUrl,
    key: SearchKey,
}

#[derive(Deserialize)]
struct BraveAnswer {
    #[serde(default)]
    web: BraveResults,
}

#[derive(Default, Deserialize)]
struct BraveResults {
    #[serde(default)]
    results: Vec<BraveResult>,
}

#[derive(Deserialize)]
struct BraveResult {
    title: String,
    url: String,
    #[serde(default)]
    description: String,
}

impl BraveSearch {
    /// Creates the engine with its key.
    pub fn new(fetcher: Fetcher, key: SearchKey) -> Self {
        let endpoint = WebUrl::constant("https://api.search.brave.com/res/v1/web/search");
        Self { fetcher, endpoint, key }
    }

    /// Replaces the URL of the API, for servers that offer the same.
    ///
    /// ```
    /// use silcrow_web::{BraveSearch, Fetcher, SearchKey};
    ///
    /// let brave = BraveSearch::new(Fetcher::new(), SearchKey::new("BSA-1234567890")?);
    /// assert!(brave.clone().with_endpoint("https://search.example/web").is_ok());
    /// assert!(brave.with_endpoint("http://search.example/web").is_err());
    /// # Ok::<(), silcrow_web::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a URL, or if it would send the key without encryption to
    /// another machine.
    pub fn with_endpoint(self, url: &str) -> Result<Self, Error> {
        let endpoint = WebUrl::parse(url)?;
        let is_here = endpoint.address().is_some_and(|address| address.is_loopback());
        if !endpoint.is_https() && !is_here {
            let message = "the key would be sent without encryption; write an https URL";
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        Ok(Self { endpoint, ..self })
    }

    async fn results(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, Error> {
        let count = count.to_string();
        let url = self.endpoint.with_query(&[("q", query), ("count", &count)])?;
        let key = Some((HeaderName::from_static("x-subscription-token"), &self.key));
        let request = FetchRequest { key, ..FetchRequest::new(url, "application/json") };
        let response = ask(&self.fetcher, request).await?;
        let answer: BraveAnswer = read_json(response).await?;
        Ok(answer.web.results.into_iter().map(SearchResult::from).collect())
    }
}

impl From<BraveResult> for SearchResult {
    fn from(BraveResult { title, url, description }: BraveResult) -> Self {
        // Both mark the words of the query with tags.
        Self { title: pick::plain_text(&title), url, snippet: pick::plain_text(&description) }
    }
}

impl SearchEngine for BraveSearch {
    fn name(&self) -> &str {
        "Brave Search"
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
            let mut results = self.results(query, count).await?;
            results.truncate(count);
            Ok(results)
        }
        .boxed()
    }
}
