use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use silcrow_provider::{DeltaStream, Error, Provider, Request};

use crate::host::{Host, endpoint, parse};
use crate::http;
use crate::key::ApiKey;
use crate::settings::{body_fields, settings};
use crate::thoughts::InlineReasoning;

mod azure;
mod content;
mod grammar;
mod reader;
mod request;

pub use grammar::OutputGrammar;
pub(crate) use reader::Reader;

/// A model behind the Chat Completions API: OpenAI's own, or a compatible server's, such as
/// llama.cpp, Ollama or vLLM.
///
/// It asks once: neither a failure to connect nor a refusal is retried here. Stop strings are
/// never sent, for a server removes them from the text.
#[derive(Clone, Debug)]
pub struct Chat {
    name: String,
    model: String,
    pub(crate) host: Host,
    options: request::Options,
    reasoning: InlineReasoning,
}

impl Chat {
    /// OpenAI's `model`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Auth`](silcrow_provider::ErrorKind::Auth) when `key` is no key,
    /// [`ErrorKind::Network`](silcrow_provider::ErrorKind::Network) when this machine cannot speak
    /// TLS.
    pub fn openai(model: impl Into<String>, key: ApiKey) -> Result<Self, Error> {
        let model = model.into();
        let name = format!("openai:{model}");
        let options = request::Options::new(request::Limit::MaxCompletionTokens);
        Self::new(name, model, endpoint(OPENAI, ENDPOINT)?, Some(key), options)
    }

    /// The `model` of the server at `url`, such as `http://127.0.0.1:8080`.
    ///
    /// A URL without a path means its `/v1`. A path is kept, and `/chat/completions` follows it
    /// unless it is there already.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) when `url` is none of HTTP, and
    /// as for [`Chat::openai`].
    pub fn compatible(
        url: &str,
        model: impl Into<String>,
        key: Option<ApiKey>,
    ) -> Result<Self, Error> {
        let model = model.into();
        let endpoint = endpoint(url, ENDPOINT)?;
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

    /// The same model, held to a grammar by its server. OpenAI's own takes none and refuses it.
    #[must_use]
    pub fn with_grammar(mut self, grammar: OutputGrammar) -> Self {
        self.options.grammar = Some(grammar);
        self
    }

    /// The same model, whose server leaves the model's thoughts in the text: they are told from the
    /// answer here. Not looked for unless set.
    #[must_use]
    pub const fn with_inline_reasoning(mut self, reasoning: InlineReasoning) -> Self {
        self.reasoning = reasoning;
        self
    }

    /// Whether the server may be any that speaks the API, such as one on this machine.
    pub(crate) fn is_compatible(&self) -> bool {
        self.name.starts_with("compatible:")
    }

    fn new(
        name: String,
        model: String,
        url: Url,
        key: Option<ApiKey>,
        options: request::Options,
    ) -> Result<Self, Error> {
        let mut headers = HeaderMap::new();
        if let Some(key) = &key {
            headers.insert(AUTHORIZATION, key.bearer()?);
        }
        let host = Host::new("Chat Completions", url, key, headers)?;
        Ok(Self { name, model, host, options, reasoning: InlineReasoning::None })
    }
}

settings!(Chat);
body_fields!(Chat);

impl Provider for Chat {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let body = request::body(&self.model, &request, &self.options);
        let reader = Box::new(Reader::new(self.reasoning));
        self.host.ask(self.host.url.clone(), body, request.streaming, reader)
    }
}

const ENDPOINT: &str = "/chat/completions";

const OPENAI: &str = "https://api.openai.com/v1";
