use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use silcrow_provider::{DeltaStream, Error, Provider, Request};

use crate::host::{Host, parse};
use crate::key::ApiKey;
use crate::settings::{body_fields, settings};

mod reader;
mod request;

pub(crate) use reader::Reader;

/// A model behind the Messages API: Anthropic's own, or a gateway's.
///
/// The cache of prompts is asked for: the instructions and the end of the conversation are marked.
/// Thinking comes as reasoning. It asks once, and stop strings are never sent.
#[derive(Clone, Debug)]
pub struct Messages {
    name: String,
    model: String,
    pub(crate) host: Host,
    version: AnthropicVersion,
    options: request::Options,
}

/// A version of the Messages API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnthropicVersion {
    /// `2023-06-01`, which every gateway knows. The key is sent as `x-api-key`.
    #[default]
    V20230601,
    /// `2026-10-21`: no temperature, and the key is sent as a bearer.
    V20261021,
}

impl Messages {
    /// Anthropic's `model`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Auth`](silcrow_provider::ErrorKind::Auth) when `key` is no key,
    /// [`ErrorKind::Network`](silcrow_provider::ErrorKind::Network) when this machine cannot speak
    /// TLS.
    pub fn new(model: impl Into<String>, key: ApiKey) -> Result<Self, Error> {
        let model = model.into();
        let version = AnthropicVersion::default();
        let headers = version.headers(&key)?;
        let host = Host::new("Messages", endpoint(ANTHROPIC)?, Some(key), headers)?;
        let name = format!("anthropic:{model}");
        Ok(Self { name, model, host, version, options: request::Options::default() })
    }

    /// The same model by way of another server, such as a gateway. `/v1/messages` follows the
    /// URL's path, or what of it is not there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) when `url` is none of HTTP.
    pub fn with_base(self, url: &str) -> Result<Self, Error> {
        Ok(Self { host: self.host.at(endpoint(url)?), ..self })
    }

    /// The same model by another version of the API.
    ///
    /// # Errors
    ///
    /// None: the key was good for the version before.
    pub fn with_version(self, version: AnthropicVersion) -> Result<Self, Error> {
        let headers = self.host.key().map(|key| version.headers(key)).transpose()?;
        let host = self.host.with_headers(headers.unwrap_or_default());
        Ok(Self { host, version, ..self })
    }

    /// The same model, held to answers of at most `count` tokens, 16,384 unless set: the API wants
    /// a number.
    #[must_use]
    pub const fn with_max_tokens(mut self, count: u32) -> Self {
        self.options.max_tokens = count;
        self
    }

    /// The same model at this temperature. Not sent unless set, and never under
    /// [`AnthropicVersion::V20261021`], which refuses it.
    #[must_use]
    pub const fn with_temperature(mut self, temperature: f64) -> Self {
        self.options.temperature = Some(temperature);
        self
    }
}

settings!(Messages);
body_fields!(Messages);

impl Provider for Messages {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let options = match self.version {
            AnthropicVersion::V20230601 => self.options,
            AnthropicVersion::V20261021 => request::Options { temperature: None, ..self.options },
        };
        let body = request::body(&self.model, &request, options);
        self.host.ask(self.host.url.clone(), body, request.streaming, Box::new(Reader::default()))
    }
}

impl AnthropicVersion {
    /// As it is written in the header `anthropic-version`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V20230601 => "2023-06-01",
            Self::V20261021 => "2026-10-21",
        }
    }

    /// The version so written.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::V20230601, Self::V20261021].into_iter().find(|version| version.as_str() == text)
    }

    fn headers(self, key: &ApiKey) -> Result<HeaderMap, Error> {
        let (name, value) = match self {
            Self::V20230601 => (HeaderName::from_static("x-api-key"), key.bare()?),
            Self::V20261021 => (AUTHORIZATION, key.bearer()?),
        };
        let version = HeaderName::from_static("anthropic-version");
        let version = (version, HeaderValue::from_static(self.as_str()));
        Ok([(name, value), version].into_iter().collect())
    }
}

/// Where Anthropic's own clients find it: behind `/v1`, which a base does not name.
fn endpoint(url: &str) -> Result<Url, Error> {
    let mut url = parse(url)?;
    let path = match url.path().trim_end_matches('/') {
        whole if whole.ends_with("/messages") => whole.to_owned(),
        base if base.ends_with("/v1") => format!("{base}/messages"),
        base => format!("{base}/v1/messages"),
    };
    url.set_path(&path);
    Ok(url)
}

const ANTHROPIC: &str = "https://api.anthropic.com";
