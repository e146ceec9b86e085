//! Pictures and the text of PDFs that `file_read` returns, and sounds that it does not.

use std::io::Read as _;
use std::sync::Arc;

use silcrow_event::{Content, ContentPart, MediaRef};
use silcrow_media::{FitLimits, MediaClass, MediaDecoder, MediaFormat, PageRange};
use silcrow_tool::{ToolError, ToolOutput};

use crate::kept_media::KeptMedia;
use crate::messages;
use crate::read_pdf::read_pdf;
use crate::resolve::ResolvedPath;
use crate::root::Root;

/// What decodes files, and which pages of a document a call wants.
pub(crate) struct MediaReading {
    decoder: Arc<dyn MediaDecoder>,
    pages: Option<PageRange>,
}

impl MediaReading {
    /// Reads the argument `pages`.
    pub(crate) fn new(
        decoder: Arc<dyn MediaDecoder>,
        pages: Option<&str>,
    ) -> Result<Self, ToolError> {
        let pages = pages.map(str::parse).transpose();
        let pages = pages.map_err(|why: String| ToolError::new(format!("`pages`: {why}")))?;
        Ok(Self { decoder, pages })
    }
}

/// Returns a picture, or the text of a PDF, as the output of a call, or `None` for any other file.
///
/// # Errors
///
/// Returns a failure for a picture that no model takes, and for a PDF that cannot be read, with the reason.
pub(crate) fn read_media(
    root: &Root,
    path: &str,
    place: &ResolvedPath,
    reading: &MediaReading,
) -> Result<Option<ToolOutput>, ToolError> {
    let failure = |error| root.failure(path, error);
    let (file, metadata) = place.open().map_err(failure)?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let limits = FitLimits::default();
    let mut bytes = Vec::new();
    (&file).take(SNIFFED).read_to_end(&mut bytes).map_err(failure)?;
    let is_read = |format: &MediaFormat| match format.class() {
        MediaClass::Image => true,
        MediaClass::Document => reading.decoder.reads_pdf(),
        MediaClass::Sound => false,
    };
    let Some(format) = MediaFormat::detect(&bytes).filter(is_read) else { return Ok(None) };
    let most = limits.read_bytes as u64 + 1;
    (&file).take(most - bytes.len() as u64).read_to_end(&mut bytes).map_err(failure)?;
    if format.class() == MediaClass::Document {
        return read_pdf(&*reading.decoder, reading.pages, path, &bytes).map(Some);
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let medium = reading.decoder.medium(&bytes, name, &limits).map_err(|why| {
        let path = messages::quoted(path);
        ToolError::new(format!("{path} is a picture in {format} that cannot be shown: {why}"))
    })?;
    let (width, height) = medium.original.or(medium.size).unwrap_or_default();
    let summary = format!("picture in {format}, {width} × {height}");
    Ok(Some(ToolOutput::new(summary, content(medium))))
}

/// Returns a medium of the conversation again: a picture, or pages of a document.
pub(crate) async fn read_kept(
    kept: &dyn KeptMedia,
    conversation: &str,
    number: u32,
    reading: &MediaReading,
) -> Result<ToolOutput, ToolError> {
    let medium = kept.get(conversation, number).await?.ok_or_else(|| {
        ToolError::new(format!(
            "this conversation has no image or document {number}, or it is lost"
        ))
    })?;
    if medium.mime == MediaFormat::Pdf.mime() && reading.decoder.reads_pdf() {
        let (decoder, pages) = (Arc::clone(&reading.decoder), reading.pages);
        let read =
            move || read_pdf(&*decoder, pages, &medium.name, medium.data().unwrap_or_default());
        return match tokio::task::spawn_blocking(read).await {
            Ok(read) => read,
            Err(_) => Err(ToolError::new("the program is shutting down")),
        };
    }
    Ok(ToolOutput::new(format!("{} {number} again", medium.kind()), content(medium)))
}

fn content(medium: MediaRef) -> Content {
    Content::from(ContentPart::Media(Box::new(medium)))
}

/// The number of bytes that say what a file is.
const SNIFFED: u64 = 64;
