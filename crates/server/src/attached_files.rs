//! A prompt with the files that a client sends with it.

use silcrow_event::{Content, ContentPart, MediaRef};
use silcrow_front::ClientFile;
use silcrow_media::{FitLimits, medium};

use crate::error::{Error, ErrorKind};

/// Returns a prompt: the person's words, and then the files.
///
/// # Errors
///
/// Returns an error if a file is none that a model may read, or too large.
pub(crate) fn with_files<'f>(
    words: impl Into<Content>,
    files: impl IntoIterator<Item = &'f ClientFile>,
) -> Result<Content, Error> {
    let mut content = words.into();
    for file in files {
        content.push(ContentPart::Media(Box::new(medium_of(file)?)));
    }
    Ok(content)
}

/// Returns an error if files come with something that has no place for them.
pub(crate) fn refuse_files<'f>(
    files: impl IntoIterator<Item = &'f ClientFile>,
) -> Result<(), Error> {
    match files.into_iter().next() {
        None => Ok(()),
        Some(_) => {
            let why = "files cannot go with an answer or a result; send them with the next prompt";
            Err(Error::new(ErrorKind::Malformed, why))
        }
    }
}

fn medium_of(file: &ClientFile) -> Result<MediaRef, Error> {
    let name = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let refused = |why: &str| {
        let shown = if name.is_empty() { "a file of the message" } else { name };
        Error::new(ErrorKind::Malformed, format!("{shown} cannot be sent: {why}"))
    };
    let bytes = match file.bytes() {
        Some(bytes) if bytes.is_empty() => {
            return Err(refused(
                "it has no bytes; send them in base64, because the server fetches nothing",
            ));
        }
        Some(bytes) => bytes,
        None => return Err(refused("its data are not base64")),
    };
    medium(&bytes, name, &FitLimits::default()).map_err(|why| refused(&why.to_string()))
}
