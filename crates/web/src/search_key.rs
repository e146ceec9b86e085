//! The key of a search engine.
//!
//! This module keeps the key of any engine out of every output.

use std::fmt;

use reqwest::header::HeaderValue;

use crate::error::{Error, ErrorKind};

/// The key of a search engine, which no output shows: it has no `Display`, and its `Debug` leaves
/// out the value.
///
/// ```
/// use silcrow_web::SearchKey;
///
/// let key = SearchKey::new("hunter2").unwrap();
/// assert_eq!(format!("{key:?}"), "SearchKey(..)");
/// ```
#[derive(Clone)]
pub struct SearchKey(HeaderValue);

impl SearchKey {
    /// Creates a key.
    ///
    /// # Errors
    ///
    /// Returns an error if the key is empty or has characters that no header may have.
    pub fn new(value: impl AsRef<str>) -> Result<Self, Error> {
        let value = value.as_ref().trim();
        let header = HeaderValue::from_str(value).ok().filter(|header| !header.is_empty());
        let mut header = header.ok_or_else(|| {
            let message = "the key is empty or has a character in it that no key has";
            Error::new(ErrorKind::Invalid, message)
        })?;
        header.set_sensitive(true);
        Ok(Self(header))
    }

    /// Returns the value of the header that carries the key.
    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for SearchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SearchKey(..)")
    }
}
