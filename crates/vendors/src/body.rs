use std::io::Write as _;
use std::mem;

use flate2::write::MultiGzDecoder;
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use silcrow_provider::Activity;

use crate::error::Cause;

/// The body of an answer, unpacked where it comes in gzip, in one member or in many (RFC 1952).
pub(crate) struct Body {
    response: Response,
    unpacking: Option<Box<MultiGzDecoder<Vec<u8>>>>,
    /// What came and is not unpacked yet.
    packed: Vec<u8>,
    /// The beginning, where it was looked at before it is read.
    looked_at: Vec<u8>,
    /// Where everything that comes is noted.
    activity: Activity,
}

impl Body {
    pub(crate) fn new(response: Response, activity: Activity) -> Self {
        let packed = encoding(response.headers()).is_some_and(|encoding| is_gzip(&encoding));
        let unpacking = packed.then(|| Box::new(MultiGzDecoder::new(Vec::new())));
        Self { response, unpacking, packed: Vec::new(), looked_at: Vec::new(), activity }
    }

    /// Returns the beginning of the body, of so many bytes that `is_enough` says so; less where the
    /// body ends before. Nothing of it is lost for [`chunk`](Self::chunk).
    pub(crate) async fn look(&mut self, is_enough: impl Fn(&[u8]) -> bool) -> &[u8] {
        let mut seen = Vec::new();
        while !is_enough(&seen) {
            // What broke it off shows again when it is read.
            let Ok(Some(chunk)) = self.chunk().await else { break };
            seen.extend_from_slice(&chunk);
        }
        self.looked_at = seen;
        &self.looked_at
    }

    /// The next bytes; none where it ended. Cancel-safe.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Vec<u8>>, Cause> {
        if !self.looked_at.is_empty() {
            return Ok(Some(mem::take(&mut self.looked_at)));
        }
        loop {
            if let Some(unpacking) = &mut self.unpacking
                && !self.packed.is_empty()
            {
                let piece = self.packed.drain(..self.packed.len().min(PIECE));
                unpacking.write_all(piece.as_slice())?;
                unpacking.flush()?;
                drop(piece);
                match mem::take(unpacking.get_mut()) {
                    bytes if bytes.is_empty() => continue,
                    bytes => return Ok(Some(bytes)),
                }
            }
            let chunk = self.response.chunk().await.map_err(reqwest::Error::without_url)?;
            self.activity.note();
            match chunk {
                Some(bytes) if self.unpacking.is_some() => self.packed = bytes.into(),
                bytes => return Ok(bytes.map(Into::into)),
            }
        }
    }
}

/// An encoding that is not undone here.
pub(crate) fn foreign_encoding(headers: &HeaderMap) -> Option<String> {
    encoding(headers).filter(|encoding| !is_gzip(encoding))
}

/// As it is written in the head, if it changes anything.
fn encoding(headers: &HeaderMap) -> Option<String> {
    let encoding = String::from_utf8_lossy(headers.get(CONTENT_ENCODING)?.as_bytes());
    let encoding = encoding.trim();
    (!encoding.eq_ignore_ascii_case("identity")).then(|| encoding.to_owned())
}

/// Either name, in any case (RFC 9110, 8.4.1).
fn is_gzip(encoding: &str) -> bool {
    ["gzip", "x-gzip"].iter().any(|name| encoding.eq_ignore_ascii_case(name))
}

/// How many bytes are unpacked at once: they may become a thousand times as many.
const PIECE: usize = 4 << 10;
