//! Names and positions as the database keeps them: names as bytes, positions as signed numbers.

use silcrow_store::{Error, ErrorKind};

/// Returns a position as the database counts. No log is so long that two become one.
pub(crate) fn position(position: u64) -> i64 {
    i64::try_from(position).unwrap_or(i64::MAX)
}

/// Returns the text of a name.
pub(crate) fn text(bytes: &[u8]) -> Result<String, Error> {
    String::from_utf8(bytes.to_vec())
        .map_err(|error| Error::new(ErrorKind::Damaged, "a name is not UTF-8").with_source(error))
}

/// Returns a text that a search reads, without the character that the database does not keep.
pub(crate) fn without_nul(text: String) -> String {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}"),
        false => text,
    }
}

/// Checks the length of an event or a value.
pub(crate) fn limit(what: &str, length: usize) -> Result<(), Error> {
    if length <= MOST {
        return Ok(());
    }
    let why = format!("the {what} is {length} bytes long; at most {MOST} are kept");
    Err(Error::new(ErrorKind::Refused, why))
}

/// The length of the longest event or value, in bytes.
const MOST: usize = 64 * 1024 * 1024;
