//! The conversation of a run: a new one, one that the person names, or the last one of the folder.

use std::path::Path;

use silcrow_history::{ConversationOwner, Conversations, absolute};
use silcrow_store::Store;

use crate::error::Error;
use crate::store::new_conversation;

/// The conversation of a run, as a person names it.
///
/// ```
/// use silcrow_session::RunTarget;
///
/// assert!(RunTarget::Existing("c1k2".to_owned()).is_named());
/// assert!(!RunTarget::Latest.is_named());
/// ```
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a person names a conversation in one of these ways")]
pub enum RunTarget {
    /// A new conversation with a new id.
    Fresh,
    /// A new one under this id.
    New(String),
    /// The one with this id, or with the only id that begins so.
    Existing(String),
    /// The last one of the folder that the tools see.
    Latest,
}

impl RunTarget {
    /// Returns whether the person has named the id.
    pub const fn is_named(&self) -> bool {
        matches!(self, Self::New(_) | Self::Existing(_))
    }

    /// Returns the id of the conversation. `root` is the folder that the tools see.
    ///
    /// # Errors
    ///
    /// Returns an error for a new id that is taken, for one that matches no conversation or
    /// several, and for a folder without conversations.
    pub async fn resolve(
        &self,
        store: &dyn Store,
        user: Option<&str>,
        root: &Path,
    ) -> Result<String, Error> {
        let own = ConversationOwner::Just(user);
        match self {
            Self::Fresh => Ok(new_conversation()),
            Self::New(id) => match store.head(id).await {
                Ok(0) => Ok(id.clone()),
                Ok(_) => Err(Error::given(format!(
                    "there is a conversation `{id}` already; continue it with --conversation {id}, \
                     or name another id"
                ))),
                Err(error) => Err(error.into()),
            },
            Self::Existing(typed) => {
                let resolved = Conversations::resolve(store, typed, own).await;
                resolved.map_err(|error| match Error::from(error) {
                    error if error.is_callers_fault() => {
                        error.with_way_on(&format!("; --new {typed} begins one"))
                    }
                    error => error,
                })
            }
            Self::Latest => {
                let own = Conversations::list(store, own).await?;
                let latest = own.latest_in(root).map(|one| one.conversation.clone());
                latest.ok_or_else(|| no_latest(root, user))
            }
        }
    }
}

fn no_latest(root: &Path, user: Option<&str>) -> Error {
    let folder = absolute(root).unwrap_or_else(|| root.display().to_string());
    let whose = user.map(|user| format!(" of {user}")).unwrap_or_default();
    Error::given(format!(
        "no conversation{whose} in {folder} to continue; send a prompt without \
         --continue to begin one, or name one with --conversation ID (`silcrow log` lists them)"
    ))
}
