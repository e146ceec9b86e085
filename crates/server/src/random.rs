//! Random bytes of the system, for names and tokens that cannot be guessed.

use std::io;

use crate::error::{Error, ErrorKind};

/// Returns random bytes.
///
/// # Errors
///
/// Returns an error if the system has none.
pub(crate) fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

/// Returns a random name of 16 characters.
///
/// # Errors
///
/// Returns an error if the system has no random bytes.
pub(crate) fn random_name() -> Result<String, Error> {
    let bytes = random_bytes::<8>();
    let bytes = bytes.map_err(|error| {
        Error::new(ErrorKind::Failed, format!("cannot get random bytes from the system: {error}"))
    })?;
    Ok(hex(&bytes))
}

/// Writes bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Reads bytes in hexadecimal digits.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let byte = |at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}
