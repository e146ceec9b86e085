//! The headers that a server over HTTP gets, which may change after it has refused them.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::header::{HeaderName, HeaderValue};

/// Supplies the headers of requests to a server.
///
/// ```
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, ready};
/// use silcrow_mcp::{HeaderSource, ServerHeaders};
///
/// /// Reads a token from a file, which another program renews.
/// struct TokenFile(std::path::PathBuf);
///
/// impl HeaderSource for TokenFile {
///     fn headers(&self, _: bool) -> BoxFuture<'_, Result<Vec<(String, String)>, String>> {
///         let token = std::fs::read_to_string(&self.0);
///         let headers = token.map(|token| vec![("X-Token".to_owned(), token.trim().to_owned())]);
///         ready(headers.map_err(|_| "the file with the token cannot be read".to_owned())).boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let file = TokenFile("there/is/no/such/file".into());
/// assert!(file.headers(false).await.is_err());
/// let headers = ServerHeaders::new(file);
/// assert!(!format!("{headers:?}").contains("such"), "nothing of it is shown");
/// # }
/// ```
pub trait HeaderSource: Send + Sync {
    /// Returns the names and the values.
    ///
    /// This is called before the first request of a connection, and once more, with `is_refused`,
    /// when the server has answered 401 or 403 to the last headers.
    ///
    /// # Errors
    ///
    /// Returns why a value cannot be had, in words for a person and without a secret.
    fn headers(&self, is_refused: bool) -> BoxFuture<'_, Result<Vec<(String, String)>, String>>;
}

/// The headers of requests to a server. Clones have the same source.
#[derive(Clone)]
pub struct ServerHeaders(Arc<dyn HeaderSource>);

impl ServerHeaders {
    /// Creates the headers that a source returns.
    ///
    /// ```
    /// use silcrow_mcp::ServerHeaders;
    /// # use futures_util::future::{BoxFuture, FutureExt as _, ready};
    /// # struct TokenFile;
    /// # impl silcrow_mcp::HeaderSource for TokenFile {
    /// #     fn headers(&self, _: bool) -> BoxFuture<'_, Result<Vec<(String, String)>, String>> {
    /// #         ready(Ok(Vec::new())).boxed()
    /// #     }
    /// # }
    ///
    /// let headers = ServerHeaders::new(TokenFile);
    /// // Clones ask the same source.
    /// assert_eq!(headers.clone(), headers);
    /// assert_ne!(ServerHeaders::new(TokenFile), headers);
    /// ```
    pub fn new(source: impl HeaderSource + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// Creates headers that are always the same.
    ///
    /// ```
    /// use silcrow_mcp::{ServerAddress, ServerHeaders, ServerUrl};
    ///
    /// let mut server = ServerUrl::default();
    /// server.url = "https://issues.example.org/mcp".to_owned();
    /// let headers = ServerHeaders::fixed([("X-Tenant", "ours")]);
    /// let address = ServerAddress::Url(server.with_headers(headers));
    /// # assert_eq!(address.to_string(), "https://issues.example.org/mcp");
    /// ```
    pub fn fixed<N: Into<String>, V: Into<String>>(
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let headers = headers.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self::new(FixedHeaders(headers.collect()))
    }

    /// Returns the headers as they are sent.
    pub(crate) async fn read(
        &self,
        is_refused: bool,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
        let read = self.0.headers(is_refused).await?.into_iter().map(|(name, value)| {
            check_header_name(&name)?;
            let wrong = |what: &str| format!("the header {name} {what}");
            let value = HeaderValue::from_str(value.trim());
            let mut value = value.map_err(|_| wrong("has a character that headers cannot hold"))?;
            value.set_sensitive(true);
            let name = HeaderName::try_from(&*name).map_err(|_| wrong("has no valid name"))?;
            Ok((name, value))
        });
        read.collect()
    }
}

/// Checks that a declaration may set the header of this name.
///
/// ```
/// use silcrow_mcp::check_header_name;
///
/// assert!(check_header_name("X-Tenant").is_ok());
/// assert!(check_header_name("Mcp-Session-Id").unwrap_err().contains("by the request itself"));
/// assert!(check_header_name("X Tenant").is_err());
/// ```
///
/// # Errors
///
/// Returns the error of a name that is not valid, or that belongs to a request itself.
pub fn check_header_name(name: &str) -> Result<(), String> {
    let Ok(read) = HeaderName::try_from(name) else {
        return Err(format!("`{name}` cannot be the name of a header"));
    };
    match RESERVED.contains(&read.as_str()) || read.as_str().starts_with("mcp-") {
        true => Err(format!("the header {name} is set by the request itself")),
        false => Ok(()),
    }
}

struct FixedHeaders(Vec<(String, String)>);

impl HeaderSource for FixedHeaders {
    fn headers(&self, _: bool) -> BoxFuture<'_, Result<Vec<(String, String)>, String>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
}

impl PartialEq for ServerHeaders {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ServerHeaders {}

/// Writes no value.
impl fmt::Debug for ServerHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerHeaders").finish_non_exhaustive()
    }
}

/// The headers that belong to the protocol or to the connection.
const RESERVED: [&str; 11] = [
    "accept",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "last-event-id",
    "te",
    "transfer-encoding",
    "upgrade",
];
