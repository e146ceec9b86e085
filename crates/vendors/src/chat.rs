use std::sync::Arc;

use reqwest::header::HeaderValue;
use reqwest::{Client, Url};
use silcrow_provider::{Deltas, Error, ErrorKind, Provider, Request};

use crate::error::Peer;
use crate::http::{self, Exchange, Timeouts};
use crate::key::Key;

mod reader;
mod request;
mod text;

pub(crate) use reader::{Out, Reader, whole};

/// A model behind the Chat Completions API: OpenAI's own, or a compatible server's, such as
/// llama.cpp, Ollama or vLLM.
///
/// It asks once: neither a failure to connect nor a refusal is retried here. Stop strings are
/// never sent, for a server removes them from the text.
#[derive(Clone, Debug)]
pub struct Chat {
    name: String,
    model: String,
    url: Url,
    key: Option<Key>,
    /// Of `key`.
    bearer: Option<HeaderValue>,
    timeouts: Timeouts,
    client: Client,
    options: request::Options,
}

impl Chat {
    /// OpenAI's `model`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Auth`] when `key` is no key, [`ErrorKind::Network`] when this machine cannot
    /// speak TLS.
    pub fn openai(model: impl Into<String>, key: Key) -> Result<Self, Error> {
        let model = model.into();
        let name = format!("openai:{model}");
        let options = request::Options::new(request::Limit::MaxCompletionTokens);
        Self::new(name, model, endpoint(OPENAI)?, Some(key), options)
    }

    /// The `model` of the server at `url`, such as `http://127.0.0.1:8080`.
    ///
    /// A URL without a path means its `/v1`. A path is kept, and `/chat/completions` follows it
    /// unless it is there already.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`] when `url` is none of HTTP, and as for [`Chat::openai`].
    pub fn compatible(
        url: &str,
        model: impl Into<String>,
        key: Option<Key>,
    ) -> Result<Self, Error> {
        let model = model.into();
        let endpoint = endpoint(url)?;
        let url = http::shown(&parse(url)?);
        let name = format!("compatible:{}#{model}", url.trim_end_matches('/'));
        let options = request::Options::new(request::Limit::MaxTokens);
        Self::new(name, model, endpoint, key, options)
    }

    /// The same model by way of another server, such as a gateway. The URL is read as in
    /// [`Chat::compatible`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`] when `url` is none of HTTP.
    pub fn with_base(self, url: &str) -> Result<Self, Error> {
        Ok(Self { url: endpoint(url)?, ..self })
    }

    /// The same model with other limits of time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Network`] when this machine cannot speak TLS.
    pub fn with_timeouts(self, timeouts: Timeouts) -> Result<Self, Error> {
        Ok(Self { timeouts, client: http::client(timeouts)?, ..self })
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

    fn new(
        name: String,
        model: String,
        url: Url,
        key: Option<Key>,
        options: request::Options,
    ) -> Result<Self, Error> {
        let bearer = key.as_ref().map(Key::bearer).transpose()?;
        let timeouts = Timeouts::default();
        let client = http::client(timeouts)?;
        Ok(Self { name, model, url, key, bearer, timeouts, client, options })
    }
}

impl Provider for Chat {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: Request) -> Deltas {
        let exchange = Exchange {
            client: self.client.clone(),
            url: self.url.clone(),
            bearer: self.bearer.clone(),
            body: request::body(&self.model, &request, &self.options),
            streaming: request.streaming,
            peer: Arc::new(Peer::new(http::shown(&self.url), self.key.clone())),
        };
        http::deltas(exchange, self.timeouts)
    }
}

fn endpoint(url: &str) -> Result<Url, Error> {
    let mut url = parse(url)?;
    let path = url.path().trim_end_matches('/');
    let path = match path {
        "" => "/v1/chat/completions".to_owned(),
        whole if whole.ends_with("/chat/completions") => whole.to_owned(),
        base => format!("{base}/chat/completions"),
    };
    url.set_path(&path);
    Ok(url)
}

/// The URL itself stays out of the message: it may hold a password.
fn parse(url: &str) -> Result<Url, Error> {
    let wrong = |why: &str| {
        let message = format!("the server's URL {why}; write it like http://127.0.0.1:8080/v1");
        Error::new(ErrorKind::Refused, message)
    };
    let url = Url::parse(url.trim()).map_err(|error| wrong("cannot be read").caused_by(error))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("is neither http nor https"));
    }
    Ok(url)
}

const OPENAI: &str = "https://api.openai.com/v1";
