//! A URL that may be fetched, in one spelling.
//!
//! This module parses the text of a URL and the names of hosts. It resolves nothing: the addresses
//! of a name are checked when it is resolved.

use std::fmt;
use std::net::IpAddr;

use silcrow_resolve::HostName;
use url::{Host, Url};

use crate::error::{Error, ErrorKind};

/// A URL of `http` or `https`, normalized as browsers do, without credentials and without a
/// fragment.
///
/// All spellings of an address have become one: `http://0x7f.1/` is `http://127.0.0.1/`. A host may
/// still be one that must not be reached; [`Fetcher::check`](crate::Fetcher::check) says so.
///
/// ```
/// use silcrow_web::WebUrl;
///
/// let url = WebUrl::parse("HTTPS://Example.COM:443/a b#part").unwrap();
/// assert_eq!(url.as_str(), "https://example.com/a%20b");
/// assert_eq!(url.host(), "example.com");
/// assert!(WebUrl::parse("https://user@example.com/").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WebUrl(Url);

impl WebUrl {
    /// Reads the text of a URL. White space around it is ignored.
    ///
    /// # Errors
    ///
    /// Returns an error for other schemes, for credentials, and for spellings that programs read
    /// differently, such as backslashes, line breaks or too many slashes.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim_matches(|char: char| char.is_ascii_whitespace());
        let authority = authority(text)?;
        if authority.contains('@') {
            return Err(refused("it has a user name or a password in it; leave them out"));
        }
        let mut url = Url::parse(text).map_err(|error| invalid(format!("{error}")))?;
        if let Some(Host::Domain(name)) = url.host() {
            let unresolvable = |_| invalid("its host is not a name that can be resolved");
            let name = HostName::parse(name).map_err(unresolvable)?;
            url.set_host(Some(name.as_str())).map_err(|error| invalid(format!("{error}")))?;
        }
        if url.port() == Some(0) {
            return Err(refused("port 0 cannot be reached"));
        }
        url.set_fragment(None);
        Ok(Self(url))
    }

    /// Reads a URL of this crate.
    pub(crate) fn constant(text: &'static str) -> Self {
        Self::parse(text).expect("a URL of this crate can be read")
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the host: a name, an IPv4 address, or an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Returns the last part of the path, as the URL has it, which is empty for a folder.
    pub(crate) fn file_name(&self) -> &str {
        self.0.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default()
    }

    /// Returns the port, which the scheme determines if the text has none.
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// Returns the address if the host is one and not a name.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }

    /// Returns whether the connection is encrypted.
    pub(crate) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Returns whether both have the same scheme, host and port.
    pub(crate) fn has_origin_of(&self, other: &Self) -> bool {
        self.0.origin() == other.0.origin()
    }

    /// Returns whether both are of the same host, with or without `www.`.
    pub(crate) fn has_site_of(&self, other: &Self) -> bool {
        let bare =
            |url: &Self| url.host().strip_prefix("www.").unwrap_or_else(|| url.host()).to_owned();
        bare(self) == bare(other)
    }

    /// Returns the URL that a reference in this page leads to.
    pub(crate) fn join(&self, reference: &str) -> Result<Self, Error> {
        let url = self.0.join(reference).map_err(|error| invalid(format!("{error}")))?;
        Self::parse(url.as_str())
    }

    /// Returns the absolute text of a reference in this page, with its fragment, if it leads to the
    /// web or to a mailbox.
    pub(crate) fn absolute(&self, reference: &str) -> Option<String> {
        let url = self.0.join(reference).ok()?;
        matches!(url.scheme(), "http" | "https" | "mailto").then(|| url.into())
    }

    /// Returns the URL of a path below this one, whose segments are escaped.
    pub(crate) fn below(&self, segments: &[String]) -> Result<Self, Error> {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        Self::parse(url.as_str())
    }

    /// Returns the URL with these pairs added to its query.
    pub(crate) fn with_query(&self, pairs: &[(&str, &str)]) -> Result<Self, Error> {
        let mut url = self.0.clone();
        url.query_pairs_mut().extend_pairs(pairs);
        Self::parse(url.as_str())
    }

    /// Returns the number of bytes of the path and the query, which reach the server.
    pub(crate) fn sent_bytes(&self) -> usize {
        self.0[url::Position::BeforePath..].len()
    }
}

impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the part of the text between the scheme and the path.
fn authority(text: &str) -> Result<&str, Error> {
    if text.len() > MAX_URL {
        return Err(refused(format!("it is longer than {MAX_URL} bytes")));
    }
    if text.contains(char::is_control) {
        return Err(refused("it has control characters in it"));
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(invalid("it has no scheme; write it as `https://HOST/PATH`"));
    };
    if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Err(refused("only http and https are fetched; write it as `https://HOST/PATH`"));
    }
    let rest = rest.strip_prefix("//").filter(|rest| !rest.starts_with('/'));
    let rest = rest.ok_or_else(|| refused("two slashes follow the scheme: `https://HOST/PATH`"))?;
    let sent = rest.split(['?', '#']).next().unwrap_or_default();
    if sent.contains('\\') {
        return Err(refused("it has a backslash in it; write `/`, or `%5C` within a path"));
    }
    Ok(sent.split('/').next().unwrap_or_default())
}

fn refused(why: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Refused, format!("the URL is rejected: {why}"))
}

fn invalid(why: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Invalid, format!("the URL cannot be read: {why}"))
}

/// The length of the longest URL, in bytes.
const MAX_URL: usize = 8 << 10;
