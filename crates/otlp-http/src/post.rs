//! One request to a collector, and the meaning of its answer.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use silcrow_http_client::{self as http_client, Client, ClientOptions, retry_after};

use crate::error::{Error, ErrorKind};
use crate::options::ExportTarget;
use crate::partial_success::PartialSuccess;

/// A client of one address of a collector.
#[derive(Clone, Debug)]
pub(crate) struct CollectorClient {
    client: Client,
    headers: HeaderMap,
    target: ExportTarget,
}

/// A request that was not successful.
pub(crate) struct PostFailure {
    pub(crate) error: Error,
    /// The wait that the collector asks for.
    pub(crate) wait: Option<Duration>,
    /// Whether the collector answered at all.
    pub(crate) is_answered: bool,
}

impl CollectorClient {
    /// Creates a client that follows no redirects and uses no proxy.
    pub(crate) fn new(target: ExportTarget) -> Result<Self, Error> {
        let no_client = |error: http_client::Error| {
            Error::new(ErrorKind::Invalid, "cannot build an HTTP client for the collector")
                .with_source(error)
        };
        let options = match &target.certificates {
            Some(pem) => ClientOptions::new().trusting(pem).map_err(no_client)?,
            None => ClientOptions::new(),
        };
        let client = options.build(&target.url).map_err(no_client)?;
        let mut headers = HeaderMap::new();
        for (name, value) in &target.headers {
            let parsed = (HeaderName::try_from(name), HeaderValue::try_from(value));
            let (Ok(name), Ok(mut value)) = parsed else {
                let name: String = name.chars().filter(char::is_ascii_graphic).take(40).collect();
                let why = format!(
                    "the header `{name}` for the collector has a character that headers cannot have"
                );
                return Err(Error::new(ErrorKind::Invalid, why));
            };
            value.set_sensitive(true);
            headers.append(name, value);
        }
        Ok(Self { client, headers, target })
    }

    pub(crate) const fn target(&self) -> &ExportTarget {
        &self.target
    }

    /// Compresses a body, if the collector is to get compressed ones.
    pub(crate) fn packed(&self, body: Vec<u8>) -> Vec<u8> {
        if !self.target.is_gzip {
            return body;
        }
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        // Memory does not fail.
        let written = packed.write_all(&body).and_then(|()| packed.finish());
        written.unwrap_or(body)
    }

    /// Sends a packed body once.
    pub(crate) async fn post(&self, body: Vec<u8>) -> Result<PartialSuccess, PostFailure> {
        let mut request = self
            .client
            .post(self.target.url.clone())
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, self.target.encoding.media_type());
        if self.target.is_gzip {
            request = request.header(CONTENT_ENCODING, "gzip");
        }
        let address = self.target.address();
        let mut response = request.body(body).send().await.map_err(|error| {
            let why = format!("the collector at {address} cannot be reached");
            // The URL of the error may contain a password.
            let error = Error::new(ErrorKind::Unreachable, why).with_source(error.without_url());
            PostFailure { error, wait: None, is_answered: false }
        })?;
        let status = response.status();
        if status.is_success() {
            // The connection is used again only if the answer was read.
            let mut answer = Vec::new();
            while let Ok(Some(piece)) = response.chunk().await {
                answer.extend_from_slice(&piece);
                if answer.len() > LONGEST_ANSWER {
                    break;
                }
            }
            return Ok(PartialSuccess::read(self.target.encoding, &answer));
        }
        // The specification names exactly these.
        let is_retryable = matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS
                | StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT
        );
        let kind = if is_retryable { ErrorKind::Unreachable } else { ErrorKind::Refused };
        let hint = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                "; check OTEL_EXPORTER_OTLP_HEADERS"
            }
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
                "; check the address: a collector's has no path, and one for a single signal ends with \
                 v1/traces or v1/metrics"
            }
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "; try OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
            _ => "",
        };
        let why = format!("the collector at {address} answered {}{hint}", status.as_u16());
        let (error, wait) = (Error::new(kind, why), retry_after(response.headers()));
        Err(PostFailure { error, wait, is_answered: true })
    }
}

/// The number of bytes of an answer after which nothing more is read.
const LONGEST_ANSWER: usize = 64 << 10;
