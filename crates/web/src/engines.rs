//! The search engines that this crate supports.

mod brave;
mod duckduckgo;
mod searxng;

use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind};
use crate::fetch_response::FetchResponse;
use crate::fetcher::{FetchRequest, Fetcher};

pub use brave::BraveSearch;
pub use duckduckgo::DuckDuckGo;
pub use searxng::SearxNg;

/// Sends a query to an engine. A status that means a refusal is an error.
async fn ask(fetcher: &Fetcher, request: FetchRequest<'_>) -> Result<FetchResponse, Error> {
    let response = fetcher.send(request).await?;
    let blocked = |what: &str| Err(Error::new(ErrorKind::Blocked, what));
    match response.status() {
        200 => Ok(response),
        401 | 402 => blocked("it rejects the key, or the key has no requests left"),
        202 | 403 => blocked("it rejects requests of programs for now; try later, or use another"),
        429 => blocked("it has had too many requests; try later"),
        status => {
            let message = format!("it answers with status {status} and no results");
            Err(Error::new(ErrorKind::Answer, message))
        }
    }
}

/// Reads an answer in JSON.
async fn read_json<T: DeserializeOwned>(response: FetchResponse) -> Result<T, Error> {
    let body = response.read().await?;
    if let Some(gap) = body.gap {
        return Err(Error::new(ErrorKind::Answer, gap.to_string()));
    }
    serde_json::from_slice(&body.bytes).map_err(|error| {
        let message = "its answer is not the JSON of search results";
        Error::new(ErrorKind::Answer, message).with_source(error)
    })
}
