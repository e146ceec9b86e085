use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use silcrow_provider::{DeltaStream, Error, OpeningSession, Provider, Request};

use crate::conversation;
use crate::host::{Host, endpoint};
use crate::key::ApiKey;
use crate::settings::settings;

mod event;
mod session;

/// A model behind OpenAI's Realtime API, asked in text and for text.
///
/// The API is one of conversations over a WebSocket: a stream is one that ends with its first
/// answer. It knows neither temperatures nor stop strings.
#[derive(Clone, Debug)]
pub struct Realtime {
    name: String,
    model: String,
    host: Host,
    max_tokens: Option<u32>,
}

impl Realtime {
    /// OpenAI's `model`, such as `gpt-realtime-2.1`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Auth`](silcrow_provider::ErrorKind::Auth) when `key` is no key,
    /// [`ErrorKind::Network`](silcrow_provider::ErrorKind::Network) when this machine cannot speak
    /// TLS.
    pub fn new(model: impl Into<String>, key: ApiKey) -> Result<Self, Error> {
        let model = model.into();
        let name = format!("openai-realtime:{model}");
        let headers = [(AUTHORIZATION, key.bearer()?)].into_iter().collect::<HeaderMap>();
        let host = Host::new("Realtime", endpoint(OPENAI, ENDPOINT)?, Some(key), headers)?;
        Ok(Self { name, model, host, max_tokens: None })
    }

    /// The same model by way of another server, such as a gateway. The URL is one of HTTP; without
    /// a path it means its `/v1`. A path is kept, and `/realtime` follows it unless it is there
    /// already.
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
        self.max_tokens = Some(count);
        self
    }

    fn url(&self) -> Url {
        let mut url = self.host.url.clone();
        url.query_pairs_mut().append_pair("model", &self.model);
        url
    }

    fn open(&self, request: Request) -> OpeningSession {
        self.host.converse(self.url(), session::Talk::new(self.max_tokens), request)
    }
}

settings!(Realtime);

impl Provider for Realtime {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: Request) -> DeltaStream {
        conversation::deltas(self.open(request))
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        Some(self.open(request))
    }
}

const ENDPOINT: &str = "/realtime";

const OPENAI: &str = "https://api.openai.com/v1";
