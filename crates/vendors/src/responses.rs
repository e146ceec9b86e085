//! Responses: OpenAI's API with sessions.
//!
//! `request` encodes, `reader` decodes, and `protocol` chains responses over a WebSocket.

use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use silcrow_provider::{DeltaStream, Error, OpeningSession, Request, SamplingField};

use crate::host::endpoint;
use crate::key::ApiKey;
use crate::model::{Adapter, Api, Model, SamplingApi};

mod input;
mod native;
mod protocol;
mod reader;
mod request;

pub(crate) use reader::ResponsesReader;

/// A model of a server that speaks Responses: OpenAI's, or a gateway.
///
/// Requests ask the server to store nothing. A session is a WebSocket, and the server remembers the
/// conversation while it is open.
///
/// ```
/// use silcrow_event::Message;
/// use silcrow_provider::{Provider as _, Request};
/// use silcrow_vendors::{ApiKey, Responses};
///
/// let model = Responses::new("gpt-5.2", ApiKey::new("sk-1234567890", "OPENAI_API_KEY"))?;
/// assert_eq!(model.name(), "openai-responses:gpt-5.2");
/// // Opening a session is a future, and it has sent nothing yet.
/// assert!(model.connect(Request::new(vec![Message::user("hi")])).is_some());
/// # Ok::<_, silcrow_provider::Error>(())
/// ```
pub type Responses = Model<ResponsesApi>;

/// The Responses API.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ResponsesApi;

impl ResponsesApi {
    /// The sampling fields that the API supports. It has neither a seed nor stop sequences.
    pub const SAMPLING: &'static [SamplingField] = &[
        SamplingField::Temperature,
        SamplingField::MaxTokens,
        SamplingField::Effort,
        SamplingField::ThinkingDisplay,
    ];
}

impl Api for ResponsesApi {}

impl SamplingApi for ResponsesApi {}

impl Adapter for ResponsesApi {
    const NAME: &'static str = "Responses";
    const PREFIX: &'static str = "openai-responses";
    const SERVER: &'static str = "https://api.openai.com/v1";

    fn endpoint(url: &str) -> Result<Url, Error> {
        endpoint(url, "/responses")
    }

    fn headers(&self, key: &ApiKey) -> Result<HeaderMap, Error> {
        Ok(HeaderMap::from_iter([(AUTHORIZATION, key.bearer()?)]))
    }

    fn stream(model: &Responses, request: Request) -> DeltaStream {
        let body = request::body(model, &request);
        let reader = Box::new(ResponsesReader::new(&request.tools));
        model.host.ask(model.host.url.clone(), body, request.streaming, reader)
    }

    /// Opens a WebSocket at the URL of the requests.
    fn connect(model: &Responses, request: Request) -> Option<OpeningSession> {
        let options = request::options(model, &request);
        let fields = model.host.fields.clone();
        let tools = Arc::clone(&request.tools);
        let protocol = protocol::ResponsesProtocol::new(&model.id, options, fields, tools);
        Some(model.host.converse(model.host.url.clone(), protocol, request))
    }
}
