//! Decoders of untrusted files.

use std::fmt;

use silcrow_event::MediaRef;

use crate::error::Error;
use crate::fit_limits::FitLimits;
use crate::image_region::ImageRegion;
use crate::medium::{medium, region_medium};
use crate::pdf_page::PdfPage;
use crate::pdf_text::{PageRange, PdfText};

/// Decodes pictures and documents.
///
/// A file from a stranger can take any time and memory, and may exploit a bug of its decoder. A
/// program therefore decodes it where the work can be stopped and nothing else is within reach,
/// such as in a confined process.
///
/// ```
/// use silcrow_event::MediaRef;
/// use silcrow_media::{
///     DirectDecoder, Error, FitLimits, ImageRegion, MediaDecoder, PageRange, PdfPage, PdfText,
/// };
///
/// /// Decodes pictures, and no documents.
/// #[derive(Debug)]
/// struct PicturesOnly;
///
/// impl MediaDecoder for PicturesOnly {
///     fn medium(&self, bytes: &[u8], name: &str, limits: &FitLimits) -> Result<MediaRef, Error> {
///         DirectDecoder.medium(bytes, name, limits)
///     }
/// #   fn region(
/// #       &self,
/// #       bytes: &[u8],
/// #       name: &str,
/// #       region: ImageRegion,
/// #       limits: &FitLimits,
/// #   ) -> Result<MediaRef, Error> {
/// #       DirectDecoder.region(bytes, name, region, limits)
/// #   }
///     // `region` passes on its arguments, too.
///
///     fn reads_pdf(&self) -> bool {
///         false
///     }
///
///     fn pdf_text(&self, _: &[u8], _: Option<PageRange>) -> Result<PdfText, String> {
///         Err("this program reads no PDFs".to_owned())
///     }
/// #   fn draws_pdf(&self) -> bool {
/// #       false
/// #   }
/// #   fn pdf_page(
/// #       &self,
/// #       _: &[u8],
/// #       _: u32,
/// #       _: Option<ImageRegion>,
/// #       _: &FitLimits,
/// #   ) -> Result<PdfPage, String> {
/// #       Err("this program draws no PDFs".to_owned())
/// #   }
///     // Pages are not drawn, either.
/// }
///
/// let decoder: &dyn MediaDecoder = &PicturesOnly;
/// assert!(decoder.pdf_text(b"%PDF-1.7", None).is_err());
/// ```
pub trait MediaDecoder: fmt::Debug + Send + Sync {
    /// Makes a file a medium that a message or a result may have, as [`medium`] does. It blocks the thread.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`medium`].
    fn medium(&self, bytes: &[u8], name: &str, limits: &FitLimits) -> Result<MediaRef, Error>;

    /// Cuts a region out of a picture, as [`region_medium`] does. It blocks the thread.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`region_medium`].
    fn region(
        &self,
        bytes: &[u8],
        name: &str,
        region: ImageRegion,
        limits: &FitLimits,
    ) -> Result<MediaRef, Error>;

    /// Returns whether it reads the text of PDFs.
    fn reads_pdf(&self) -> bool;

    /// Returns the text of pages of a PDF, or of the first pages if `pages` is `None`. This blocks
    /// the thread.
    ///
    /// # Errors
    ///
    /// Returns the reason in one line, for a person and a model, without the name of the file.
    fn pdf_text(&self, pdf: &[u8], pages: Option<PageRange>) -> Result<PdfText, String>;

    /// Returns whether it draws pages of PDFs.
    fn draws_pdf(&self) -> bool;

    /// Draws a page of a PDF, which counts from 1, as large as the limits allow. A region is in pixels of the
    /// whole page drawn so, and is drawn larger. It blocks the thread.
    ///
    /// # Errors
    ///
    /// As [`pdf_text`](Self::pdf_text).
    fn pdf_page(
        &self,
        pdf: &[u8],
        page: u32,
        region: Option<ImageRegion>,
        limits: &FitLimits,
    ) -> Result<PdfPage, String>;
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

    fn region(
        &self,
        bytes: &[u8],
        name: &str,
        region: ImageRegion,
        limits: &FitLimits,
    ) -> Result<MediaRef, Error> {
        region_medium(bytes, name, region, limits)
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
    fn draws_pdf(&self) -> bool {
        cfg!(feature = "pdf-pages")
    }

    #[cfg(feature = "pdf-pages")]
    fn pdf_page(
        &self,
        pdf: &[u8],
        page: u32,
        region: Option<ImageRegion>,
        limits: &FitLimits,
    ) -> Result<PdfPage, String> {
        crate::draw_pdf::draw_page(pdf, page, region, limits)
    }

    #[cfg(not(feature = "pdf-pages"))]
    fn pdf_page(
        &self,
        _: &[u8],
        _: u32,
        _: Option<ImageRegion>,
        _: &FitLimits,
    ) -> Result<PdfPage, String> {
        Err("this program was built without what draws PDFs".to_owned())
    }
}
