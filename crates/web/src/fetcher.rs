//! Requests that reach public addresses only.
//!
//! This module has the rules for a request: the hosts and addresses that may be reached, and the
//! redirects that are followed. `connection` has the client, and other modules read the answers.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::Method;
use reqwest::header::{HeaderName, LOCATION};
use silcrow_resolve::{Resolver, SystemResolver, is_private_name, is_public};
use tokio::time::{self, Instant};

use crate::allowed::AllowedHosts;
use crate::connection::{self, ChosenProxy};
use crate::error::{Error, ErrorKind};
use crate::fetch_response::FetchResponse;
use crate::limits::FetchLimits;
use crate::search_key::SearchKey;
use crate::web_url::WebUrl;

/// Fetches pages of the public web.
///
/// A name is resolved once, all of its addresses are checked, and the connection goes to one of
/// these addresses; a redirect is checked in the same way. No cookie, referrer or credential is
/// sent, and proxies in the environment are ignored. A copy has the same settings.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_web::{FetchLimits, Fetcher, WebUrl};
///
/// let limits = FetchLimits { whole: Duration::from_secs(5), ..FetchLimits::default() };
/// let fetcher = Fetcher::new().with_limits(limits).with_allowed_host("127.0.0.1:8080")?;
/// assert!(fetcher.check(&WebUrl::parse("http://127.0.0.1:8080/docs")?).is_ok());
/// // Only the port that was named is allowed.
/// assert!(fetcher.check(&WebUrl::parse("http://127.0.0.1:9090/docs")?).is_err());
/// # Ok::<(), silcrow_web::Error>(())
/// ```
#[derive(Clone)]
pub struct Fetcher {
    limits: FetchLimits,
    allowed: AllowedHosts,
    resolver: Arc<dyn Resolver>,
    proxy: Option<ChosenProxy>,
}

/// A request for a page.
pub(crate) struct FetchRequest<'a> {
    pub(crate) url: WebUrl,
    pub(crate) method: Method,
    /// A body of JSON.
    pub(crate) body: Option<String>,
    /// The media types that the caller reads.
    pub(crate) accept: &'static str,
    /// A header with a key, which only the origin of the URL receives.
    pub(crate) key: Option<(HeaderName, &'a SearchKey)>,
    /// Whether redirects to other hosts are followed.
    pub(crate) leaves_site: bool,
}

impl FetchRequest<'_> {
    /// Creates a request for a page of these media types, without a key.
    pub(crate) const fn new(url: WebUrl, accept: &'static str) -> Self {
        let (method, body, key) = (Method::GET, None, None);
        Self { url, method, body, accept, key, leaves_site: false }
    }
}

impl Fetcher {
    /// Creates a fetcher that reaches public addresses only, without a proxy.
    pub fn new() -> Self {
        Self {
            limits: FetchLimits::default(),
            allowed: AllowedHosts::default(),
            resolver: Arc::new(SystemResolver::new()),
            proxy: None,
        }
    }

    /// Replaces the limits.
    #[must_use]
    pub fn with_limits(self, limits: FetchLimits) -> Self {
        Self { limits, ..self }
    }

    /// Replaces the resolver of names.
    #[must_use]
    pub fn with_resolver(self, resolver: impl Resolver + 'static) -> Self {
        Self { resolver: Arc::new(resolver), ..self }
    }

    /// Sends all requests through a proxy, such as `https://proxy.example:3128`. The proxy then
    /// resolves the names, so only names and literal addresses are checked here, and the proxy must
    /// reject forbidden addresses of names.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL is not one of a proxy.
    pub fn with_proxy(self, url: &str) -> Result<Self, Error> {
        Ok(Self { proxy: Some(ChosenProxy::new(url)?), ..self })
    }

    /// Allows a host and a port that are not public, as `HOST:PORT`: for an intranet, and for
    /// tests. With a name, all addresses of the name are allowed on this port; with an address, so
    /// are the names that lead to it.
    ///
    /// # Errors
    ///
    /// Returns an error if the entry is not a host and a port.
    pub fn with_allowed_host(mut self, entry: &str) -> Result<Self, Error> {
        self.allowed.add(entry)?;
        Ok(self)
    }

    /// Checks a host before its name is resolved.
    ///
    /// # Errors
    ///
    /// Returns an error if the host is private by its name, or is an address that is not public.
    pub fn check(&self, url: &WebUrl) -> Result<(), Error> {
        if self.allowed.has(url) {
            return Ok(());
        }
        let is_private = match url.address() {
            Some(address) => !is_public(address),
            None => is_private_name(url.host()),
        };
        match is_private {
            true => Err(not_public(url.host())),
            false => Ok(()),
        }
    }

    /// Returns the reason why this URL needs a person's own approval, if it does: an unusual port,
    /// or a text that is long enough to carry data out.
    pub fn risk(&self, url: &WebUrl) -> Option<String> {
        if !self.is_usual_port(url) {
            return Some(format!("it is on the unusual port {}", url.port()));
        }
        let sent = url.sent_bytes();
        if sent > LONG_PATH {
            return Some(format!("it sends {sent} bytes of text in the address"));
        }
        let host = url.host().len();
        (host > LONG_HOST).then(|| format!("its host has a name of {host} bytes"))
    }

    /// Requests a page. Redirects within its host are followed, with or without `www.`.
    ///
    /// # Errors
    ///
    /// Returns an error if a host on the way is not public, and if no answer arrives. A status such
    /// as 404 is not an error.
    pub async fn get(&self, url: &WebUrl) -> Result<FetchResponse, Error> {
        let url = url.clone();
        self.send(FetchRequest::new(url, "*/*")).await
    }

    pub(crate) async fn send(&self, request: FetchRequest<'_>) -> Result<FetchResponse, Error> {
        let deadline = Instant::now() + self.limits.whole;
        let answer = time::timeout_at(deadline, self.follow(request, deadline)).await;
        answer.unwrap_or_else(|_| {
            let seconds = self.limits.whole.as_secs();
            Err(Error::new(ErrorKind::Timeout, format!("no answer came within {seconds} s")))
        })
    }

    async fn follow(
        &self,
        request: FetchRequest<'_>,
        deadline: Instant,
    ) -> Result<FetchResponse, Error> {
        let mut url = request.url.clone();
        for _ in 0..=self.limits.redirects {
            self.check(&url)?;
            let mut headers = connection::headers(request.accept);
            if let Some((name, key)) = request.key.clone()
                && url.has_origin_of(&request.url)
            {
                headers.insert(name, key.header());
            }
            let addresses = self.addresses(&url).await?;
            let what = (&request.method, request.body.as_deref());
            let proxy = self.proxy.as_ref();
            let sent = connection::send(&url, what, headers, &addresses, proxy, &self.limits);
            let response = sent.await?;
            match location(&response).filter(|_| request.method == Method::GET) {
                None => return Ok(FetchResponse { url, response, limits: self.limits, deadline }),
                Some(reference) => url = self.redirected(&request, &url, &reference)?,
            }
        }
        let message = format!("it redirects more than {} times", self.limits.redirects);
        Err(Error::new(ErrorKind::Redirect, message))
    }

    /// Returns the checked addresses of a host. A proxy resolves names itself.
    async fn addresses(&self, url: &WebUrl) -> Result<Vec<SocketAddr>, Error> {
        if url.address().is_some() || self.proxy.is_some() {
            return Ok(Vec::new());
        }
        let (host, port) = (url.host(), url.port());
        let resolved = time::timeout(self.limits.connect, self.resolver.resolve(host)).await;
        let unresolved = |why: &str| {
            Error::new(ErrorKind::Resolve, format!("the host {host} cannot be found: {why}"))
        };
        let addresses = resolved
            .map_err(|_| unresolved("its name is not resolved in time"))?
            .map_err(|error| unresolved("its name is not resolved").with_source(error))?;
        let is_allowed = |address| self.allowed.has_address(address, port);
        let may_reach = |&address: &_| is_public(address) || is_allowed(address);
        if !self.allowed.has(url) && !addresses.iter().all(may_reach) {
            return Err(not_public(host));
        }
        match addresses.is_empty() {
            true => Err(unresolved("it has no address")),
            false => Ok(addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect()),
        }
    }

    /// Returns the target of a redirect, if it may be followed.
    fn redirected(
        &self,
        request: &FetchRequest<'_>,
        from: &WebUrl,
        reference: &str,
    ) -> Result<WebUrl, Error> {
        let redirect = |message| Error::new(ErrorKind::Redirect, message);
        let url = from.join(reference).map_err(|error| {
            redirect("it redirects to something that is not fetched".to_owned()).with_source(error)
        })?;
        self.check(&url)?;
        if from.is_https() && !url.is_https() {
            return Err(redirect("it redirects from https to http".to_owned()));
        }
        let stays = url.has_site_of(&request.url) || request.leaves_site;
        if stays && (self.is_usual_port(&url) || url.port() == request.url.port()) {
            return Ok(url);
        }
        let place = match url.as_str().len() > LONG_REDIRECT {
            true => format!("a long URL of the host {}", url.host()),
            false => url.to_string(),
        };
        Err(redirect(format!(
            "it redirects to another host or port: {place}; fetch that if it is what you want"
        )))
    }

    fn is_usual_port(&self, url: &WebUrl) -> bool {
        USUAL_PORTS.contains(&url.port()) || self.allowed.has(url)
    }
}

/// Returns the target of a redirect.
fn location(response: &reqwest::Response) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

fn not_public(host: &str) -> Error {
    let message = format!(
        "the host {host} is not public; only addresses of the public internet are fetched, and \
         hosts that a person allows"
    );
    Error::new(ErrorKind::Refused, message)
}

impl Default for Fetcher {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Fetcher");
        debug.field("limits", &self.limits).field("allowed", &self.allowed);
        debug.field("has_proxy", &self.proxy.is_some()).finish_non_exhaustive()
    }
}

/// The ports of web servers.
const USUAL_PORTS: [u16; 4] = [80, 443, 8080, 8443];

/// The length of a path and query, in bytes, above which they may carry data out.
const LONG_PATH: usize = 512;

/// The length of a host's name, in bytes, above which it may carry data out.
const LONG_HOST: usize = 80;

/// The length of the longest URL that a message shows.
const LONG_REDIRECT: usize = 2000;
