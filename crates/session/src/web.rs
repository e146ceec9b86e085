//! The web tools, as the person has set them up.

use std::env;
use std::sync::Arc;

use silcrow_event::error_chain;
use silcrow_media::MediaDecoder;
use silcrow_tool::{DuplicateTool, Toolbox};
use silcrow_web::{BraveSearch, DuckDuckGo, Fetcher, SearchKey, SearxNg, WebScrape, WebSearch};

use crate::error::Error;
use crate::options::WebOptions;

/// Adds the tools `web_search` and `web_scrape`.
pub(crate) fn add_tools(
    tools: &mut Toolbox,
    args: &WebOptions,
    decoder: Arc<dyn MediaDecoder>,
) -> Result<(), Error> {
    let fetcher = fetcher(args)?;
    let twice = |error: DuplicateTool| Error::failed(error.to_string());
    tools.add(search(args, fetcher.clone())?).map_err(twice)?;
    tools.add(WebScrape::new(fetcher).with_decoder(decoder)).map_err(twice)
}

/// Returns the fetcher for requests, with the hosts and the proxy that the person has named.
pub(crate) fn fetcher(args: &WebOptions) -> Result<Fetcher, Error> {
    let mut fetcher = Fetcher::new();
    for host in &args.allow_host {
        fetcher = fetcher.with_allowed_host(host).map_err(|error| given("--allow-host", &error))?;
    }
    if let Some(proxy) = &args.web_proxy {
        fetcher = fetcher.with_proxy(proxy).map_err(|error| given("--web-proxy", &error))?;
    }
    Ok(fetcher)
}

fn search(args: &WebOptions, fetcher: Fetcher) -> Result<WebSearch, Error> {
    let set = || env::var("SILCROW_SEARCH").ok().filter(|engine| !engine.is_empty());
    let typed = args.search.clone();
    let name = typed.as_ref().map_or("SILCROW_SEARCH", |_| "--search");
    let engine = typed.or_else(set).unwrap_or_else(|| "duckduckgo".to_owned());
    match (&*engine, engine.strip_prefix("searxng:")) {
        ("duckduckgo", _) => Ok(WebSearch::new(DuckDuckGo::new(fetcher))),
        ("brave", _) => {
            let key = env::var("BRAVE_API_KEY").ok().filter(|key| !key.is_empty());
            let key = key.ok_or_else(|| {
                Error::given(format!("{name} brave needs a key; set BRAVE_API_KEY"))
            })?;
            let key = SearchKey::new(key).map_err(|error| given("BRAVE_API_KEY", &error))?;
            Ok(WebSearch::new(BraveSearch::new(fetcher, key)))
        }
        (_, Some(url)) => {
            let engine = SearxNg::new(fetcher, url).map_err(|error| given(name, &error))?;
            Ok(WebSearch::new(engine))
        }
        _ => Err(Error::given(format!(
            "{name} {engine}: unknown search engine; use duckduckgo, brave, or searxng:URL"
        ))),
    }
}

fn given(name: &str, error: &silcrow_web::Error) -> Error {
    Error::given(format!("{name}: {}", error_chain(error)))
}
