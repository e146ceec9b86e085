//! Chat Completions: OpenAI's API, which most other servers speak, too.
//!
//! This module has the kinds of servers and their options. `request` encodes, `reader` and
//! `content` decode, and `grammar` and `azure` have the features of particular servers.

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use silcrow_provider::{DeltaStream, Error, OpeningSession, Request, SamplingField};

use crate::host::{endpoint, parse};
use crate::key::ApiKey;
use crate::model::{Adapter, Api, Model, SamplingApi};
use crate::thoughts::InlineReasoning;
use crate::url::shown;

mod azure;
mod calls;
mod content;
mod grammar;
mod kept;
mod media;
mod native;
mod reader;
mod request;
mod thinking;

pub use grammar::{GrammarServer, OutputGrammar};
pub(crate) use reader::ChatReader;

/// A model of a server that speaks Chat Completions: OpenAI's, Azure's, or a compatible one, such
/// as llama.cpp, Ollama or vLLM.
pub type Chat = Model<ChatApi>;

/// The Chat Completions API.
///
/// ```
/// use silcrow_provider::SamplingField;
/// use silcrow_vendors::ChatApi;
///
/// // OpenAI's API has no budget of tokens for thoughts, and some compatible servers have one.
/// assert!(!ChatApi::SAMPLING.contains(&SamplingField::ThinkingBudget));
/// assert!(ChatApi::COMPATIBLE_SAMPLING.contains(&SamplingField::ThinkingBudget));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ChatApi {
    server: ChatServer,
    grammar: Option<OutputGrammar>,
    reasoning: InlineReasoning,
}

/// The kind of server, because servers reject unknown options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ChatServer {
    #[default]
    OpenAi,
    /// Azure, by the API without versions, which is OpenAI's.
    Azure,
    /// Azure, by a version of its API, which lacks OpenAI's newer options.
    AzureVersion,
    /// Any server that speaks the API.
    Compatible,
}

impl ChatApi {
    /// The sampling fields that OpenAI and Azure support through this API, which shows no thoughts.
    /// OpenAI accepts at most four stop sequences, and each server rejects fields that its model does
    /// not support.
    pub const SAMPLING: &'static [SamplingField] = &[
        SamplingField::Temperature,
        SamplingField::MaxTokens,
        SamplingField::Effort,
        SamplingField::Seed,
        SamplingField::Stop,
    ];

    /// The sampling fields of compatible servers: all of them, some under another name.
    pub const COMPATIBLE_SAMPLING: &'static [SamplingField] = &SamplingField::ALL;
}

impl Chat {
    /// Creates the model `model` of the server at `url`, such as `http://127.0.0.1:8080`.
    ///
    /// A URL without a path gets the path `/v1`. Then `/chat/completions` is added, unless the path
    /// ends with it.
    ///
    /// ```
    /// use silcrow_provider::{ErrorKind, Provider as _};
    /// use silcrow_vendors::Chat;
    ///
    /// let model = Chat::compatible("http://127.0.0.1:8080", "gemma3", None)?;
    /// assert!(model.name().ends_with("#gemma3"), "{}", model.name());
    /// let error = Chat::compatible("127.0.0.1:8080", "gemma3", None).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Refused);
    /// # Ok::<_, silcrow_provider::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Refused`](silcrow_provider::ErrorKind::Refused) if `url` is
    /// not a URL of HTTP, and of [`ErrorKind::Auth`](silcrow_provider::ErrorKind::Auth) if `key`
    /// cannot be a key.
    pub fn compatible(
        url: &str,
        model: impl Into<String>,
        key: Option<ApiKey>,
    ) -> Result<Self, Error> {
        let (model, endpoint) = (model.into(), endpoint(url, ENDPOINT)?);
        let url = shown(&parse(url)?);
        let name = format!("compatible:{}#{model}", url.trim_end_matches('/'));
        let api = ChatApi { server: ChatServer::Compatible, ..ChatApi::default() };
        Self::at(name, model, endpoint, key, api)
    }

    /// Makes the server restrict the model's output to a grammar. OpenAI's own server rejects this.
    #[must_use]
    pub fn with_grammar(mut self, grammar: OutputGrammar) -> Self {
        self.api.grammar = Some(grammar);
        self
    }

    /// Separates thoughts that the server leaves in the text from the answer. By default the text
    /// is not searched for thoughts.
    #[must_use]
    pub fn with_inline_reasoning(mut self, reasoning: InlineReasoning) -> Self {
        self.api.reasoning = reasoning;
        self
    }

    /// Returns whether the server may be any that speaks the API, such as one on this machine.
    pub(crate) fn is_compatible(&self) -> bool {
        self.api.server == ChatServer::Compatible
    }
}

impl Api for ChatApi {}

impl SamplingApi for ChatApi {}

impl Adapter for ChatApi {
    const NAME: &'static str = "Chat Completions";
    const PREFIX: &'static str = "openai";
    const SERVER: &'static str = "https://api.openai.com/v1";

    fn endpoint(url: &str) -> Result<Url, Error> {
        endpoint(url, ENDPOINT)
    }

    fn headers(&self, key: &ApiKey) -> Result<HeaderMap, Error> {
        Ok(HeaderMap::from_iter([match self.server {
            ChatServer::OpenAi | ChatServer::Compatible => (AUTHORIZATION, key.bearer()?),
            ChatServer::Azure | ChatServer::AzureVersion => {
                (HeaderName::from_static("api-key"), key.bare()?)
            }
        }]))
    }

    fn stream(model: &Chat, request: Request) -> DeltaStream {
        let body = request::body(model, &request);
        let reader = Box::new(ChatReader::new(model.api.reasoning, &request.tools));
        model.host.ask(model.host.url.clone(), body, request.streaming, reader)
    }

    fn connect(_: &Chat, _: Request) -> Option<OpeningSession> {
        None
    }
}

const ENDPOINT: &str = "/chat/completions";
