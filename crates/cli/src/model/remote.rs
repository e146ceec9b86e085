//! Settings that all models over the network share: headers, fields, proxies, timeouts.

use silcrow_provider::{Error, ErrorKind, Provider};
use silcrow_vendors::{
    Chat, Gemini, Interactions, Live, Messages, Proxy, Realtime, Responses, Timeouts,
};

use super::set;
use crate::failure::Failure;

/// What the environment says of how a vendor's servers are asked, besides its keys.
pub(crate) struct Way {
    /// What its variables begin with.
    prefix: &'static str,
    headers: Vec<(String, String)>,
    fields: Option<String>,
    proxy: Option<(String, Proxy)>,
    plain_http: bool,
    timeouts: Timeouts,
}

impl Way {
    pub(crate) fn read(prefix: &'static str, timeouts: Timeouts) -> Result<Self, Failure> {
        Ok(Self {
            prefix,
            headers: headers(prefix)?,
            fields: set(&format!("{prefix}_BODY")),
            proxy: proxy()?,
            plain_http: plain_http()?,
            timeouts,
        })
    }

    /// The same to a server for which nothing but the way there was set.
    pub(crate) fn bare(self) -> Self {
        Self { headers: Vec::new(), fields: None, ..self }
    }

    /// The model, asked this way, at `base` where another server is named.
    pub(crate) fn to<M: Remote>(&self, model: M, base: Option<&str>) -> Result<M, Failure> {
        let named = |variable: &str| {
            let variable = variable.to_owned();
            move |error: Error| Failure::given(format!("{variable}: {error}"))
        };
        let model = model.timed(self.timeouts).map_err(unusable)?;
        let model = match base {
            Some(base) => {
                let at = model.based(base);
                at.map_err(|error| match error.kind() {
                    ErrorKind::Refused => named(&format!("{}_BASE_URL", self.prefix))(error),
                    _ => unusable(error),
                })?
            }
            None => model,
        };
        let model = self.headers.iter().try_fold(model, |model, (name, value)| {
            model.headed(name, value).map_err(named(&format!("{}_HEADERS", self.prefix)))
        })?;
        let model = match &self.fields {
            Some(fields) => {
                model.filled(fields).map_err(named(&format!("{}_BODY", self.prefix)))?
            }
            None => model,
        };
        let model = match &self.proxy {
            Some((variable, proxy)) => model.proxied(proxy.clone()).map_err(named(variable))?,
            None => model,
        };
        if self.plain_http {
            return Ok(model.plain());
        }
        model.checked().map_err(|error| {
            Failure::given(format!("{error}, or set {PLAIN_HTTP}=1 if you trust that network"))
        })?;
        Ok(model)
    }
}

/// What all models over the network take alike.
pub(crate) trait Remote: Provider + Sized + 'static {
    fn based(self, url: &str) -> Result<Self, Error>;
    fn timed(self, timeouts: Timeouts) -> Result<Self, Error>;
    fn headed(self, name: &str, value: &str) -> Result<Self, Error>;
    fn filled(self, fields: &str) -> Result<Self, Error>;
    fn proxied(self, proxy: Proxy) -> Result<Self, Error>;
    fn plain(self) -> Self;
    fn checked(&self) -> Result<(), Error>;
}

macro_rules! remote {
    ($($model:ty: |$this:ident, $fields:ident| $filled:expr),+ $(,)?) => {$(
        impl Remote for $model {
            fn based(self, url: &str) -> Result<Self, Error> {
                self.with_base(url)
            }

            fn timed(self, timeouts: Timeouts) -> Result<Self, Error> {
                self.with_timeouts(timeouts)
            }

            fn headed(self, name: &str, value: &str) -> Result<Self, Error> {
                self.with_header(name, value)
            }

            fn filled(self, $fields: &str) -> Result<Self, Error> {
                let $this = self;
                $filled
            }

            fn proxied(self, proxy: Proxy) -> Result<Self, Error> {
                self.with_proxy(proxy)
            }

            fn plain(self) -> Self {
                self.with_plain_http()
            }

            fn checked(&self) -> Result<(), Error> {
                self.check()
            }
        }
    )+};
}

remote! {
    Chat: |model, fields| model.with_body_fields(fields),
    Gemini: |model, fields| model.with_body_fields(fields),
    Interactions: |model, fields| model.with_body_fields(fields),
    Messages: |model, fields| model.with_body_fields(fields),
    Responses: |model, fields| model.with_body_fields(fields),
    Live: |model, _fields| Err(bodiless(&model)),
    Realtime: |model, _fields| Err(bodiless(&model)),
}

fn bodiless(model: &dyn Provider) -> Error {
    let why = format!("the requests of `{}` have no body; unset it for this model", model.name());
    Error::new(ErrorKind::Refused, why)
}

fn unusable(error: Error) -> Failure {
    Failure::given(error.to_string())
}

/// The headers in the vendor's variable, `Name: value` a line, and those of OpenAI's own clients.
fn headers(prefix: &str) -> Result<Vec<(String, String)>, Failure> {
    let mut headers = Vec::new();
    if prefix == "OPENAI" {
        let own =
            [("OpenAI-Organization", "OPENAI_ORG_ID"), ("OpenAI-Project", "OPENAI_PROJECT_ID")];
        headers.extend(
            own.into_iter().filter_map(|(name, variable)| Some((name.to_owned(), set(variable)?))),
        );
    }
    let variable = format!("{prefix}_HEADERS");
    let text = set(&variable).unwrap_or_default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Some((name, value)) = line.split_once(':') else {
            // The line may hold a secret.
            return Err(Failure::given(format!(
                "{variable}: line {} has no `:`; write each header as `Name: value`",
                index + 1
            )));
        };
        headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    Ok(headers)
}

/// The proxy for https, as curl reads the environment, and the variable that names it.
fn proxy() -> Result<Option<(String, Proxy)>, Failure> {
    let first = |names: &[&'static str]| names.iter().find_map(|name| Some((*name, set(name)?)));
    let Some((variable, url)) = first(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
    else {
        return Ok(None);
    };
    let except = first(&["no_proxy", "NO_PROXY"]).map_or_else(String::new, |(_, except)| except);
    let proxy = Proxy::new(&url, &except);
    let proxy = proxy.map_err(|error| Failure::given(format!("{variable}: {error}")))?;
    Ok(Some((variable.to_owned(), proxy)))
}

fn plain_http() -> Result<bool, Failure> {
    match set(PLAIN_HTTP).as_deref().map(str::trim) {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(Failure::given(format!("{PLAIN_HTTP} is `{other}`; use 1 or 0"))),
    }
}

/// Whether keys may be sent over plain HTTP to other machines.
const PLAIN_HTTP: &str = "SILCROW_ALLOW_PLAIN_HTTP";
