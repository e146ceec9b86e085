//! A page of a PDF as a picture. `draw_pdf` draws it, and a `MediaDecoder` decides in which
//! process.

use silcrow_event::MediaRef;

/// A page of a PDF, drawn.
///
/// ```
/// # #[cfg(feature = "pdf-pages")] {
/// use silcrow_media::{DirectDecoder, FitLimits, MediaDecoder as _};
///
/// let pdf = silcrow_testkit::pdf(&["First page", "Second page"]);
/// let page = DirectDecoder.pdf_page(&pdf, 2, None, &FitLimits::default()).unwrap();
/// assert_eq!(page.page_count, 2);
/// assert_eq!(page.picture.line(), "[image: PNG, 1357 × 1920: page 2 of 2]");
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a decoder gives all of it")]
pub struct PdfPage {
    /// The number of pages of the whole document.
    pub page_count: u32,
    /// The page, without a name; its description has the number of the page.
    pub picture: MediaRef,
}
