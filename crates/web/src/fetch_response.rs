//! An answer whose body is not read yet.

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName};
use tokio::time::Instant;

use crate::body::{self, FetchedBody};
use crate::decode::BodyDecoder;
use crate::error::{Error, ErrorKind};
use crate::limits::FetchLimits;
use crate::web_url::WebUrl;

/// The beginning of an answer: its headers are read, and its body is not.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
/// use silcrow_web::{Fetcher, WebUrl};
///
/// # let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// # let host = listener.local_addr()?.to_string();
/// # let served = async move {
/// #     let (mut stream, _) = listener.accept().await?;
/// #     stream.read(&mut [0; 4096]).await?;
/// #     let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
/// #     stream.write_all(answer.as_bytes()).await
/// # };
/// # let served = tokio::spawn(served);
/// // A server of this machine is at `host`.
/// let fetcher = Fetcher::new().with_allowed_host(&host)?;
/// let response = fetcher.get(&WebUrl::parse(&format!("http://{host}/"))?).await?;
/// assert_eq!(response.status(), 200);
/// let body = response.read().await?;
/// assert_eq!((&*body.bytes, body.gap), (&b"hello"[..], None));
/// # served.await??;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct FetchResponse {
    pub(crate) url: WebUrl,
    pub(crate) response: reqwest::Response,
    pub(crate) limits: FetchLimits,
    pub(crate) deadline: Instant,
}

impl FetchResponse {
    /// Returns the URL of the answer, after all redirects.
    pub const fn url(&self) -> &WebUrl {
        &self.url
    }

    /// Returns the status code.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Returns the header `Content-Type`.
    pub fn content_type(&self) -> Option<&str> {
        header(self.response.headers(), &CONTENT_TYPE)
    }

    /// Reads the body, until its end or a limit.
    ///
    /// # Errors
    ///
    /// Returns an error if the body is compressed in a way that is not read.
    pub async fn read(self) -> Result<FetchedBody, Error> {
        let headers = self.response.headers();
        let layers = headers.get_all(CONTENT_ENCODING).iter().count();
        let encoding = match layers {
            0 | 1 => header(headers, &CONTENT_ENCODING),
            _ => Some("several layers"),
        };
        let unknown = |encoding: String| {
            let message = format!("its body is compressed in a way that is not read: {encoding:?}");
            Error::new(ErrorKind::Answer, message)
        };
        let decoder = BodyDecoder::new(encoding, self.limits.decoded_bytes).map_err(unknown)?;
        Ok(body::read(self.response, decoder, &self.limits, self.deadline).await)
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"))
}
