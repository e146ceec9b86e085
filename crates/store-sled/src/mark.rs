//! The mark: how many groups of changes an old store has at least.
//!
//! If the end of its data file is damaged, sled opens what is before the damage and says nothing.
//! Then there are fewer groups than the mark says. It was written after a group was synced and was
//! never synced itself, so it may be too low, and a torn mark counts as none.

use std::io::{self, Read as _};
use std::path::Path;

use silcrow_store::Error;

use crate::fault::failed;
use crate::trust::open_options;

/// Returns the number in the mark of the store in `dir`, or 0 without a mark.
pub(crate) fn groups(dir: &Path) -> Result<u64, Error> {
    let path = dir.join("MARK");
    let mut text = Vec::new();
    let read = open_options()
        .read(true)
        .open(&path)
        .and_then(|file| file.take(MAX_LENGTH).read_to_end(&mut text));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(failed("reading", &path, error)),
        Ok(_) => Ok(parse(&text).unwrap_or(0)),
    }
}

/// Reads 20 digits, a space, their CRC-32C in hexadecimal digits, and a line feed.
fn parse(text: &[u8]) -> Option<u64> {
    let (digits, sum) = str::from_utf8(text).ok()?.split_once(' ')?;
    (format!("{:08x}\n", crc32c::crc32c(digits.as_bytes())) == sum).then_some(())?;
    digits.parse().ok()
}

/// The greatest length of a mark, in bytes.
const MAX_LENGTH: u64 = 64;
