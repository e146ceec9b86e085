//! Pages of a PDF as `file_read` returns them: their text, or pictures of them.
//!
//! The caller of the tool chooses the decoder and the process in which it runs.

use silcrow_event::{Content, ContentPart, Truncation};
use silcrow_media::{DrawnPages, FitLimits, ImageRegion, MediaDecoder, PageRange};
use silcrow_tool::{ToolError, ToolOutput};

use crate::messages;

/// Returns the text of pages of a PDF with this path.
pub(crate) fn read_pdf(
    decoder: &dyn MediaDecoder,
    pages: Option<PageRange>,
    path: &str,
    pdf: &[u8],
) -> Result<ToolOutput, ToolError> {
    check_size(path, pdf)?;
    let text = decoder.pdf_text(pdf, pages).map_err(|why| failure(path, &why))?;
    if let Some(why) = text.missing() {
        let seen = match decoder.draws_pdf() {
            true => "; \"pictures\": true shows its pages",
            false => "",
        };
        return Err(failure(path, &format!("{why}{seen}")));
    }
    let shown = text.shown(MAX_BYTES);
    let cut = shown.is_cut.then(Truncation::default);
    let output = ToolOutput::new(shown.summary, shown.text).with_truncation(cut);
    Ok(shown.notices.into_iter().fold(output, ToolOutput::with_notice))
}

/// Returns pages of a PDF with this path as pictures.
pub(crate) fn draw_pdf(
    decoder: &dyn MediaDecoder,
    pages: Option<PageRange>,
    region: Option<ImageRegion>,
    path: &str,
    pdf: &[u8],
) -> Result<ToolOutput, ToolError> {
    check_size(path, pdf)?;
    let drawn = DrawnPages::draw(decoder, pdf, file_name(path), pages, region);
    let drawn = drawn.map_err(|why| failure(path, &why))?;
    let parts = drawn.pictures.into_iter().map(|page| ContentPart::Media(Box::new(page)));
    let cut = (!drawn.notices.is_empty()).then(Truncation::default);
    let output = ToolOutput::new(drawn.summary, parts.collect::<Content>()).with_truncation(cut);
    Ok(drawn.notices.into_iter().fold(output, ToolOutput::with_notice))
}

/// Returns the name of a file in a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn check_size(path: &str, pdf: &[u8]) -> Result<(), ToolError> {
    let most = FitLimits::default().read_bytes;
    if pdf.len() > most {
        return Err(failure(path, &format!("it has more than {} MiB", most >> 20)));
    }
    Ok(())
}

fn failure(path: &str, why: &str) -> ToolError {
    ToolError::new(format!("{} is a PDF, and {why}", messages::quoted(path)))
}

/// The number of bytes of text that are returned at most.
const MAX_BYTES: usize = 30 << 10;
