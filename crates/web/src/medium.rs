//! Pictures and PDFs at an address, as the output of a call.

use silcrow_event::{Content, ContentPart, Truncation};
use silcrow_media::{DrawnPages, FitLimits, MediaClass, MediaDecoder, MediaFormat, PageRange};
use silcrow_tool::ToolOutput;

use crate::body::FetchedBody;
use crate::error::{Error, ErrorKind};
use crate::media_type::{MediaKind, MediaType};
use crate::web_url::WebUrl;

/// The pages of a document that a call wants.
#[derive(Clone, Copy)]
pub(crate) struct WantedPages {
    /// The range, or `None` for the first pages.
    pub(crate) pages: Option<PageRange>,
    /// Whether they are wanted as pictures, and not as text.
    pub(crate) are_drawn: bool,
}

/// Returns a picture, or pages of a PDF, as the output of a call, or `None` for any other body. Its
/// first bytes decide what it is, and not the server, except that a page is never a medium. This
/// blocks the thread.
///
/// # Errors
///
/// Returns an error for a picture that no model takes, and for a PDF without text, with the reason.
pub(crate) fn medium_output(
    body: &FetchedBody,
    media_type: &MediaType,
    url: &WebUrl,
    decoder: &dyn MediaDecoder,
    wanted: WantedPages,
) -> Result<Option<ToolOutput>, Error> {
    if matches!(media_type.kind(), MediaKind::Html | MediaKind::Json) {
        return Ok(None);
    }
    let is_read = |format: &MediaFormat| match format.class() {
        MediaClass::Image => true,
        MediaClass::Document => decoder.reads_pdf(),
        MediaClass::Sound => false,
    };
    let Some(format) = MediaFormat::detect(&body.bytes).filter(is_read) else { return Ok(None) };
    let refused =
        |why: String| Error::new(ErrorKind::Answer, format!("it is a file in {format}, and {why}"));
    if let Some(gap) = &body.gap {
        return Err(refused(gap.to_string()));
    }
    if format.class() == MediaClass::Document {
        let WantedPages { pages, are_drawn } = wanted;
        if are_drawn {
            let drawn = DrawnPages::draw(decoder, &body.bytes, url.file_name(), pages, None);
            return drawn.map(drawn_output).map(Some).map_err(refused);
        }
        let text = decoder.pdf_text(&body.bytes, pages).map_err(refused)?;
        if let Some(why) = text.missing() {
            let seen = match decoder.draws_pdf() {
                true => "; \"pictures\": true shows its pages",
                false => "",
            };
            return Err(refused(format!("{why}{seen}")));
        }
        let shown = text.shown(MAX_BYTES);
        let cut = shown.is_cut.then(Truncation::default);
        let output = ToolOutput::new(shown.summary, shown.text).with_truncation(cut);
        return Ok(Some(shown.notices.into_iter().fold(output, ToolOutput::with_notice)));
    }
    let medium = decoder.medium(&body.bytes, url.file_name(), &FitLimits::default());
    let medium = medium.map_err(|error| refused(format!("it cannot be shown: {error}")))?;
    let (width, height) = medium.original.or(medium.size).unwrap_or_default();
    let content = Content::from(ContentPart::Media(Box::new(medium)));
    Ok(Some(ToolOutput::new(format!("picture in {format}, {width} × {height}"), content)))
}

fn drawn_output(drawn: DrawnPages) -> ToolOutput {
    let parts = drawn.pictures.into_iter().map(|page| ContentPart::Media(Box::new(page)));
    let cut = (!drawn.notices.is_empty()).then(Truncation::default);
    let output = ToolOutput::new(drawn.summary, parts.collect::<Content>()).with_truncation(cut);
    drawn.notices.into_iter().fold(output, ToolOutput::with_notice)
}

/// The number of bytes of text that a call returns at most.
const MAX_BYTES: usize = 64 << 10;
