//! What a value in a tree looks like: content, and what it takes to notice damage.
//!
//! ```text
//! [version 1] [form] [length of the content, 4 bytes] [CRC-32C, 4 bytes] [the content, if whole]
//! ```
//!
//! The checksum is of the key, the head before it and the content, so a record that strays to
//! another key is noticed too. Content beyond [`PIECE`] is in pieces in the tree `part`.
//!
//! Before the record of an event stands its [link](crate::link), before that of a value its version,
//! 8 bytes; the key that such a record is sealed with has the same at its end.

use crate::crc::crc32c;

/// The most bytes that a value in a tree holds, its head included.
///
/// sled splits a leaf by its number of items (16, a few more after a merge) and not by their size,
/// and writes a leaf of more than 128 KiB to a file of its own that it never syncs. A leaf of such
/// values with the longest keys stays below that.
pub(crate) const PIECE: usize = 4 << 10;

/// A record ready to be put under its key, and the pieces that go with it.
#[derive(Debug)]
pub(crate) struct Sealed<'a> {
    pub(crate) value: Vec<u8>,
    pub(crate) pieces: std::slice::Chunks<'a, u8>,
}

/// The record of `content` under `key`.
///
/// # Panics
///
/// Where the content is 4 GiB or longer.
pub(crate) fn seal<'a>(key: &[u8], content: &'a [u8]) -> Sealed<'a> {
    let length = u32::try_from(content.len()).expect("no content is longer than its limit");
    let whole = is_whole(content.len());
    let mut value = Vec::with_capacity(HEAD + if whole { content.len() } else { 0 });
    value.extend([VERSION, if whole { WHOLE } else { PIECES }]);
    value.extend(length.to_be_bytes());
    value.extend(crc32c(&[key, &value, content]).to_be_bytes());
    let (inline, pieces) = if whole { (content, &content[..0]) } else { (&content[..0], content) };
    value.extend(inline);
    Sealed { value, pieces: pieces.chunks(PIECE) }
}

/// The content of the record `value` under `key`; `piece` gives the pieces by number.
pub(crate) fn open(
    key: &[u8],
    value: &[u8],
    mut piece: impl FnMut(u32) -> sled::Result<Option<sled::IVec>>,
) -> Result<Vec<u8>, SledFlaw> {
    let (head, inline) = head(value)?;
    let content = if head.form == WHOLE {
        inline.to_vec()
    } else {
        let mut content = Vec::new();
        for number in 0..head.length.div_ceil(PIECE as u32) {
            let piece = piece(number)?.ok_or(SledFlaw::Damage("a piece of it is missing"))?;
            content.extend_from_slice(&piece);
        }
        content
    };
    if content.len() != head.length as usize {
        return Err(SledFlaw::Damage("its length is wrong"));
    }
    let (covered, _) = value.split_at(HEAD - size_of::<u32>());
    if crc32c(&[key, covered, &content]) != head.crc {
        return Err(SledFlaw::Damage("its checksum is wrong"));
    }
    Ok(content)
}

/// How many pieces belong to content of that length.
pub(crate) fn pieces(length: usize) -> u32 {
    if is_whole(length) { 0 } else { u32::try_from(length.div_ceil(PIECE)).unwrap_or(u32::MAX) }
}

/// Why a record cannot be read.
#[derive(Debug)]
pub(crate) enum SledFlaw {
    /// It is not what was written, in words.
    Damage(&'static str),
    /// sled could not read it.
    Sled(sled::Error),
}

impl From<sled::Error> for SledFlaw {
    fn from(error: sled::Error) -> Self {
        Self::Sled(error)
    }
}

struct Head {
    form: u8,
    length: u32,
    crc: u32,
}

fn head(value: &[u8]) -> Result<(Head, &[u8]), SledFlaw> {
    let Some((&[version, form, l0, l1, l2, l3, c0, c1, c2, c3], inline)) =
        value.split_first_chunk::<HEAD>()
    else {
        return Err(SledFlaw::Damage("it is too short"));
    };
    if version != VERSION {
        return Err(SledFlaw::Damage("its version is unknown"));
    }
    if form > PIECES {
        return Err(SledFlaw::Damage("its form is unknown"));
    }
    let length = u32::from_be_bytes([l0, l1, l2, l3]);
    Ok((Head { form, length, crc: u32::from_be_bytes([c0, c1, c2, c3]) }, inline))
}

const fn is_whole(length: usize) -> bool {
    length <= PIECE - HEAD
}

/// Of this layout; another one gets another number.
const VERSION: u8 = 1;
const WHOLE: u8 = 0;
const PIECES: u8 = 1;
/// In bytes.
const HEAD: usize = 10;
