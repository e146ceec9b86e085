//! `/image`, which sends a file with the next prompt, or the picture of the clipboard.

use std::env;

use silcrow_session::prompt::{AttachedSource, Attachment, pasted_files, unescaped};
use tokio::task::spawn_blocking;

use super::ChatSession;
use super::clipboard::clipboard_picture;
use crate::error::Error;

impl ChatSession {
    /// Does what the line `/image FILE` or `/image` says.
    pub(super) async fn attach_image(&mut self, line: &str) -> Result<(), Error> {
        let path = line.trim().split_once(char::is_whitespace).map(|(_, path)| path.trim());
        let root = self.args.session.root.clone();
        let attached = match path.map(str::to_owned) {
            None => {
                let path = env::var_os("PATH").unwrap_or_default();
                let bytes = spawn_blocking(move || clipboard_picture(&path)).await;
                let bytes =
                    bytes.unwrap_or_else(|_| Err("the program is shutting down".to_owned()));
                let bytes = bytes.map_err(Error::given)?;
                spawn_blocking(move || Attachment::of_medium(&bytes, NAME, AttachedSource::File))
                    .await
            }
            Some(typed) => {
                // As a terminal writes a file that is dropped on it, or as a person types it.
                let pasted = pasted_files(&typed, &root);
                let name = pasted.as_deref().and_then(|file| file.strip_prefix('@'));
                let name = unescaped(name.map_or(&*typed, str::trim_end));
                let file = root.join(&name);
                spawn_blocking(move || Attachment::read(&file, &name).map(Some)).await
            }
        };
        let attached = attached.map_err(|_| Error::given("the program is shutting down"))??;
        let Some(attached) = attached.filter(|attached| attached.medium.is_some()) else {
            return Err(Error::given("that is no picture; /image sends a picture, @FILE a text"));
        };
        self.say(&format!("{} goes with the next prompt", attached.text));
        self.own.push(attached);
        Ok(())
    }
}

/// The name of a picture of the clipboard.
const NAME: &str = "clipboard.png";
