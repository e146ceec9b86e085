//! The proxies for requests to models: the chosen ones, or the environment's, read as curl reads
//! them.

use std::fmt;

use silcrow_vendors::Proxy;

use crate::error::Error;
use silcrow_environment::Environment;

/// The proxies through which models are reached.
///
/// [`first`](Self::first) takes precedence over the variables of the environment, and they over
/// [`last`](Self::last).
///
/// ```
/// use silcrow_models::{NamedProxy, ProxyOptions};
///
/// let options = ProxyOptions::new().with_first(NamedProxy::new("http://127.0.0.1:3128", "--proxy"));
/// assert!(!options.is_for_plain_http);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProxyOptions {
    /// The proxy that counts before the environment.
    pub first: Option<NamedProxy>,
    /// The proxy that counts after the environment.
    pub last: Option<NamedProxy>,
    /// Whether models behind plain HTTP are also reached through a proxy, which then reads keys and
    /// conversations.
    pub is_for_plain_http: bool,
}

impl ProxyOptions {
    /// Creates options that leave everything to the environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the proxy that counts before the environment.
    #[must_use]
    pub fn with_first(self, proxy: impl Into<Option<NamedProxy>>) -> Self {
        Self { first: proxy.into(), ..self }
    }

    /// Sets the proxy that counts after the environment.
    #[must_use]
    pub fn with_last(self, proxy: impl Into<Option<NamedProxy>>) -> Self {
        Self { last: proxy.into(), ..self }
    }

    /// Sets whether models behind plain HTTP are reached through a proxy too.
    #[must_use]
    pub fn with_plain_http(self, is_for_plain_http: bool) -> Self {
        Self { is_for_plain_http, ..self }
    }
}

/// The address of a proxy, with the name of its source for messages.
///
/// ```
/// use silcrow_models::NamedProxy;
///
/// let proxy = NamedProxy::new("http://me:secret@127.0.0.1:3128", "--proxy");
/// // A log shows which option it is, but not the password.
/// assert_eq!(format!("{proxy:?}"), r#"NamedProxy { source: "--proxy", .. }"#);
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedProxy {
    /// The address, such as `http://127.0.0.1:3128`.
    pub url: String,
    /// The name of the option or the setting that has it.
    pub source: &'static str,
}

impl NamedProxy {
    /// Creates the address of a proxy with its source.
    pub fn new(url: impl Into<String>, source: &'static str) -> Self {
        Self { url: url.into(), source }
    }
}

impl fmt::Debug for NamedProxy {
    /// Leaves the address out, which may have a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedProxy").field("source", &self.source).finish_non_exhaustive()
    }
}

/// Returns the proxy for https, and the one for plain HTTP if the person has requested that.
pub(crate) fn proxies(
    options: &ProxyOptions,
    environment: &Environment,
) -> Result<Vec<Proxy>, Error> {
    let except = first(environment, &["no_proxy", "NO_PROXY"]);
    let except = except.map_or_else(String::new, |except| except.url);
    let mut proxies = Vec::new();
    proxies.extend(found(options, environment, &HTTPS, &except)?);
    if options.is_for_plain_http {
        let plain = found(options, environment, &PLAIN_HTTP, &except)?;
        proxies.extend(plain.map(Proxy::for_plain_http));
    }
    Ok(proxies)
}

/// Returns the proxy that counts.
fn found(
    options: &ProxyOptions,
    environment: &Environment,
    variables: &[&'static str],
    except: &str,
) -> Result<Option<Proxy>, Error> {
    let named = options.first.clone().or_else(|| first(environment, variables));
    let Some(NamedProxy { url, source }) = named.or_else(|| options.last.clone()) else {
        return Ok(None);
    };
    let proxy = Proxy::new(&url, except);
    proxy.map(Some).map_err(|error| Error::setting(format!("{source}: {error}")))
}

fn first(environment: &Environment, names: &[&'static str]) -> Option<NamedProxy> {
    names.iter().find_map(|name| Some(NamedProxy::new(environment.get(name)?, name)))
}

/// The variables that name a proxy for https, in order of precedence.
const HTTPS: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/// The variables that name a proxy for plain HTTP.
const PLAIN_HTTP: [&str; 4] = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
