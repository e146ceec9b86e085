//! The conversation of a run: a new one, one that the person names, or the last one of the folder.

use std::path::Path;

use silcrow_store::Store;

use crate::conversation::{ConversationOwner, absolute, listed, resolved};
use crate::failure::Failure;
use crate::places::{self, new_conversation};

/// The conversation of a run, as the arguments name it.
#[derive(Clone, Debug)]
pub(crate) enum RunTarget {
    /// A new one under an id of its own.
    Fresh,
    /// A new one under this id.
    New(String),
    /// The one with this id, or with the only id that begins so.
    Existing(String),
    /// The last one of the folder that the tools see.
    Latest,
}

impl RunTarget {
    /// Returns whether the person knows the id.
    pub(crate) const fn is_named(&self) -> bool {
        matches!(self, Self::New(_) | Self::Existing(_))
    }

    /// Returns the id of the conversation.
    pub(crate) async fn resolve(
        &self,
        store: &dyn Store,
        user: Option<&str>,
        root: &Path,
    ) -> Result<String, Failure> {
        let own = ConversationOwner::Just(user);
        match self {
            Self::Fresh => Ok(new_conversation()),
            Self::New(id) => match store.head(id).await {
                Ok(0) => Ok(id.clone()),
                Ok(_) => Err(Failure::given(format!(
                    "there is a conversation `{id}` already; continue it with --conversation {id}, \
                     or name another id"
                ))),
                Err(error) => Err(places::failure(&error)),
            },
            Self::Existing(typed) => {
                let resolved = resolved(store, typed, own).await;
                resolved
                    .map_err(|failure| failure.with_hint(&format!("; --new {typed} begins one")))
            }
            Self::Latest => {
                let own = listed(store, own).await?;
                let latest = own.latest_in(root).map(|one| one.conversation.clone());
                latest.ok_or_else(|| no_latest(root, user))
            }
        }
    }
}

fn no_latest(root: &Path, user: Option<&str>) -> Failure {
    let folder = absolute(root).unwrap_or_else(|| root.display().to_string());
    let whose = user.map(|user| format!(" of {user}")).unwrap_or_default();
    Failure::given(format!(
        "there is no conversation{whose} of the folder {folder} to continue; send a prompt without \
         --continue to begin one, or name one with --conversation ID (`silcrow log` lists them)"
    ))
}
