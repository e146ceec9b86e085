//! The body of an answer, read within limits.
//!
//! This module counts bytes and time, and does not interpret the bytes.

use std::fmt;

use reqwest::Response;
use tokio::time::{self, Instant};

use crate::decode::{BodyDecoder, DecodeFailure};
use crate::limits::FetchLimits;

/// The body of an answer, decompressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FetchedBody {
    /// The bytes that were received and decoded.
    pub bytes: Vec<u8>,
    /// The reason why the end is missing, if it is.
    pub gap: Option<BodyGap>,
}

/// The reason why the end of a body is missing. Its text says so in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyGap {
    /// The connection ended before the body did.
    Cut,
    /// The server paused for longer than the limit.
    Idle,
    /// The body takes longer than the limit of the whole request.
    Slow,
    /// The body is larger than this limit, in bytes.
    TooLong(usize),
    /// The compressed data is damaged, or its end is missing.
    Damaged,
}

/// Reads a body until its end or a limit.
pub(crate) async fn read(
    mut response: Response,
    mut decoder: BodyDecoder,
    limits: &FetchLimits,
    deadline: Instant,
) -> FetchedBody {
    let mut room = limits.raw_bytes;
    let gap = loop {
        let idle = Instant::now() + limits.idle;
        let chunk = match time::timeout_at(idle.min(deadline), response.chunk()).await {
            Err(_) if idle < deadline => break Some(BodyGap::Idle),
            Err(_) => break Some(BodyGap::Slow),
            Ok(Err(_)) => break Some(BodyGap::Cut),
            Ok(Ok(None)) => break None,
            Ok(Ok(Some(chunk))) => chunk,
        };
        let part = &chunk[..chunk.len().min(room)];
        if let Err(failure) = decoder.push(part) {
            break Some(BodyGap::from_failure(failure, limits));
        }
        if part.len() < chunk.len() {
            break Some(BodyGap::TooLong(limits.raw_bytes));
        }
        room -= part.len();
    };
    let (bytes, failure) = decoder.finish();
    let failure = failure.map(|failure| BodyGap::from_failure(failure, limits));
    FetchedBody { bytes, gap: gap.or(failure) }
}

impl BodyGap {
    const fn from_failure(failure: DecodeFailure, limits: &FetchLimits) -> Self {
        match failure {
            DecodeFailure::TooLong => Self::TooLong(limits.decoded_bytes),
            DecodeFailure::Damaged => Self::Damaged,
        }
    }
}

impl fmt::Display for BodyGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the page is incomplete: ")?;
        match self {
            Self::Cut => f.write_str("the connection ended before it did"),
            Self::Idle => f.write_str("the server stopped sending"),
            Self::Slow => f.write_str("the server takes too long"),
            Self::TooLong(limit) => write!(f, "it is larger than {limit} bytes"),
            Self::Damaged => f.write_str("its compressed data is damaged or cut"),
        }
    }
}
