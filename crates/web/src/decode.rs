//! The content coding of a body, undone within a limit.
//!
//! This module counts bytes while it decodes, so that a small body cannot become a large one. Its
//! caller provides the bytes.
//!
//! A [`BodyDecoder`] for `deflate` starts undecided, and decides after the first two bytes whether
//! the data has the header of zlib.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// A decoder of one layer of content coding.
pub(crate) struct BodyDecoder(BodyCoding);

enum BodyCoding {
    Identity(CappedBuffer),
    Gzip(Box<MultiGzDecoder<CappedBuffer>>),
    /// The first bytes of `deflate`, which some servers send with the header of zlib and some
    /// without, and the limit.
    Undecided(Vec<u8>, usize),
    Zlib(Box<ZlibDecoder<CappedBuffer>>),
    Deflate(Box<DeflateDecoder<CappedBuffer>>),
}

/// The reason why decoding ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodeFailure {
    /// The limit is reached.
    TooLong,
    /// The data contradicts its header, or its end is missing.
    Damaged,
}

impl BodyDecoder {
    /// Creates the decoder for the values of `Content-Encoding`, which keeps at most `limit` bytes.
    /// Returns the coding if it is not one layer of a known one.
    pub(crate) fn new(encoding: Option<&str>, limit: usize) -> Result<Self, String> {
        let buffer = CappedBuffer { bytes: Vec::new(), limit, is_full: false };
        let encoding = encoding.unwrap_or_default().trim().to_ascii_lowercase();
        Ok(Self(match &*encoding {
            "" | "identity" => BodyCoding::Identity(buffer),
            "gzip" | "x-gzip" => BodyCoding::Gzip(Box::new(MultiGzDecoder::new(buffer))),
            "deflate" => BodyCoding::Undecided(Vec::new(), limit),
            _ => return Err(encoding),
        }))
    }

    /// Decodes the next bytes. Do not push anything after a failure.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), DecodeFailure> {
        let written = match &mut self.0 {
            BodyCoding::Identity(buffer) => buffer.write_all(bytes),
            BodyCoding::Gzip(decoder) => decoder.write_all(bytes),
            BodyCoding::Zlib(decoder) => decoder.write_all(bytes),
            BodyCoding::Deflate(decoder) => decoder.write_all(bytes),
            BodyCoding::Undecided(first, limit) => {
                first.extend_from_slice(bytes);
                if first.len() < 2 {
                    return Ok(());
                }
                let (first, limit) = (std::mem::take(first), *limit);
                self.0 = BodyCoding::decide(&first, limit);
                return self.push(&first);
            }
        };
        written.map_err(|_| self.failure())
    }

    /// Ends the input. Returns the decoded data, and the reason of an early end.
    pub(crate) fn finish(mut self) -> (Vec<u8>, Option<DecodeFailure>) {
        let ended = match &mut self.0 {
            BodyCoding::Identity(_) => Ok(()),
            // A body of gzip without a byte is an empty one.
            BodyCoding::Gzip(decoder) => decoder.try_finish(),
            BodyCoding::Zlib(decoder) => decoder.try_finish(),
            BodyCoding::Deflate(decoder) => decoder.try_finish(),
            BodyCoding::Undecided(first, _) if first.is_empty() => Ok(()),
            BodyCoding::Undecided(..) => Err(io::ErrorKind::UnexpectedEof.into()),
        };
        let failure = ended.err().map(|_| self.failure());
        let bytes = self.0.buffer_mut().map(|buffer| std::mem::take(&mut buffer.bytes));
        (bytes.unwrap_or_default(), failure)
    }

    fn failure(&mut self) -> DecodeFailure {
        match self.0.buffer_mut() {
            Some(buffer) if buffer.is_full => DecodeFailure::TooLong,
            _ => DecodeFailure::Damaged,
        }
    }
}

impl BodyCoding {
    /// Decides by the first two bytes whether the data has the header of zlib (RFC 1950).
    fn decide(first: &[u8], limit: usize) -> Self {
        let buffer = CappedBuffer { bytes: Vec::new(), limit, is_full: false };
        let header = u16::from_be_bytes([first[0], first[1]]);
        match first[0] & 0x0f == 8 && header.is_multiple_of(31) {
            true => Self::Zlib(Box::new(ZlibDecoder::new(buffer))),
            false => Self::Deflate(Box::new(DeflateDecoder::new(buffer))),
        }
    }

    fn buffer_mut(&mut self) -> Option<&mut CappedBuffer> {
        Some(match self {
            Self::Identity(buffer) => buffer,
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Zlib(decoder) => decoder.get_mut(),
            Self::Deflate(decoder) => decoder.get_mut(),
            Self::Undecided(..) => return None,
        })
    }
}

/// A buffer that takes bytes up to its limit, and then fails.
struct CappedBuffer {
    bytes: Vec<u8>,
    limit: usize,
    /// Whether bytes were rejected.
    is_full: bool,
}

impl Write for CappedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.limit - self.bytes.len();
        if room == 0 && !bytes.is_empty() {
            self.is_full = true;
            return Err(io::ErrorKind::WriteZero.into());
        }
        let taken = room.min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
