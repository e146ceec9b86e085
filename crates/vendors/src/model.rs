//! The model that all APIs of vendors share.
//!
//! [`Model`] has the server, the key, headers, limits and the fields that are added to requests.
//! Its type parameter, an [`Api`], encodes requests and reads answers. A model has no state between
//! two requests.

use std::fmt;

use reqwest::Url;
use reqwest::header::HeaderMap;
use silcrow_provider::{
    DeltaStream, Error, ErrorKind, OpeningSession, Provider, Request, Sampling,
};

use crate::host::Host;
use crate::key::ApiKey;
use crate::proxy::Proxy;
use crate::timeouts::Timeouts;

/// A model that is asked over the network through the API `A`.
///
/// Each API has an alias, such as [`Chat`](crate::Chat) for `Model<ChatApi>`. A model retries
/// neither a failed connection nor a rejected request. It sends the fields of a request's [`Sampling`]
/// that its API supports; each API lists them in a constant, such as
/// [`ChatApi::SAMPLING`](crate::ChatApi::SAMPLING).
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_provider::{ErrorKind, Provider as _};
/// use silcrow_vendors::{ApiKey, Chat, Timeouts};
///
/// let key = ApiKey::new("sk-1234567890", "OPENAI_API_KEY");
/// let model = Chat::new("gpt-5.2", key)?
///     .with_base("https://gateway.example/openai/v1")?
///     .with_header("OpenAI-Organization", "org-7")?
///     .with_timeouts(Timeouts::new().with_first(Duration::from_secs(120)));
/// assert_eq!(model.name(), "openai:gpt-5.2");
/// // The request sets the header of the key itself.
/// let error = model.with_header("Authorization", "Bearer sk-1").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Refused);
/// # Ok::<_, silcrow_provider::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model<A> {
    name: String,
    /// The name of the model at the server.
    pub(crate) id: String,
    pub(crate) host: Host,
    /// The defaults for requests that ask for nothing else.
    pub(crate) sampling: Sampling,
    pub(crate) api: A,
}

/// An API that a [`Model`] can speak, such as [`ChatApi`](crate::ChatApi).
///
/// Only this crate implements it.
///
/// ```
/// use silcrow_provider::{Error, Provider as _};
/// use silcrow_vendors::{Api, ApiKey, Chat, Messages, Model};
///
/// /// Sends a model's requests to the gateway of a company, whatever its API.
/// fn behind_gateway<A: Api>(model: Model<A>) -> Result<Model<A>, Error> {
///     model.with_base("https://gateway.example")
/// }
///
/// let key = ApiKey::new("sk-1234567890", "GATEWAY_KEY");
/// assert_eq!(behind_gateway(Chat::new("gpt-5.2", key.clone())?)?.name(), "openai:gpt-5.2");
/// assert!(behind_gateway(Messages::new("claude-sonnet-4-5", key)?).is_ok());
/// # Ok::<_, Error>(())
/// ```
pub trait Api: Adapter {}

/// An [`Api`] whose requests have a temperature: all except [`RealtimeApi`](crate::RealtimeApi).
///
/// ```
/// use silcrow_provider::{Error, Provider as _};
/// use silcrow_vendors::{ApiKey, Chat, Model, SamplingApi};
///
/// fn exact<A: SamplingApi>(model: Model<A>) -> Model<A> {
///     model.with_temperature(0.0)
/// }
///
/// let model = exact(Chat::new("gpt-4.1", ApiKey::new("sk-1234567890", "OPENAI_API_KEY"))?);
/// assert_eq!(model.name(), "openai:gpt-4.1");
/// # Ok::<_, Error>(())
/// ```
pub trait SamplingApi: Api {}

/// The part of a model that differs between APIs.
#[expect(unnameable_types, reason = "it seals `Api`")]
pub trait Adapter: Clone + fmt::Debug + Send + Sync + 'static {
    /// The name of the API in messages.
    const NAME: &'static str;

    /// The prefix of a model's name, such as `anthropic`.
    const PREFIX: &'static str;

    /// The URL of the vendor's own server.
    const SERVER: &'static str;

    /// Whether a request has a JSON body that fields can be added to.
    const HAS_BODY: bool = true;

    /// Returns the URL of requests to the server at `url`.
    fn endpoint(url: &str) -> Result<Url, Error>;

    /// Returns the headers that carry the key, and those that the API requires.
    fn headers(&self, key: &ApiKey) -> Result<HeaderMap, Error>;

    /// Returns the name of the model at the server.
    fn id(model: &str) -> &str {
        model
    }

    /// Sends a request and returns its answer.
    fn stream(model: &Model<Self>, request: Request) -> DeltaStream;

    /// Opens a session, if the API has sessions.
    fn connect(model: &Model<Self>, request: Request) -> Option<OpeningSession>;
}

impl<A: Api + Default> Model<A> {
    /// Creates a model of the vendor's own server.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Auth`] if `key` cannot be a key.
    pub fn new(model: impl Into<String>, key: ApiKey) -> Result<Self, Error> {
        let model = model.into();
        let name = format!("{}:{model}", A::PREFIX);
        Self::at(name, A::id(&model).to_owned(), A::endpoint(A::SERVER)?, Some(key), A::default())
    }
}

impl<A: Api> Model<A> {
    pub(crate) fn at(
        name: String,
        id: String,
        url: Url,
        key: Option<ApiKey>,
        api: A,
    ) -> Result<Self, Error> {
        let headers = key.as_ref().map(|key| api.headers(key)).transpose()?.unwrap_or_default();
        let host = Host::new(A::NAME, url, key, headers);
        Ok(Self { name, id, host, sampling: Sampling::new(), api })
    }

    /// Sends requests to another server, such as a gateway.
    ///
    /// The URL begins with `http://` or `https://`, even for APIs over WebSockets. Its path is
    /// completed like this:
    ///
    /// | API | `https://host` means | `https://host/x` means |
    /// |---|---|---|
    /// | Chat Completions, Responses, Realtime | `/v1`, then the API's own name | `/x`, then the API's own name |
    /// | Messages | `/v1/messages` | `/x/v1/messages` |
    /// | Gemini, Interactions, Live | `/v1` | `/x/v1`, unless `/x` is a version such as `/v1beta` |
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Refused`] if `url` is not a URL of HTTP.
    pub fn with_base(self, url: &str) -> Result<Self, Error> {
        Ok(Self { host: self.host.at(A::endpoint(url)?), ..self })
    }

    /// Sets the limits of the time that the server may take.
    #[must_use]
    pub fn with_timeouts(self, timeouts: Timeouts) -> Self {
        Self { host: self.host.with_timeouts(timeouts), ..self }
    }

    /// Uses a proxy for servers that speak https, or one [for plain HTTP](Proxy::for_plain_http).
    /// It replaces an earlier proxy of the same kind.
    #[must_use]
    pub fn with_proxy(self, proxy: Proxy) -> Self {
        Self { host: self.host.with_proxy(proxy), ..self }
    }

    /// Adds a header to each request, such as `OpenAI-Organization` or `anthropic-beta`. It
    /// replaces a header of the same name that was added before.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Refused`] if the name or the value is not valid, or if the
    /// request itself sets the header, such as the one with the key.
    pub fn with_header(self, name: &str, value: &str) -> Result<Self, Error> {
        Ok(Self { host: self.host.with_header(name, value)?, ..self })
    }

    /// Adds a field to the body of each request, such as `reasoning_effort` or `num_ctx`; `json` is
    /// its value. It replaces a field of the same name.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Refused`] if the value is not JSON, if the field defines
    /// the question, such as `messages`, or if the API is [`RealtimeApi`] or [`LiveApi`], whose
    /// requests have no body.
    ///
    /// [`RealtimeApi`]: crate::RealtimeApi
    /// [`LiveApi`]: crate::LiveApi
    pub fn with_body_field(mut self, name: &str, json: &str) -> Result<Self, Error> {
        self.check_body()?;
        self.host.fields.set(name, json)?;
        Ok(self)
    }

    /// Adds each field of a JSON object to the body of each request.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`with_body_field`](Self::with_body_field).
    pub fn with_body_fields(mut self, object: &str) -> Result<Self, Error> {
        self.check_body()?;
        self.host.fields.set_all(object)?;
        Ok(self)
    }

    /// Limits each answer to `count` tokens, including the model's thoughts, unless the request says
    /// otherwise.
    ///
    /// By default no limit is sent, except to Messages, which requires one and gets the longest
    /// answer that fits the model and its window ([`known_model`](crate::known_model)), or 16,384.
    #[must_use]
    pub fn with_max_tokens(mut self, count: u32) -> Self {
        self.sampling.max_tokens = Some(count);
        self
    }

    /// Allows the key to be sent over plain HTTP to another machine, where everybody on the way can
    /// read it. Otherwise such a request fails before it is sent.
    #[must_use]
    pub fn with_plain_http(mut self) -> Self {
        self.host.plain_http = true;
        self
    }

    /// Checks that the key may be sent to the server, without sending anything.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Refused`] if the key would be sent over plain HTTP to
    /// another machine and [`with_plain_http`](Self::with_plain_http) does not allow it.
    pub fn check(&self) -> Result<(), Error> {
        self.host.check(&self.host.url)
    }

    /// Returns the sampling parameters of a request, with this model's for those that it lacks.
    pub(crate) fn sampling(&self, request: &Request) -> Sampling {
        request.sampling.clone().or(&self.sampling)
    }

    fn check_body(&self) -> Result<(), Error> {
        if A::HAS_BODY {
            return Ok(());
        }
        let name = &self.name;
        let why = format!("the requests of `{name}` have no body; unset it for this model");
        Err(Error::new(ErrorKind::Refused, why))
    }
}

impl<A: SamplingApi> Model<A> {
    /// Sets the temperature of requests that have none. By default none is sent, because some models reject it.
    ///
    /// [`AnthropicVersion::V20261021`](crate::AnthropicVersion::V20261021) has no temperature and
    /// ignores it.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.sampling.temperature = Some(temperature);
        self
    }
}

impl<A: Api> Provider for Model<A> {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: Request) -> DeltaStream {
        A::stream(self, request)
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        A::connect(self, request)
    }
}
