//! A picture, document or sound as an attachment of a prompt, and the text of a document beside it.

use silcrow_media::{DocumentText, ErrorKind, FitLimits, MediaDecoder as _, MediaFormat};

use super::attachment::{AttachedSource, Attachment};
use super::medium_start::is_medium;
use crate::decoder::ConfinedDecoder;
use crate::error::Error;

impl Attachment {
    /// Returns bytes as a picture, a document or a sound, or `None` if they are something else.
    ///
    /// A document comes with its text, for models that do not read documents, and is text alone if
    /// it has more than 32 pages or 10 MiB.
    ///
    /// ```
    /// use silcrow_session::prompt::{AttachedSource, Attachment};
    ///
    /// let song = b"ID3\x04\0 a song";
    /// let attachment = Attachment::of_medium(song, "a.mp3", AttachedSource::File)?.unwrap();
    /// assert_eq!(attachment.text, "[sound: a.mp3, MP3, 1 kB]");
    /// assert!(Attachment::of_medium(b"a text", "a.txt", AttachedSource::File)?.is_none());
    /// # Ok::<_, silcrow_session::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error for one that cannot be sent, with the reason.
    pub fn of_medium(
        bytes: &[u8],
        name: &str,
        what: AttachedSource,
    ) -> Result<Option<Self>, Error> {
        if !is_medium(bytes) {
            return Ok(None);
        }
        let refused = |why: &str| Error::given(format!("{name} cannot be sent: {why}"));
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let decoder = ConfinedDecoder::default();
        let limits = FitLimits::default();
        let medium = decoder.medium(bytes, file, &limits);
        let is_pdf = MediaFormat::detect(bytes) == Some(MediaFormat::Pdf);
        let named = |text: String, medium| Self { name: name.to_owned(), what, text, medium };
        if !is_pdf || bytes.len() > limits.read_bytes || !decoder.reads_pdf() {
            let medium = medium.map_err(|why| refused(&why.to_string()))?;
            return Ok(Some(named(medium.line(), Some(Box::new(medium)))));
        }
        let text = DocumentText::read(&decoder, bytes);
        let medium = match medium {
            Err(why) if why.kind() == ErrorKind::TooLarge => None,
            medium => Some(medium.map_err(|why| refused(&why.to_string()))?),
        };
        Ok(Some(match (medium, text) {
            (None, Err(why)) => return Err(refused(&why)),
            (Some(medium), Err(why)) => {
                let remark =
                    format!("a model that does not read documents gets no text of it: {why}");
                let line = medium.line_with(&remark);
                named(line, Some(Box::new(medium.with_text(DocumentText::missing(&why)))))
            }
            (Some(medium), Ok(text)) if text.page_count <= MOST_PAGES => {
                named(medium.line(), Some(Box::new(medium.with_text(text.text))))
            }
            (_, Ok(text)) => named(text.text, None),
        }))
    }
}

/// The number of pages of a document that a model reads itself.
const MOST_PAGES: u32 = 32;
