//! `/image`, which sends a file with the next prompt, or the picture of the clipboard.

use silcrow_session::prompt::{Attachment, pasted_files, unescaped};
use tokio::task::spawn_blocking;

use super::ChatSession;
use super::pasted_pictures::{goes_with_next, picture};
use crate::error::Error;

impl ChatSession {
    /// Carries out the line `/image FILE` or `/image`.
    pub(super) async fn attach_image(&mut self, line: &str) -> Result<(), Error> {
        let path = line.trim().split_once(char::is_whitespace).map(|(_, path)| path.trim());
        let root = self.args.session.root.clone();
        let attached = match path.map(str::to_owned) {
            None => spawn_blocking(picture).await,
            Some(typed) => {
                // As a terminal writes a file that is dropped on it, or as a person types it.
                let pasted = pasted_files(&typed, &root);
                let name = pasted.as_deref().and_then(|file| file.strip_prefix('@'));
                let name = unescaped(name.map_or(&*typed, str::trim_end));
                let file = root.join(&name);
                spawn_blocking(move || Ok(Attachment::read(&file, &name)?)).await
            }
        };
        let attached = attached.map_err(|_| Error::given("the program is shutting down"))??;
        if attached.medium.is_none() {
            return Err(Error::given("not a picture; @FILE sends a text"));
        }
        self.say(&goes_with_next(&attached));
        self.own.push(attached);
        Ok(())
    }
}
