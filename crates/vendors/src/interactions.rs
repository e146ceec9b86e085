use std::sync::Arc;

use futures_util::FutureExt as _;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use silcrow_provider::{DeltaStream, Error, OpeningSession, Provider, Request};

use crate::gemini::base;
use crate::host::Host;
use crate::key::ApiKey;
use crate::settings::{body_fields, settings};

mod answer;
mod reader;
mod request;
mod session;

/// A Gemini model behind the Interactions API, which can keep the conversation.
///
/// A stream asks for one answer with the whole conversation, and has the server keep nothing. A
/// session has it keep each answer, and sends only what is new. Where the server stops at a limit
/// of one request and would go on, it is asked to. Stop strings are never sent.
#[derive(Clone, Debug)]
pub struct Interactions {
    name: String,
    model: String,
    host: Host,
    options: request::Options,
}

impl Interactions {
    /// Google's `model`, such as `gemini-2.5-flash`; `models/` in front is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Auth`](silcrow_provider::ErrorKind::Auth) when `key` is no key,
    /// [`ErrorKind::Network`](silcrow_provider::ErrorKind::Network) when this machine cannot speak
    /// TLS.
    pub fn new(model: impl Into<String>, key: ApiKey) -> Result<Self, Error> {
        let model = model.into();
        let name = format!("gemini-interactions:{model}");
        let revision = HeaderValue::from_static(REVISION);
        let headers = [
            (HeaderName::from_static("x-goog-api-key"), key.bare()?),
            (HeaderName::from_static("api-revision"), revision),
        ];
        let headers = headers.into_iter().collect::<HeaderMap>();
        let host = Host::new("Interactions", endpoint(GOOGLE)?, Some(key), headers)?;
        let model = model.strip_prefix("models/").unwrap_or(&model).to_owned();
        Ok(Self { name, model, host, options: request::Options::default() })
    }

    /// The same model by way of another server, such as a gateway, or by another version of the
    /// API: `/v1` follows the URL's path unless that ends in a version, such as `/v1beta`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) when `url` is none of HTTP.
    pub fn with_base(self, url: &str) -> Result<Self, Error> {
        Ok(Self { host: self.host.at(endpoint(url)?), ..self })
    }

    /// The same model, held to answers of at most `count` tokens, thoughts included. Not sent
    /// unless set.
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
}

settings!(Interactions);
body_fields!(Interactions);

impl Provider for Interactions {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let mut asked = request::Asked::new(request);
        asked.store = false;
        answer::deltas(Arc::new(self.clone()), asked)
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        Some(session::open(Arc::new(self.clone()), request).boxed())
    }
}

fn endpoint(url: &str) -> Result<Url, Error> {
    let mut url = base(url)?;
    url.path_segments_mut().expect("a URL of HTTP has a path").push("interactions");
    Ok(url)
}

const GOOGLE: &str = "https://generativelanguage.googleapis.com";

/// The shape of the events that is read here; without it an older one may come.
const REVISION: &str = "2026-05-20";
