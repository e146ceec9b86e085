//! Paths as records write them.
//!
//! A path that is not UTF-8 is written as a NUL, which no path has, and its bytes in hexadecimal
//! digits. This module opens no files.

use std::path::{Path, PathBuf};

use crate::system::path_of_bytes;

/// Returns a path as a record writes it.
pub(crate) fn written(path: &Path) -> String {
    match path.to_str() {
        Some(path) => path.to_owned(),
        None => {
            let bytes = path.as_os_str().as_encoded_bytes().iter();
            bytes.fold(MARK.to_owned(), |hex, byte| hex + &format!("{byte:02x}"))
        }
    }
}

/// Returns the path that a record writes so.
pub(crate) fn path(written: &str) -> PathBuf {
    let Some(hex) = written.strip_prefix(MARK) else { return written.into() };
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or_default();
    let byte = |pair: &[u8]| pair.iter().fold(0, |byte, one| byte * 16 + digit(*one)) as u8;
    let bytes: Vec<u8> = hex.as_bytes().chunks(2).map(byte).collect();
    path_of_bytes(&bytes).into()
}

/// Returns a written path as a person reads it.
pub(crate) fn shown(written: &str) -> String {
    match written.starts_with(MARK) {
        true => path(written).to_string_lossy().into_owned(),
        false => written.to_owned(),
    }
}

const MARK: &str = "\0";

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn every_path_is_written_and_read() {
        for bytes in [&b"a/b"[..], b"\xff", b"a\xf0/\x01", "ä".as_bytes(), b""] {
            let it = Path::new(OsStr::from_bytes(bytes));
            assert_eq!(path(&written(it)), it);
        }
        assert_eq!(shown(&written(Path::new(OsStr::from_bytes(b"a\xff")))), "a\u{fffd}");
    }
}
