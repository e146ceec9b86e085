//! The text of a document, for models that do not read documents.

use silcrow_event::MediaRef;

use crate::media_decoder::MediaDecoder;
use crate::media_format::MediaFormat;
use crate::pdf_text::PageRange;

/// The text of the first pages of a PDF.
///
/// ```
/// # #[cfg(feature = "pdf")] {
/// use silcrow_media::{DirectDecoder, DocumentText};
///
/// let pdf = silcrow_testkit::pdf(&["The total is 42."]);
/// let text = DocumentText::read(&DirectDecoder, &pdf).unwrap();
/// assert_eq!(text.text, "--- page 1 of 1 ---\nThe total is 42.\n");
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentText {
    /// The number of pages of the whole document.
    pub page_count: u32,
    /// The text of its first 20 pages, at most 128 KiB, and which pages these are if there are more.
    pub text: String,
}

impl DocumentText {
    /// Reads the text of the first pages. It blocks the thread.
    ///
    /// # Errors
    ///
    /// Returns the reason in one line, such as that the document is a scan.
    pub fn read(decoder: &dyn MediaDecoder, pdf: &[u8]) -> Result<Self, String> {
        let text = decoder.pdf_text(pdf, Some(PageRange { first: 1, last: PageRange::MOST }))?;
        if let Some(why) = text.missing() {
            return Err(match decoder.draws_pdf() {
                true => format!("{why}; \"pictures\": true of file_read shows its pages"),
                false => why,
            });
        }
        let shown = text.shown(MOST_TEXT);
        let end = if shown.is_cut { format!("[{}]\n", shown.summary) } else { String::new() };
        Ok(Self { page_count: text.page_count, text: shown.text + &end })
    }

    /// Returns a medium with its text, if it is a PDF that the decoder reads, or with the reason
    /// why it has none; any other medium is returned as it is. It blocks the thread.
    ///
    /// ```
    /// # #[cfg(feature = "pdf")] {
    /// use silcrow_media::{DirectDecoder, DocumentText, FitLimits, medium};
    ///
    /// let scan = silcrow_testkit::pdf(&[""]);
    /// let scan = medium(&scan, "scan.pdf", &FitLimits::default()).unwrap();
    /// let scan = DocumentText::added(scan, &DirectDecoder);
    /// assert!(scan.text.starts_with("[no text: there is no text in the page that was read"));
    /// # }
    /// ```
    pub fn added(medium: MediaRef, decoder: &dyn MediaDecoder) -> MediaRef {
        if medium.mime != MediaFormat::Pdf.mime() || !decoder.reads_pdf() {
            return medium;
        }
        let text = Self::read(decoder, medium.data().unwrap_or_default());
        let text = text.map_or_else(|why| Self::missing(&why), |text| text.text);
        medium.with_text(text)
    }

    /// Returns the text for a model in place of the document's, by the reason that
    /// [`read`](Self::read) failed.
    pub fn missing(why: &str) -> String {
        format!("[no text: {why}]")
    }
}

/// The number of bytes of the text of a document.
const MOST_TEXT: usize = 128 << 10;
