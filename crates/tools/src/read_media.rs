//! Pictures that `file_read` returns, and sounds and documents that it does not.

use std::io::Read as _;

use silcrow_event::{Content, ContentPart};
use silcrow_media::{FitLimits, MediaClass, MediaFormat, medium};
use silcrow_tool::{ToolError, ToolOutput};

use crate::messages;
use crate::resolve::ResolvedPath;
use crate::root::Root;

/// Returns a picture as the output of a call, or `None` for any other file.
///
/// # Errors
///
/// Returns a failure for a picture that no model takes, with the reason.
pub(crate) fn read_media(
    root: &Root,
    path: &str,
    place: &ResolvedPath,
) -> Result<Option<ToolOutput>, ToolError> {
    let failure = |error| root.failure(path, error);
    let (file, metadata) = place.open().map_err(failure)?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let limits = FitLimits::default();
    let mut bytes = Vec::new();
    (&file).take(SNIFFED).read_to_end(&mut bytes).map_err(failure)?;
    let is_image = |format: &MediaFormat| format.class() == MediaClass::Image;
    let Some(format) = MediaFormat::detect(&bytes).filter(is_image) else { return Ok(None) };
    let most = limits.read_bytes as u64 + 1;
    (&file).take(most - bytes.len() as u64).read_to_end(&mut bytes).map_err(failure)?;
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let medium = medium(&bytes, name, &limits).map_err(|why| {
        let path = messages::quoted(path);
        ToolError::new(format!("{path} is a picture in {format} that cannot be shown: {why}"))
    })?;
    let (width, height) = medium.original.or(medium.size).unwrap_or_default();
    let summary = format!("picture in {format}, {width} × {height}");
    let content = Content::from(ContentPart::Media(Box::new(medium)));
    Ok(Some(ToolOutput::new(summary, content)))
}

/// The number of bytes that say what a file is.
const SNIFFED: u64 = 64;
