//! The body of an HTTP response, decompressed.
//!
//! Some proxies compress although the request does not allow it, in one gzip member or in several,
//! which reqwest does not read.

use std::io::Write as _;
use std::mem;

use flate2::write::MultiGzDecoder;
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use silcrow_provider::Activity;

use crate::error::ErrorCause;

/// The body of a response, decompressed if it is gzip of one member or of many (RFC 1952).
pub(crate) struct ResponseBody {
    response: Response,
    decoder: Option<Box<MultiGzDecoder<Vec<u8>>>>,
    /// The bytes that have arrived and are not decompressed yet.
    compressed: Vec<u8>,
    /// The beginning of the body, if [`look`](Self::look) has read it and `chunk` has not.
    looked_at: Vec<u8>,
    /// The record of signs of life.
    activity: Activity,
}

impl ResponseBody {
    pub(crate) fn new(response: Response, activity: Activity) -> Self {
        let is_gzip = encoding(response.headers()).is_some_and(|encoding| is_gzip(&encoding));
        let decoder = is_gzip.then(|| Box::new(MultiGzDecoder::new(Vec::new())));
        Self { response, decoder, compressed: Vec::new(), looked_at: Vec::new(), activity }
    }

    /// Returns the beginning of the body: as many bytes as `is_enough` requires, or all of a
    /// shorter body. [`chunk`](Self::chunk) returns them again.
    pub(crate) async fn look(&mut self, is_enough: impl Fn(&[u8]) -> bool) -> &[u8] {
        let mut seen = Vec::new();
        while !is_enough(&seen) {
            // The error occurs again when the body is read.
            let Ok(Some(chunk)) = self.chunk().await else { break };
            seen.extend_from_slice(&chunk);
        }
        self.looked_at = seen;
        &self.looked_at
    }

    /// Returns the next bytes, or `None` at the end. Cancel-safe.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Vec<u8>>, ErrorCause> {
        if !self.looked_at.is_empty() {
            return Ok(Some(mem::take(&mut self.looked_at)));
        }
        loop {
            if let Some(decoder) = &mut self.decoder
                && !self.compressed.is_empty()
            {
                let piece = self.compressed.drain(..self.compressed.len().min(PIECE));
                decoder.write_all(piece.as_slice())?;
                decoder.flush()?;
                drop(piece);
                match mem::take(decoder.get_mut()) {
                    bytes if bytes.is_empty() => continue,
                    bytes => return Ok(Some(bytes)),
                }
            }
            let chunk = self.response.chunk().await.map_err(reqwest::Error::without_url)?;
            self.activity.note();
            match chunk {
                Some(bytes) if self.decoder.is_some() => self.compressed = bytes.into(),
                bytes => return Ok(bytes.map(Into::into)),
            }
        }
    }
}

/// Returns the encoding in the headers if this module cannot decode it.
pub(crate) fn foreign_encoding(headers: &HeaderMap) -> Option<String> {
    encoding(headers).filter(|encoding| !is_gzip(encoding))
}

/// Returns the encoding as the header has it, if it changes anything.
fn encoding(headers: &HeaderMap) -> Option<String> {
    let encoding = String::from_utf8_lossy(headers.get(CONTENT_ENCODING)?.as_bytes());
    let encoding = encoding.trim();
    (!encoding.eq_ignore_ascii_case("identity")).then(|| encoding.to_owned())
}

/// Returns whether it is either name of gzip, in any case (RFC 9110, 8.4.1).
fn is_gzip(encoding: &str) -> bool {
    ["gzip", "x-gzip"].iter().any(|name| encoding.eq_ignore_ascii_case(name))
}

/// The number of bytes that are decompressed at once. It is small, because the result may be a
/// thousand times as long.
const PIECE: usize = 4 << 10;
