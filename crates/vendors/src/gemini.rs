//! `generateContent`: Google's API for Gemini models.
//!
//! This module has the URLs for streamed and for whole answers. `request` encodes, and `reader`
//! decodes.

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use silcrow_provider::{DeltaStream, Error, OpeningSession, Request, SamplingField};

use crate::host::parse;
use crate::key::ApiKey;
use crate::model::{Adapter, Api, Model, SamplingApi};

mod native;
mod reader;
mod request;
mod thinking;

pub(crate) use native::FOREIGN;
pub(crate) use reader::{GeminiContent, GeminiReader};

/// A Gemini model that is asked through `generateContent`.
///
/// Thoughts arrive as reasoning. The prefix `models/` of a name is optional.
///
/// ```
/// use silcrow_provider::Provider as _;
/// use silcrow_vendors::{ApiKey, Gemini};
///
/// let key = || ApiKey::new("AIza-1234567890", "GEMINI_API_KEY");
/// let model = Gemini::new("models/gemini-2.5-pro", key())?;
/// assert_eq!(model.name(), "gemini:models/gemini-2.5-pro");
/// // It has no sessions; `Interactions` has.
/// # use silcrow_event::Message;
/// # use silcrow_provider::Request;
/// assert!(model.connect(Request::new(vec![Message::user("hi")])).is_none());
/// # Ok::<_, silcrow_provider::Error>(())
/// ```
pub type Gemini = Model<GeminiApi>;

/// The API `generateContent`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GeminiApi;

impl GeminiApi {
    /// The sampling fields that the API supports: all of them.
    pub const SAMPLING: &'static [SamplingField] = &SamplingField::ALL;
}

impl Api for GeminiApi {}

impl SamplingApi for GeminiApi {}

impl Adapter for GeminiApi {
    const NAME: &'static str = "generateContent";
    const PREFIX: &'static str = "gemini";
    const SERVER: &'static str = GOOGLE;

    fn endpoint(url: &str) -> Result<Url, Error> {
        base(url)
    }

    fn headers(&self, key: &ApiKey) -> Result<HeaderMap, Error> {
        Ok(HeaderMap::from_iter([credential(key)?]))
    }

    fn id(model: &str) -> &str {
        bare(model)
    }

    fn stream(model: &Gemini, request: Request) -> DeltaStream {
        let body = request::body(model, &request);
        let url = url(model, request.streaming);
        let reader = Box::new(GeminiReader::new(&request.tools));
        model.host.ask(url, body, request.streaming, reader)
    }

    fn connect(_: &Gemini, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// Returns the URL of requests for a streamed or a whole answer.
fn url(model: &Gemini, streaming: bool) -> Url {
    let mut url = model.host.url.clone();
    let method = if streaming { "streamGenerateContent" } else { "generateContent" };
    url.path_segments_mut()
        .expect("a URL of HTTP has a path")
        .push("models")
        .push(&format!("{}:{method}", model.id));
    if streaming {
        // Without this parameter the chunks are items of one JSON array.
        url.query_pairs_mut().append_pair("alt", "sse");
    }
    url
}

/// Returns the URL up to the version of the API, which is `/v1` if the URL names none.
pub(crate) fn base(url: &str) -> Result<Url, Error> {
    let mut url = parse(url)?;
    let path = url.path().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_version =
        last.starts_with("v") && last[1..].starts_with(|char: char| char.is_ascii_digit());
    let path = if is_version { path.to_owned() } else { format!("{path}/v1") };
    url.set_path(&path);
    Ok(url)
}

/// Returns the header with the key for Google's APIs.
pub(crate) fn credential(key: &ApiKey) -> Result<(HeaderName, HeaderValue), Error> {
    Ok((HeaderName::from_static("x-goog-api-key"), key.bare()?))
}

/// Returns a model's name without the optional `models/`.
pub(crate) fn bare(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// The server of all of Google's APIs.
pub(crate) const GOOGLE: &str = "https://generativelanguage.googleapis.com";
