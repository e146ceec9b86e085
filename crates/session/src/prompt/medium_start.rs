//! Whether a file is a picture, a document or a sound, by its first bytes.

use silcrow_media::{MediaClass, MediaFormat};

/// Returns whether a file that begins so is a medium. A text may begin with the mark of a sound.
pub fn is_medium(start: &[u8]) -> bool {
    let is_sound = |format: MediaFormat| format.class() == MediaClass::Sound;
    let format = MediaFormat::detect(start);
    format.is_some_and(|format| !is_sound(format) || start[..start.len().min(SNIFFED)].contains(&0))
}

/// The number of bytes that identify a file's format.
pub(super) const SNIFFED: usize = 512;
