//! A prompt with the files that a client sends with it.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Content, ContentPart, MediaRef};
use silcrow_front::ClientFile;
use silcrow_media::{DocumentText, FitLimits, MediaDecoder};

use crate::error::{Error, ErrorKind};
use crate::server::Server;

/// Returns a prompt: the person's words, and then the files, as the decoder of the server reads them.
///
/// # Errors
///
/// Returns an error if a file is none that a model may read, or too large.
pub(crate) fn with_files<'f>(
    server: &Server,
    words: impl Into<Content>,
    files: impl IntoIterator<Item = &'f ClientFile>,
) -> BoxFuture<'f, Result<Content, Error>> {
    let (mut content, decoder) = (words.into(), Arc::clone(&server.decoder));
    let files: Vec<_> = files.into_iter().collect();
    async move {
        for file in files {
            content.push(ContentPart::Media(Box::new(medium_of(&decoder, file).await?)));
        }
        Ok(content)
    }
    .boxed()
}

/// Returns an error if files come with an entry that cannot have them.
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

async fn medium_of(decoder: &Arc<dyn MediaDecoder>, file: &ClientFile) -> Result<MediaRef, Error> {
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
    let (decoder, called) = (Arc::clone(decoder), name.to_owned());
    let decode = move || {
        let medium = decoder.medium(&bytes, &called, &FitLimits::default())?;
        Ok(DocumentText::added(medium, &*decoder))
    };
    match tokio::task::spawn_blocking(decode).await {
        Ok(decoded) => decoded.map_err(|why: silcrow_media::Error| refused(&why.to_string())),
        Err(_) => Err(refused("its decoder failed")),
    }
}
