//! Where files of strangers are decoded.

use std::fmt;

use silcrow_event::MediaRef;

use crate::error::Error;
use crate::fit_limits::FitLimits;
use crate::medium::medium;
use crate::pdf_text::{PageRange, PdfText};

/// Decodes pictures and documents.
///
/// A file of a stranger can take any time and memory, and may know a fault of its decoder. A program
/// therefore decodes it where it can stop that and where nothing else is within reach, such as in a
/// confined process.
pub trait MediaDecoder: fmt::Debug + Send + Sync {
    /// Makes a file a medium that a message or a result may have, as [`medium`] does. It blocks the thread.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`medium`].
    fn medium(&self, bytes: &[u8], name: &str, limits: &FitLimits) -> Result<MediaRef, Error>;

    /// Returns whether it reads the text of PDFs.
    fn reads_pdf(&self) -> bool;

    /// Returns the text of pages of a PDF, of the first ones where `pages` is `None`. It blocks the
    /// thread.
    ///
    /// # Errors
    ///
    /// Returns the reason in one line, for a person and a model, without the name of the file.
    fn pdf_text(&self, pdf: &[u8], pages: Option<PageRange>) -> Result<PdfText, String>;
}

/// Decodes in this process, without a limit of time and memory. On some damaged PDFs it panics.
///
/// ```
/// use silcrow_media::{DirectDecoder, FitLimits, MediaDecoder as _};
///
/// let medium = DirectDecoder.medium(b"ID3 a song", "a.mp3", &FitLimits::default()).unwrap();
/// assert_eq!(medium.mime, "audio/mpeg");
/// if DirectDecoder.reads_pdf() {
///     let why = DirectDecoder.pdf_text(b"%PDF-1.7 and nothing more", None).unwrap_err();
///     assert!(why.starts_with("it is damaged"), "{why}");
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct DirectDecoder;

impl MediaDecoder for DirectDecoder {
    fn medium(&self, bytes: &[u8], name: &str, limits: &FitLimits) -> Result<MediaRef, Error> {
        medium(bytes, name, limits)
    }

    fn reads_pdf(&self) -> bool {
        cfg!(feature = "pdf")
    }

    #[cfg(feature = "pdf")]
    fn pdf_text(&self, pdf: &[u8], pages: Option<PageRange>) -> Result<PdfText, String> {
        crate::read_pdf::read_pdf(pdf, pages)
    }

    #[cfg(not(feature = "pdf"))]
    fn pdf_text(&self, _: &[u8], _: Option<PageRange>) -> Result<PdfText, String> {
        Err("this program was built without a reader of PDFs".to_owned())
    }
}
