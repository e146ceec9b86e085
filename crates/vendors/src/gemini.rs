use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName};
use silcrow_provider::{DeltaStream, Error, Provider, Request};

use crate::host::{Host, parse};
use crate::key::ApiKey;
use crate::settings::{body_fields, settings};

mod reader;
mod request;

pub(crate) use reader::{Content, Reader};

/// A Gemini model behind `generateContent`.
///
/// Thoughts come as reasoning. It asks once, and stop strings are never sent.
#[derive(Clone, Debug)]
pub struct Gemini {
    name: String,
    model: String,
    pub(crate) host: Host,
    options: request::Options,
}

impl Gemini {
    /// Google's `model`, such as `gemini-2.5-flash`; `models/` in front is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Auth`](silcrow_provider::ErrorKind::Auth) when `key` is no key,
    /// [`ErrorKind::Network`](silcrow_provider::ErrorKind::Network) when this machine cannot speak
    /// TLS.
    pub fn new(model: impl Into<String>, key: ApiKey) -> Result<Self, Error> {
        let model = model.into();
        let name = format!("gemini:{model}");
        let headers = [(HeaderName::from_static("x-goog-api-key"), key.bare()?)];
        let headers = headers.into_iter().collect::<HeaderMap>();
        let host = Host::new("generateContent", base(GOOGLE)?, Some(key), headers)?;
        Ok(Self { name, model, host, options: request::Options::default() })
    }

    /// The same model by way of another server, such as a gateway, or by another version of the
    /// API: `/v1` follows the URL's path unless that ends in a version, such as `/v1beta`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) when `url` is none of HTTP.
    pub fn with_base(self, url: &str) -> Result<Self, Error> {
        Ok(Self { host: self.host.at(base(url)?), ..self })
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

    /// Where the model is asked for an answer in pieces, or whole.
    fn url(&self, streaming: bool) -> Url {
        let mut url = self.host.url.clone();
        let model = self.model.strip_prefix("models/").unwrap_or(&self.model);
        let method = if streaming { "streamGenerateContent" } else { "generateContent" };
        url.path_segments_mut()
            .expect("a URL of HTTP has a path")
            .push("models")
            .push(&format!("{model}:{method}"));
        if streaming {
            // Without it the pieces are those of one JSON array.
            url.query_pairs_mut().append_pair("alt", "sse");
        }
        url
    }
}

settings!(Gemini);
body_fields!(Gemini);

impl Provider for Gemini {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let body = request::body(&request, self.options);
        self.host.ask(self.url(request.streaming), body, request.streaming, Box::new(Reader))
    }
}

/// The URL down to the version of the API.
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

const GOOGLE: &str = "https://generativelanguage.googleapis.com";
