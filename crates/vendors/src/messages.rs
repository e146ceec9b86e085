//! Messages: Anthropic's API.
//!
//! This module has the API's versions and headers. `request` encodes, and `reader` decodes.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use silcrow_provider::{DeltaStream, Error, ErrorKind, OpeningSession, Request, SamplingField};

use crate::host::parse;
use crate::key::ApiKey;
use crate::listed_limits::ListedLimits;
use crate::model::{Adapter, Api, Model, SamplingApi};

mod blocks;
mod native;
mod reader;
mod request;
mod thinking;

pub(crate) use reader::MessagesReader;

/// A model of a server that speaks Messages: Anthropic's, or a gateway.
///
/// Each request asks for prompt caching of the instructions and of the conversation. Thinking
/// arrives as reasoning.
///
/// ```
/// use silcrow_provider::Provider as _;
/// use silcrow_vendors::{AnthropicVersion, ApiKey, Messages};
///
/// let key = ApiKey::new("sk-ant-1234567890", "ANTHROPIC_API_KEY");
/// let model = Messages::new("claude-sonnet-4-5", key)?
///     .with_version(AnthropicVersion::V20261021)
///     .with_base("https://gateway.example/anthropic")?;
/// assert_eq!(model.name(), "anthropic:claude-sonnet-4-5");
/// # Ok::<_, silcrow_provider::Error>(())
/// ```
pub type Messages = Model<MessagesApi>;

/// The Messages API.
#[derive(Clone, Debug, Default)]
pub struct MessagesApi {
    version: AnthropicVersion,
    limits: ListedLimits,
}

/// A version of the Messages API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnthropicVersion {
    /// The version `2023-06-01`, which every gateway supports. The key is sent as `x-api-key`.
    #[default]
    V20230601,
    /// The version `2026-10-21`, which has no temperature. The key is sent as a bearer token.
    V20261021,
}

impl MessagesApi {
    /// The sampling fields that the API supports. It has no seed, and
    /// [`AnthropicVersion::V20261021`] has no temperature either.
    pub const SAMPLING: &'static [SamplingField] = &[
        SamplingField::Temperature,
        SamplingField::MaxTokens,
        SamplingField::Effort,
        SamplingField::ThinkingBudget,
        SamplingField::ThinkingDisplay,
        SamplingField::Stop,
    ];
}

impl Messages {
    /// Takes the longest answer of the model, which requests have to name, from the lists of servers,
    /// now or later. By default it comes from the [table](crate::known_model).
    #[must_use]
    pub fn with_listed_limits(mut self, limits: ListedLimits) -> Self {
        self.api.limits = limits;
        self
    }

    /// Uses another version of the API.
    #[must_use]
    pub fn with_version(mut self, version: AnthropicVersion) -> Self {
        self.api.version = version;
        if let Some(key) = self.host.key() {
            let headers = self.api.headers(key).expect("the key was accepted before");
            self.host = self.host.with_headers(headers);
        }
        self
    }
}

impl Api for MessagesApi {}

impl SamplingApi for MessagesApi {}

impl Adapter for MessagesApi {
    const NAME: &'static str = "Messages";
    const PREFIX: &'static str = "anthropic";
    const SERVER: &'static str = "https://api.anthropic.com";

    /// Appends `/v1/messages`, because base URLs for Anthropic's own clients have no `/v1`.
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

    fn headers(&self, key: &ApiKey) -> Result<HeaderMap, Error> {
        let credential = match self.version {
            AnthropicVersion::V20230601 => (HeaderName::from_static("x-api-key"), key.bare()?),
            AnthropicVersion::V20261021 => (AUTHORIZATION, key.bearer()?),
        };
        let version = HeaderValue::from_static(self.version.as_str());
        let version = (HeaderName::from_static("anthropic-version"), version);
        Ok(HeaderMap::from_iter([credential, version]))
    }

    fn stream(model: &Messages, request: Request) -> DeltaStream {
        let body = request::body(model, &request);
        let reader = Box::new(MessagesReader::new(&request.tools));
        model.host.ask(model.host.url.clone(), body, request.streaming, reader)
    }

    fn connect(_: &Messages, _: Request) -> Option<OpeningSession> {
        None
    }
}

impl AnthropicVersion {
    /// Returns the version as in the header `anthropic-version`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V20230601 => "2023-06-01",
            Self::V20261021 => "2026-10-21",
        }
    }
}

impl fmt::Display for AnthropicVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for AnthropicVersion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let version = ALL.into_iter().find(|version| version.as_str() == text);
        version.ok_or_else(|| {
            let [old, new] = ALL;
            let message = format!("unknown version `{text}` of Messages; use {old} or {new}");
            Error::new(ErrorKind::Refused, message)
        })
    }
}

const ALL: [AnthropicVersion; 2] = [AnthropicVersion::V20230601, AnthropicVersion::V20261021];
