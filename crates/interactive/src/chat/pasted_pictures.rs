//! Pictures of the clipboard that a person takes while typing, for the next prompt.

use std::env;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use silcrow_session::prompt::{AttachedSource, Attachment};

use super::clipboard::clipboard_picture;
use crate::error::Error;

/// The pictures that were taken since the last prompt. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct PastedPictures(Arc<Mutex<Vec<Attachment>>>);

impl PastedPictures {
    /// Takes the picture of the clipboard, and returns a line that confirms it, or says why none
    /// was found. It blocks.
    pub(super) fn take_picture(&self) -> String {
        match picture() {
            Ok(picture) => {
                let said = goes_with_next(&picture);
                self.lock().push(picture);
                said
            }
            Err(error) => error.message().to_owned(),
        }
    }

    /// Returns the pictures for a prompt.
    pub(super) fn drain(&self) -> Vec<Attachment> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Attachment>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the picture of the clipboard. It blocks.
pub(super) fn picture() -> Result<Attachment, Error> {
    let path = env::var_os("PATH").unwrap_or_default();
    let bytes = clipboard_picture(&path).map_err(Error::given)?;
    let picture = Attachment::of_medium(&bytes, NAME, AttachedSource::File)?;
    picture.ok_or_else(|| Error::given("the clipboard has no picture"))
}

/// Returns the line about an attachment that waits for the next prompt.
pub(super) fn goes_with_next(attached: &Attachment) -> String {
    format!("{} goes with the next prompt", attached.text)
}

/// The name of a picture of the clipboard.
const NAME: &str = "clipboard.png";
