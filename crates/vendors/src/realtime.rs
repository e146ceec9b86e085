//! Realtime: OpenAI's API of conversations over a WebSocket.
//!
//! `event` decodes the server's events. `protocol` interprets them and decides what is sent.

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use silcrow_provider::{DeltaStream, Error, OpeningSession, Request, SamplingField};

use crate::host::endpoint;
use crate::key::ApiKey;
use crate::model::{Adapter, Api, Model};
use crate::session;

mod event;
mod protocol;

/// A model that is asked through OpenAI's Realtime, in text and for text.
///
/// The API only has conversations over a WebSocket, so a stream is a conversation that ends with
/// its first answer. It has no temperature.
pub type Realtime = Model<RealtimeApi>;

/// The Realtime API.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RealtimeApi;

impl RealtimeApi {
    /// The sampling fields that the API supports: only a limit of tokens.
    pub const SAMPLING: &'static [SamplingField] = &[SamplingField::MaxTokens];
}

impl Api for RealtimeApi {}

impl Adapter for RealtimeApi {
    const NAME: &'static str = "Realtime";
    const PREFIX: &'static str = "openai-realtime";
    const SERVER: &'static str = "https://api.openai.com/v1";
    const HAS_BODY: bool = false;

    fn endpoint(url: &str) -> Result<Url, Error> {
        endpoint(url, "/realtime")
    }

    fn headers(&self, key: &ApiKey) -> Result<HeaderMap, Error> {
        Ok(HeaderMap::from_iter([(AUTHORIZATION, key.bearer()?)]))
    }

    fn stream(model: &Realtime, request: Request) -> DeltaStream {
        session::deltas(open(model, request))
    }

    /// Opens a session, unless the model should call tools in the vendor's own way, which is not
    /// supported here.
    fn connect(model: &Realtime, request: Request) -> Option<OpeningSession> {
        request.tools.is_empty().then(|| open(model, request))
    }
}

fn open(model: &Realtime, request: Request) -> OpeningSession {
    let mut url = model.host.url.clone();
    url.query_pairs_mut().append_pair("model", &model.id);
    let protocol = protocol::RealtimeProtocol::new(model.sampling(&request).max_tokens);
    model.host.converse(url, protocol, request)
}
