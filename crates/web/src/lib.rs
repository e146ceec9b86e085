//! The tools `web_search` and `web_scrape`, which reach only public addresses.

mod address;
mod allowed;
mod body;
mod charset;
mod connection;
mod decode;
mod engine;
mod engines;
mod error;
mod failure;
mod fetcher;
mod html;
mod limits;
mod media_type;
mod page;
mod resolver;
mod scrape;
mod search;
mod search_key;
mod web_url;

pub use address::is_public;
pub use body::{BodyGap, FetchedBody};
pub use engine::{SearchEngine, SearchResult};
pub use engines::{BraveSearch, DuckDuckGo, SearxNg};
pub use error::{Error, ErrorKind};
pub use fetcher::{FetchResponse, Fetcher};
pub use limits::FetchLimits;
pub use resolver::{Resolver, SystemResolver};
pub use scrape::WebScrape;
pub use search::WebSearch;
pub use search_key::SearchKey;
pub use web_url::WebUrl;
