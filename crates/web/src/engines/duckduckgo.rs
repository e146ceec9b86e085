//! DuckDuckGo, by its page without scripts. It needs no key.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use url::Url;

use crate::charset;
use crate::engine::{SearchEngine, SearchResult};
use crate::engines::ask;
use crate::error::{Error, ErrorKind};
use crate::fetcher::{FetchRequest, Fetcher};
use crate::html::pick;
use crate::media_type::MediaType;
use crate::web_url::WebUrl;

/// The search engine DuckDuckGo, which needs no key. It rejects programs that ask often, and the
/// error then says so.
///
/// ```
/// use silcrow_web::{DuckDuckGo, Fetcher, SearchEngine as _};
///
/// let engine = DuckDuckGo::new(Fetcher::new());
/// assert_eq!(engine.host(), "html.duckduckgo.com");
/// ```
#[derive(Clone, Debug)]
pub struct DuckDuckGo {
    fetcher: Fetcher,
    endpoint: WebUrl,
}

impl DuckDuckGo {
    /// Creates the engine.
    pub fn new(fetcher: Fetcher) -> Self {
        Self { fetcher, endpoint: WebUrl::constant("https://html.duckduckgo.com/html/") }
    }

    /// Replaces the URL of the page with results.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a URL.
    pub fn with_endpoint(self, url: &str) -> Result<Self, Error> {
        Ok(Self { endpoint: WebUrl::parse(url)?, ..self })
    }

    async fn results(&self, query: &str) -> Result<Vec<SearchResult>, Error> {
        let url = self.endpoint.with_query(&[("q", query)])?;
        let request = FetchRequest::new(url, "text/html");
        let response = ask(&self.fetcher, request).await?;
        let media_type = MediaType::parse(response.content_type());
        let body = response.read().await?;
        read(&charset::decode(&body.bytes, media_type.charset.as_deref()).text)
    }
}

impl SearchEngine for DuckDuckGo {
    fn name(&self) -> &str {
        "DuckDuckGo"
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

/// Reads the page with results.
fn read(html: &str) -> Result<Vec<SearchResult>, Error> {
    if CHALLENGES.iter().any(|mark| html.contains(mark)) {
        let message = "it asks whether a person is there and gives no results; try later, or use \
                       another search engine";
        return Err(Error::new(ErrorKind::Blocked, message));
    }
    let mut results: Vec<SearchResult> = Vec::new();
    for element in pick::pick(html, &[TITLE, SNIPPET, NOTHING], "result--ad") {
        match (element.class, element.href.as_deref().and_then(target)) {
            (TITLE, Some(url)) => {
                results.push(SearchResult { title: element.text, url, snippet: String::new() });
            }
            (SNIPPET, _) => {
                let last = results.last_mut().filter(|result| result.snippet.is_empty());
                if let Some(result) = last {
                    result.snippet = element.text;
                }
            }
            (NOTHING, _) => return Ok(Vec::new()),
            _ => {}
        }
    }
    if results.is_empty() {
        let message = "its page has no results that can be read; the form of the page may have \
                       changed; use another search engine";
        return Err(Error::new(ErrorKind::Answer, message));
    }
    Ok(results)
}

/// Returns the target of a link on the page. Advertisements lead to DuckDuckGo.
fn target(href: &str) -> Option<String> {
    let base = Url::parse("https://duckduckgo.com/").ok()?;
    let url = base.join(href).ok()?;
    let is_own = url
        .host_str()
        .is_some_and(|host| host == "duckduckgo.com" || host.ends_with(".duckduckgo.com"));
    if !is_own {
        return matches!(url.scheme(), "http" | "https").then(|| url.into());
    }
    let target = url.query_pairs().find(|(key, _)| key == "uddg")?.1;
    let target = Url::parse(&target).ok()?;
    matches!(target.scheme(), "http" | "https").then(|| target.into())
}

/// The classes of a title with its link, of a few words of the page, and of the message that
/// nothing was found.
const TITLE: &str = "result__a";
const SNIPPET: &str = "result__snippet";
const NOTHING: &str = "no-results";

/// Texts that only a page with a challenge for people has.
const CHALLENGES: [&str; 3] = ["anomaly-modal", "challenge-form", "bots use DuckDuckGo"];
