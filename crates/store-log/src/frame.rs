//! The frame: the bytes of one record, and how damage to them is noticed.
//!
//! This module handles bytes, without files or the meaning of records.
//!
//! ```text
//! offset  bytes
//!      0      4  length of the body, little-endian as all numbers
//!      4      2  length of the name
//!      6      1  kind
//!      7      1  flags
//!      8      8  number
//!     16      4  CRC-32C of the segment's key, the frame's offset, bytes 0 to 16 and the name
//!     20      4  CRC-32C of the body, which continues that of the header
//!     24      …  name
//!      …      …  body
//! ```
//!
//! A name is short and the header has a separate checksum, so after damage to a body, which is most
//! of a frame, it is still known what was damaged and where the next frame begins. One flipped bit
//! of a header is corrected: deleted or replaced data must not come back. The key of a segment is
//! random, and no part of it is in a frame: bytes from elsewhere, such as a stored value, cannot
//! pass for a frame, and neither can a frame from another place.

use std::ops::Range;

/// The random bytes in the name of a segment, which its frames are checked with.
pub(crate) type SegmentKey = [u8; 8];

/// A record in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    pub(crate) header: Header<'a>,
    pub(crate) body: &'a [u8],
}

/// A frame's data about its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header<'a> {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) number: u64,
    pub(crate) name: &'a [u8],
}

/// Why no frame can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flaw<'a> {
    /// There are only zeros in the place of a header: nothing was written.
    Blank,
    /// The header is not as it was written.
    Header,
    /// The body is not as it was written, but its header is. The frame has this length.
    Body(Header<'a>, usize),
}

impl<'a> Frame<'a> {
    /// Appends the bytes of the frame, whose offset in the segment will be `at`.
    ///
    /// # Panics
    ///
    /// Panics if the name is longer than 64 KiB, or the body is longer than 4 GiB.
    pub(crate) fn write(&self, key: SegmentKey, at: u64, to: &mut Vec<u8>) {
        let Header { kind, flags, number, name } = self.header;
        let start = to.len();
        to.extend(u32::try_from(self.body.len()).expect("a body has a limit").to_le_bytes());
        to.extend(u16::try_from(name.len()).expect("a name has a limit").to_le_bytes());
        to.extend([kind, flags]);
        to.extend(number.to_le_bytes());
        let header = header_checksum(key, at, &to[start..], name).to_le_bytes();
        to.extend(header);
        to.extend(body_checksum(header, self.body).to_le_bytes());
        to.extend_from_slice(name);
        to.extend_from_slice(self.body);
    }

    /// Reads the frame at the beginning of `bytes`, whose offset in the segment is `at`.
    pub(crate) fn read(key: SegmentKey, at: u64, bytes: &'a [u8]) -> Result<Self, Flaw<'a>> {
        let Some((header, length, body)) = read_header(key, at, bytes) else {
            let blank = bytes.iter().take(HEADER).all(|&byte| byte == 0);
            return Err(if blank { Flaw::Blank } else { Flaw::Header });
        };
        let sum = [bytes[16], bytes[17], bytes[18], bytes[19]];
        let Some(body) = bytes.get(body) else { return Err(Flaw::Body(header, length)) };
        // Of an empty body only the checksum can be damaged.
        if !body.is_empty() && body_checksum(sum, body).to_le_bytes() != bytes[20..HEADER] {
            return Err(Flaw::Body(header, length));
        }
        Ok(Self { header, body })
    }

    /// Returns the number of bytes that the frame takes.
    pub(crate) const fn len(&self) -> usize {
        HEADER + self.header.name.len() + self.body.len()
    }
}

/// Returns the index of the first intact header in `bytes`, from the index `from` on. The offset of
/// `bytes` in the segment is `base`.
pub(crate) fn find(key: SegmentKey, base: u64, bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len().saturating_sub(HEADER - 1)).find(|&at| {
        // The kind is compared first, so that a long search computes few checksums.
        bytes[at + 6].wrapping_sub(1) < KINDS
            && read_header(key, base + at as u64, &bytes[at..]).is_some()
    })
}

/// Corrects the header at the beginning of `bytes` if one bit of it was flipped. Returns whether it
/// is intact now. For so few bits, no other flip of one to four bits has the same checksum.
pub(crate) fn correct(key: SegmentKey, at: u64, bytes: &mut [u8]) -> bool {
    if read_header(key, at, bytes).is_some() {
        return true;
    }
    let bits = bytes.len().min(HEADER + MAX_NAME) * 8;
    (0..bits).any(|bit| {
        let flipped = 1 << (bit % 8);
        bytes[bit / 8] ^= flipped;
        let is_intact = read_header(key, at, bytes).is_some();
        if !is_intact {
            bytes[bit / 8] ^= flipped;
        }
        is_intact
    })
}

/// Returns `bytes` with every header corrected that has one flipped bit.
pub(crate) fn correct_all(key: SegmentKey, base: u64, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_owned();
    let mut at = 0;
    while at < bytes.len() {
        let offset = base + at as u64;
        correct(key, offset, &mut bytes[at..]);
        let next = match read_header(key, offset, &bytes[at..]) {
            Some((_, length, _)) => Some(at + length),
            None => find(key, base, &bytes, at + 1),
        };
        let Some(next) = next else { break };
        at = next;
    }
    bytes
}

/// Returns an intact header, the length of its frame, and the place of the body.
fn read_header(
    key: SegmentKey,
    at: u64,
    bytes: &[u8],
) -> Option<(Header<'_>, usize, Range<usize>)> {
    let head = bytes.first_chunk::<HEADER>()?;
    let [l0, l1, l2, l3, n0, n1, kind, flags, number @ .., _, _, _, _, _, _, _, _] = *head;
    let name = usize::from(u16::from_le_bytes([n0, n1]));
    let body = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    if kind == 0 || name > MAX_NAME {
        return None;
    }
    let name = bytes.get(HEADER..HEADER + name)?;
    let sum = header_checksum(key, at, &head[..16], name);
    if sum.to_le_bytes() != head[16..20] {
        return None;
    }
    let header = Header { kind, flags, number: u64::from_le_bytes(number), name };
    let start = HEADER + name.len();
    Some((header, start + body, start..start + body))
}

fn header_checksum(key: SegmentKey, at: u64, head: &[u8], name: &[u8]) -> u32 {
    // One call for all of them: a call costs more than these few bytes.
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&key);
    bytes[8..16].copy_from_slice(&at.to_le_bytes());
    bytes[16..].copy_from_slice(head);
    crc32c::crc32c_append(crc32c::crc32c(&bytes), name)
}

fn body_checksum(header: [u8; 4], body: &[u8]) -> u32 {
    crc32c::crc32c_append(u32::from_le_bytes(header), body)
}

/// The length of a header without the name.
pub(crate) const HEADER: usize = 24;

/// The maximum length of a name: a space and a key, with the length of the space.
pub(crate) const MAX_NAME: usize = 2 * 256 + 2;

/// The number of kinds that this version writes; the first is 1.
const KINDS: u8 = 6;
