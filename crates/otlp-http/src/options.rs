//! The options of an exporter: what it sends, to which addresses, and how much may wait.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use silcrow_otlp::{RequestFacts, Resource, SemanticVocabulary};

use crate::error::{Error, ErrorKind};

/// The options of an exporter: what it sends, to which addresses, and how much may wait. By default
/// nothing is sent.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The address for traces.
    pub traces: Option<ExportTarget>,
    /// The address for metrics.
    pub metrics: Option<ExportTarget>,
    /// The program that sends them.
    pub resource: Resource,
    /// The names of attributes and metrics.
    pub vocabulary: SemanticVocabulary,
    /// Whether spans have messages, arguments, results and the words of errors.
    pub has_contents: bool,
    /// Whether spans of requests have the system prompt and all messages before them, if they have
    /// contents; not by default, because each request then has everything before it again.
    pub has_whole_input: bool,
    /// The largest number of spans that wait; 2,048 by default.
    pub max_queue: usize,
    /// The largest number of bytes that wait, about; 8 MiB by default.
    pub max_queue_bytes: usize,
    /// The largest number of spans in a request; 512 by default.
    pub max_batch: usize,
    /// The longest time that a span waits for others to fill a request; 5 seconds by default.
    pub delay: Duration,
    /// The time between two requests with metrics; a minute by default.
    pub metric_interval: Duration,
    /// Describes the requests to a model, by the name of its provider. By default the name is read
    /// as `VENDOR:MODEL`.
    pub facts: Arc<dyn Fn(&str) -> RequestFacts + Send + Sync>,
}

/// An address for one kind of data.
///
/// ```
/// use silcrow_otlp_http::ExportTarget;
///
/// let target = ExportTarget::new("https://me:secret@otel.example.org/v1/traces")?
///     .with_header("X-Tenant", "ours");
/// // A message shows the address, but not the password.
/// assert_eq!(target.address(), "https://otel.example.org/v1/traces");
/// # Ok::<(), silcrow_otlp_http::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportTarget {
    /// The encoding of the sent data.
    pub encoding: OtlpEncoding,
    /// Whether it is compressed.
    pub is_gzip: bool,
    /// The longest time that a request takes, with all attempts at it; 10 seconds by default.
    pub timeout: Duration,
    /// The certificate authorities to trust, as PEM; by default the machine's.
    pub certificates: Option<Vec<u8>>,
    pub(crate) url: Url,
    pub(crate) headers: Vec<(String, String)>,
}

/// An encoding of OTLP over HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the specification has these two")]
pub enum OtlpEncoding {
    /// Protobuf, which every backend reads.
    #[default]
    Protobuf,
    /// JSON, which some do not read.
    Json,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            traces: None,
            metrics: None,
            resource: Resource::new("silcrow"),
            vocabulary: SemanticVocabulary::default(),
            has_contents: false,
            has_whole_input: false,
            max_queue: 2_048,
            max_queue_bytes: 8 << 20,
            max_batch: 512,
            delay: Duration::from_secs(5),
            metric_interval: Duration::from_secs(60),
            facts: Arc::new(facts),
        }
    }
}

impl ExportTarget {
    /// Names an address, such as `http://127.0.0.1:4318/v1/traces`.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a URL of HTTP.
    pub fn new(url: &str) -> Result<Self, Error> {
        let wrong = || {
            // The message does not show the URL, which may contain a password.
            let why = "the collector's address is not an HTTP URL; write it like \
                       http://127.0.0.1:4318";
            Error::new(ErrorKind::Invalid, why)
        };
        let url = Url::parse(url.trim()).map_err(|error| wrong().with_source(error))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(wrong());
        }
        Ok(Self {
            encoding: OtlpEncoding::default(),
            is_gzip: false,
            timeout: Duration::from_secs(10),
            certificates: None,
            url,
            headers: Vec::new(),
        })
    }

    /// Returns the address of one kind of data below a collector's address: `v1/traces` or
    /// `v1/metrics`.
    pub(crate) fn below(base: &str, path: &str) -> Result<Self, Error> {
        let mut target = Self::new(base)?;
        let folder = target.url.path().trim_end_matches('/');
        let whole = format!("{folder}/{path}");
        target.url.set_path(&whole);
        Ok(target)
    }

    /// Adds a header. Its value is not shown anywhere.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Returns the address without a password and a query, as messages may show it.
    pub fn address(&self) -> String {
        let mut url = self.url.clone();
        // Both fail only if there is nothing to remove.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_query(None);
        url.set_fragment(None);
        url.into()
    }
}

impl OtlpEncoding {
    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Self::Protobuf => "application/x-protobuf",
            Self::Json => "application/json",
        }
    }
}

/// Reads the name of a provider as `VENDOR:MODEL`.
fn facts(provider: &str) -> RequestFacts {
    let (vendor, model) = provider.split_once(':').unwrap_or((provider, provider));
    RequestFacts::new(vendor, model)
}

/// Shows the names of headers and not their values.
impl fmt::Debug for ExportTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("ExportTarget")
            .field("address", &self.address())
            .field("headers", &headers)
            .field("encoding", &self.encoding)
            .field("is_gzip", &self.is_gzip)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("traces", &self.traces)
            .field("metrics", &self.metrics)
            .field("resource", &self.resource)
            .field("has_contents", &self.has_contents)
            .field("has_whole_input", &self.has_whole_input)
            .finish_non_exhaustive()
    }
}
