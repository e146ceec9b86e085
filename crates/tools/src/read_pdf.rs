//! The text of a PDF by page, as `file_read` returns it.
//!
//! What finds the text, and where that runs, the caller of the tool decides.

use silcrow_event::Truncation;
use silcrow_media::{FitLimits, MediaDecoder, PageRange};
use silcrow_tool::{ToolError, ToolOutput};

use crate::messages;

/// Returns the text of pages of a PDF with this path.
pub(crate) fn read_pdf(
    decoder: &dyn MediaDecoder,
    pages: Option<PageRange>,
    path: &str,
    pdf: &[u8],
) -> Result<ToolOutput, ToolError> {
    let name = messages::quoted(path);
    let failure = |why: &str| ToolError::new(format!("{name} is a PDF, and {why}"));
    let most = FitLimits::default().read_bytes;
    if pdf.len() > most {
        return Err(failure(&format!("it has more than {} MiB", most >> 20)));
    }
    let text = decoder.pdf_text(pdf, pages).map_err(|why| failure(&why))?;
    if let Some(why) = text.missing() {
        return Err(failure(&why));
    }
    let shown = text.shown(MAX_BYTES);
    let cut = shown.is_cut.then(Truncation::default);
    let output = ToolOutput::new(shown.summary, shown.text).with_truncation(cut);
    Ok(shown.notices.into_iter().fold(output, ToolOutput::with_notice))
}

/// The argument that chooses pages.
macro_rules! pages_schema {
    () => {
        concat!(
            r#","pages":{"type":"string","description":"pages of a PDF, such as 3 or 1-5, at most 20; "#,
            r#"if it is left out, all of at most 10, or the first 5"}"#,
        )
    };
}

pub(crate) use pages_schema;

/// The number of bytes of text that are returned at most.
const MAX_BYTES: usize = 30 << 10;
