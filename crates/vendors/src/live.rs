use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName};
use silcrow_provider::{DeltaStream, Error, OpeningSession, Provider, Request};

use crate::conversation;
use crate::gemini::base;
use crate::host::Host;
use crate::key::ApiKey;
use crate::settings::settings;

mod event;
mod session;

/// A model behind Gemini's Live API, asked in text and for text.
///
/// The models that Google offers there today only speak aloud, and refuse to be asked for text:
/// that is told as what it is. It is for servers that still do, and for models to come;
/// [`Interactions`](crate::Interactions) is the way to a conversation that Google keeps.
///
/// The API is one of conversations over a WebSocket: a stream is one that ends with its first
/// answer. Nothing that the model wrote can be taken back.
#[derive(Clone, Debug)]
pub struct Live {
    name: String,
    model: String,
    host: Host,
    options: session::Options,
}

impl Live {
    /// Google's `model`; `models/` in front is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Auth`](silcrow_provider::ErrorKind::Auth) when `key` is no key,
    /// [`ErrorKind::Network`](silcrow_provider::ErrorKind::Network) when this machine cannot speak
    /// TLS.
    pub fn new(model: impl Into<String>, key: ApiKey) -> Result<Self, Error> {
        let model = model.into();
        let name = format!("gemini-live:{model}");
        let headers = [(HeaderName::from_static("x-goog-api-key"), key.bare()?)];
        let headers = headers.into_iter().collect::<HeaderMap>();
        let host = Host::new("Live", base(GOOGLE)?, Some(key), headers)?;
        Ok(Self { name, model, host, options: session::Options::default() })
    }

    /// The same model by way of another server, or by another version of the API: `/v1` follows the
    /// URL's path unless that ends in a version, such as `/v1beta`. The URL is one of HTTP.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) when `url` is none of HTTP.
    pub fn with_base(self, url: &str) -> Result<Self, Error> {
        Ok(Self { host: self.host.at(base(url)?), ..self })
    }

    /// The same model, held to answers of at most `count` tokens. Not sent unless set.
    #[must_use]
    pub const fn with_max_tokens(mut self, count: u32) -> Self {
        self.options.max_tokens = Some(count);
        self
    }

    /// The same model at this temperature. Not sent unless set.
    #[must_use]
    pub const fn with_temperature(mut self, temperature: f64) -> Self {
        self.options.temperature = Some(temperature);
        self
    }

    /// The service has one path for all models, with the version in its name.
    fn url(&self) -> Url {
        let mut url = self.host.url.clone();
        let (base, version) = url.path().rsplit_once('/').unwrap_or_default();
        let path = format!("{base}/ws/{SERVICE}.{version}.{METHOD}");
        url.set_path(&path);
        url
    }

    fn open(&self, request: Request) -> OpeningSession {
        let model = self.model.strip_prefix("models/").unwrap_or(&self.model);
        self.host.converse(self.url(), session::Talk::new(model, self.options), request)
    }
}

settings!(Live);

impl Provider for Live {
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

const GOOGLE: &str = "https://generativelanguage.googleapis.com";

const SERVICE: &str = "google.ai.generativelanguage";

const METHOD: &str = "GenerativeService.BidiGenerateContent";
