//! Pictures and PDFs that `file_read` returns: all of them, or the part that a call wants.

use std::io::Read as _;
use std::sync::Arc;

use silcrow_event::{Content, ContentPart, MediaRef};
use silcrow_media::{
    Error, FitLimits, ImageRegion, MediaClass, MediaDecoder, MediaFormat, PageRange,
};
use silcrow_tool::{ToolError, ToolOutput};

use crate::kept_media::KeptMedia;
use crate::messages;
use crate::read_pdf::{draw_pdf, file_name, read_pdf};
use crate::resolve::ResolvedPath;
use crate::root::Root;

/// The decoder of files, and the requested part of a picture or a document.
#[derive(Clone)]
pub(crate) struct MediaReading {
    decoder: Arc<dyn MediaDecoder>,
    pages: Option<PageRange>,
    /// Whether pages are wanted as pictures.
    is_drawn: bool,
    region: Option<ImageRegion>,
}

/// The arguments of a call about pictures and documents.
pub(crate) struct MediaArgs {
    pub(crate) pages: Option<String>,
    pub(crate) pictures: Option<bool>,
    /// The left and upper edge, the width and the height.
    pub(crate) region: Option<[u32; 4]>,
}

impl MediaReading {
    /// Checks the arguments.
    pub(crate) fn new(decoder: Arc<dyn MediaDecoder>, args: MediaArgs) -> Result<Self, ToolError> {
        let pages = args.pages.as_deref().map(str::parse).transpose();
        let pages = pages.map_err(|why: String| ToolError::new(format!("`pages`: {why}")))?;
        let region = args.region.map(|[x, y, width, height]| ImageRegion { x, y, width, height });
        let is_drawn = args.pictures == Some(true) || region.is_some();
        Ok(Self { decoder, pages, is_drawn, region })
    }

    /// Returns a picture, or the wanted region of it.
    fn picture(&self, bytes: &[u8], name: &str) -> Result<MediaRef, Error> {
        let limits = FitLimits::default();
        match self.region {
            Some(region) => self.decoder.region(bytes, name, region, &limits),
            None => self.decoder.medium(bytes, name, &limits),
        }
    }

    /// Returns the text of the wanted pages of a PDF, or their pictures.
    fn document(&self, pdf: &[u8], path: &str) -> Result<ToolOutput, ToolError> {
        match self.is_drawn {
            true => draw_pdf(&*self.decoder, self.pages, self.region, path, pdf),
            false => read_pdf(&*self.decoder, self.pages, path, pdf),
        }
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
        return reading.document(&bytes, path).map(Some);
    }
    let name = file_name(path);
    let medium = reading.picture(&bytes, name).map_err(|why| {
        let path = messages::quoted(path);
        ToolError::new(format!("{path} is a picture in {format} that cannot be shown: {why}"))
    })?;
    let (width, height) = medium.original.or(medium.size).unwrap_or_default();
    let what = if reading.region.is_some() { "region of a picture" } else { "picture" };
    let summary = format!("{what} in {format}, {width} × {height}");
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
    let is_document = medium.mime == MediaFormat::Pdf.mime() && reading.decoder.reads_pdf();
    if !is_document && (reading.region.is_none() || !medium.is_image()) {
        return Ok(ToolOutput::new(format!("{} {number} again", medium.kind()), content(medium)));
    }
    let reading = reading.clone();
    let read = move || {
        let bytes = medium.data().unwrap_or_default();
        if is_document {
            return reading.document(bytes, &medium.name);
        }
        let region = reading.picture(bytes, &medium.name);
        let region = region.map_err(|why| ToolError::new(format!("image {number}: {why}")))?;
        Ok(ToolOutput::new(format!("region of image {number}"), content(region)))
    };
    match tokio::task::spawn_blocking(read).await {
        Ok(read) => read,
        Err(_) => Err(ToolError::new("the program is shutting down")),
    }
}

/// The arguments that choose a part of a picture, and pages of a document.
macro_rules! media_schema {
    () => {
        concat!(
            r#","pages":{"type":"string","description":"pages of a PDF, such as 3 or 1-5; the first "#,
            r#"if it is left out"},"#,
            r#""pictures":{"type":"boolean","description":"pages as pictures, 5 at once"},"#,
            r#""region":{"type":"array","items":{"type":"integer"},"#,
            r#""description":"[x, y, width, height] of a picture or one page"}"#,
        )
    };
}

pub(crate) use media_schema;

fn content(medium: MediaRef) -> Content {
    Content::from(ContentPart::Media(Box::new(medium)))
}

/// The number of bytes that identify a file's format.
const SNIFFED: u64 = 64;
