//! The records that are the values of the trees: a content, and a checksum that shows
//! damage.
//!
//! ```text
//! [version 1] [form] [length of the content, 4 bytes] [CRC-32C, 4 bytes] [the content, if whole]
//! ```
//!
//! The checksum covers the key, the head before the checksum, and the content, so a record under
//! another key is noticed, too. A long content is in pieces in the tree `part`.
//!
//! The record of an event follows its [link](crate::link), and the record of a value follows its
//! version, 8 bytes. The key that such a record is sealed with has the same at its end.

/// Returns the content of the record `value` under `key`; `piece` returns the pieces by number.
pub(crate) fn open(
    key: &[u8],
    value: &[u8],
    mut piece: impl FnMut(u32) -> sled::Result<Option<sled::IVec>>,
) -> Result<Vec<u8>, SledFlaw> {
    let Some((&[version, form, l0, l1, l2, l3, c0, c1, c2, c3], inline)) =
        value.split_first_chunk()
    else {
        return Err(SledFlaw::Damage("it is too short"));
    };
    if version != VERSION {
        return Err(SledFlaw::Damage("its version is unknown"));
    }
    let length = u32::from_be_bytes([l0, l1, l2, l3]);
    let content = match form {
        WHOLE => inline.to_vec(),
        PIECES => {
            let mut content = Vec::new();
            for number in 0..length.div_ceil(PIECE) {
                let piece = piece(number)?.ok_or(SledFlaw::Damage("a piece of it is missing"))?;
                content.extend_from_slice(&piece);
            }
            content
        }
        _ => return Err(SledFlaw::Damage("its form is unknown")),
    };
    if content.len() as u64 != u64::from(length) {
        return Err(SledFlaw::Damage("its length is wrong"));
    }
    let covered = [version, form, l0, l1, l2, l3];
    let sum = [key, &covered, &content[..]].into_iter().fold(0, crc32c::crc32c_append);
    if sum != u32::from_be_bytes([c0, c1, c2, c3]) {
        return Err(SledFlaw::Damage("its checksum is wrong"));
    }
    Ok(content)
}

/// The reason why something cannot be read.
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

/// The version of this layout.
const VERSION: u8 = 1;

const WHOLE: u8 = 0;
const PIECES: u8 = 1;

/// The length of every piece except the last, in bytes.
const PIECE: u32 = 4 << 10;
