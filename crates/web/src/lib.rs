//! The tools `web_search` and `web_scrape`, which reach only public addresses.

mod address;
mod allowed;
mod body;
mod connection;
mod decode;
mod error;
mod fetcher;
mod html;
mod limits;
mod resolver;
mod search_key;
mod web_url;

pub use address::is_public;
pub use body::{BodyGap, FetchedBody};
pub use error::{Error, ErrorKind};
pub use fetcher::{FetchResponse, Fetcher};
pub use limits::FetchLimits;
pub use resolver::{Resolver, SystemResolver};
pub use search_key::SearchKey;
pub use web_url::WebUrl;
