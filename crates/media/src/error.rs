//! The reasons why a picture is refused.

use std::error::Error as StdError;
use std::fmt;

/// The reason why a picture cannot be made to fit.
///
/// ```
/// # #[cfg(feature = "decode")] {
/// use silcrow_media::{ErrorKind, FitLimits, fit};
///
/// let error = fit(b"II*\0 a TIFF", &FitLimits::default()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unsupported);
/// assert!(error.to_string().contains("magick"));
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The kind of an [`Error`]. Another try with the same bytes ends in the same way.
///
/// ```
/// use silcrow_media::{ErrorKind, FitLimits, medium};
///
/// let error = medium(b"a text", "a.png", &FitLimits::default()).unwrap_err();
/// match error.kind() {
///     ErrorKind::NotAnImage => assert_eq!(error.kind().as_str(), "not_an_image"),
///     kind => unreachable!("{kind}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are not a picture.
    NotAnImage,
    /// They are a picture of a type that models do not read. The message names a command that converts it.
    Unsupported,
    /// The picture has too many bytes or pixels.
    TooLarge,
    /// A side has fewer pixels than a model can see.
    TooSmall,
    /// The region is outside the picture.
    OutsideImage,
    /// The picture is cut or damaged.
    Damaged,
}

impl Error {
    /// Creates an error with the reason in one line.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl ErrorKind {
    /// Lists every kind.
    pub const ALL: [Self; 6] = [
        Self::NotAnImage,
        Self::Unsupported,
        Self::TooLarge,
        Self::TooSmall,
        Self::OutsideImage,
        Self::Damaged,
    ];

    /// Returns the code of the kind, which programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotAnImage => "not_an_image",
            Self::Unsupported => "unsupported",
            Self::TooLarge => "too_large",
            Self::TooSmall => "too_small",
            Self::OutsideImage => "outside_image",
            Self::Damaged => "damaged",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {}
