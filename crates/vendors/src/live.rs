//! Live: Google's API of conversations over a WebSocket.
//!
//! `event` decodes the server's messages. `protocol` interprets them and decides what is sent.

use reqwest::Url;
use reqwest::header::HeaderMap;
use silcrow_provider::{DeltaStream, Error, OpeningSession, Request, SamplingField};

use crate::gemini::{self, GOOGLE};
use crate::key::ApiKey;
use crate::model::{Adapter, Api, Model, SamplingApi};
use crate::session;

mod event;
mod protocol;

/// A Gemini model that is asked through Live, in text and for text.
///
/// The models that Google offers for this API today only speak aloud, and reject requests for text
/// with an error. The API is supported for other servers and for future models. For a conversation
/// that Google keeps, use [`Interactions`](crate::Interactions).
///
/// The API has only conversations over a WebSocket, so a stream is a conversation that ends with
/// its first answer. The server cannot forget a part of the model's text.
pub type Live = Model<LiveApi>;

/// The Live API.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LiveApi;

impl LiveApi {
    /// The sampling fields that the API supports. It has no stop sequences, and no effort is sent.
    pub const SAMPLING: &'static [SamplingField] =
        &[SamplingField::Temperature, SamplingField::MaxTokens, SamplingField::Seed];
}

impl Api for LiveApi {}

impl SamplingApi for LiveApi {}

impl Adapter for LiveApi {
    const NAME: &'static str = "Live";
    const PREFIX: &'static str = "gemini-live";
    const SERVER: &'static str = GOOGLE;
    const HAS_BODY: bool = false;

    fn endpoint(url: &str) -> Result<Url, Error> {
        gemini::base(url)
    }

    fn headers(&self, key: &ApiKey) -> Result<HeaderMap, Error> {
        Ok(HeaderMap::from_iter([gemini::credential(key)?]))
    }

    fn id(model: &str) -> &str {
        gemini::bare(model)
    }

    fn stream(model: &Live, request: Request) -> DeltaStream {
        session::deltas(open(model, request))
    }

    /// Opens a session, unless the model should call tools in the vendor's own way, which is not
    /// supported here.
    fn connect(model: &Live, request: Request) -> Option<OpeningSession> {
        request.tools.is_empty().then(|| open(model, request))
    }
}

fn open(model: &Live, request: Request) -> OpeningSession {
    // All models share one path, which has the version of the API in its name.
    let mut url = model.host.url.clone();
    let (base, version) = url.path().rsplit_once('/').unwrap_or_default();
    let path = format!("{base}/ws/{SERVICE}.{version}.{METHOD}");
    url.set_path(&path);
    let protocol = protocol::LiveProtocol::new(&model.id, model.sampling(&request));
    model.host.converse(url, protocol, request)
}

const SERVICE: &str = "google.ai.generativelanguage";

const METHOD: &str = "GenerativeService.BidiGenerateContent";
