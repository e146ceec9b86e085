use reqwest::header::{AUTHORIZATION, HeaderMap};
use silcrow_provider::{DeltaStream, Error, OpeningSession, Provider, Request};

use crate::cache::CacheKey;
use crate::host::{Host, endpoint};
use crate::key::ApiKey;
use crate::settings::{body_fields, settings};

mod reader;
mod request;
mod session;

pub(crate) use reader::Reader;

/// A model behind the Responses API: OpenAI's own, or a gateway's.
///
/// The server is asked to keep nothing. It asks once; the API knows no stop strings. A session is
/// a WebSocket, over which the server remembers the conversation as long as it is open.
#[derive(Clone, Debug)]
pub struct Responses {
    name: String,
    model: String,
    host: Host,
    options: request::Options,
}

impl Responses {
    /// OpenAI's `model`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Auth`](silcrow_provider::ErrorKind::Auth) when `key` is no key,
    /// [`ErrorKind::Network`](silcrow_provider::ErrorKind::Network) when this machine cannot speak
    /// TLS.
    pub fn new(model: impl Into<String>, key: ApiKey) -> Result<Self, Error> {
        let model = model.into();
        let name = format!("openai-responses:{model}");
        let headers = [(AUTHORIZATION, key.bearer()?)].into_iter().collect::<HeaderMap>();
        let host = Host::new("Responses", endpoint(OPENAI, ENDPOINT)?, Some(key), headers)?;
        Ok(Self { name, model, host, options: request::Options::default() })
    }

    /// The same model by way of another server, such as a gateway. A URL without a path means its
    /// `/v1`; a path is kept, and `/responses` follows it unless it is there already.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) when `url` is none of HTTP.
    pub fn with_base(self, url: &str) -> Result<Self, Error> {
        Ok(Self { host: self.host.at(endpoint(url, ENDPOINT)?), ..self })
    }

    /// The same model, held to answers of at most `count` tokens. Not sent unless set.
    #[must_use]
    pub const fn with_max_tokens(mut self, count: u32) -> Self {
        self.options.max_tokens = Some(count);
        self
    }

    /// The same model at this temperature. Not sent unless set: some models refuse it.
    #[must_use]
    pub const fn with_temperature(mut self, temperature: f64) -> Self {
        self.options.temperature = Some(temperature);
        self
    }
}

impl Responses {
    /// Those of a conversation that begins so.
    fn options(&self, request: &Request) -> request::Options {
        request::Options { cache: Some(CacheKey::of(&request.messages)), ..self.options }
    }
}

settings!(Responses);
body_fields!(Responses);

impl Provider for Responses {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let body = request::body(&self.model, &request, self.options(&request));
        self.host.ask(self.host.url.clone(), body, request.streaming, Box::new(Reader::default()))
    }

    /// Over a WebSocket at the same place.
    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let talk =
            session::Talk::new(&self.model, self.options(&request), self.host.fields.clone());
        Some(self.host.converse(self.host.url.clone(), talk, request))
    }
}

const ENDPOINT: &str = "/responses";

const OPENAI: &str = "https://api.openai.com/v1";
