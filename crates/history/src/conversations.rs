//! Conversations as a person names them: by an id, by the beginning of one, or as the last one of a
//! folder.
//!
//! This module reads summaries, which a store lists without reading its logs.

use std::path::Path;

use silcrow_sanitize::sanitize_line;
use silcrow_store::{Store, Summary};
use silcrow_term::fit::shortened;
use silcrow_tool::closest_names;

use crate::error::{Error, ErrorKind};
use crate::inside::is_inside;

/// The conversations of a store, most recently changed first, without the conversations of agents,
/// workflows and models that calls ran.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_history::{ConversationOwner, Conversations};
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// store.append("c1k2v3", 0, vec![Event::user("hi").into()]).await.unwrap();
/// let owner = ConversationOwner::Anybody;
/// assert_eq!(Conversations::resolve(&store, "c1k2", owner).await.unwrap(), "c1k2v3");
/// let error = Conversations::resolve(&store, "c1k2v4", owner).await.unwrap_err();
/// let expected = "unknown conversation `c1k2v4`; did you mean `c1k2v3` (hi)?";
/// assert_eq!(error.to_string(), expected);
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct Conversations(Vec<Summary>);

/// The owner of the conversations that are meant.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "there is no other kind of owner")]
pub enum ConversationOwner<'a> {
    /// Everybody: the conversations of all users.
    Anybody,
    /// One user, or nobody: the conversations that belong to no user.
    Just(Option<&'a str>),
}

impl ConversationOwner<'_> {
    /// Returns whether a conversation is one of these, and not one of a call.
    fn has(self, one: &Summary) -> bool {
        let is_theirs = match self {
            Self::Anybody => true,
            Self::Just(user) => one.user.as_deref() == user,
        };
        is_theirs && !is_inside(&one.conversation)
    }

    /// Returns the ids that begin with the typed text, which has at least four characters.
    async fn beginning_with(self, store: &dyn Store, typed: &str) -> Result<Vec<String>, Error> {
        let mut meant = Vec::new();
        if typed.chars().count() >= SHORTEST {
            for id in store.ids_beginning_with(typed).await? {
                let summary = store.summary(&id).await?;
                meant.extend(summary.filter(|one| self.has(one)).map(|one| one.conversation));
            }
        }
        Ok(meant)
    }
}

impl Conversations {
    /// Lists the conversations of an owner.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot list them.
    pub async fn list(store: &dyn Store, owner: ConversationOwner<'_>) -> Result<Self, Error> {
        let list = store.list(None).await?.into_iter();
        Ok(Self(list.filter(|one| owner.has(one)).collect()))
    }

    /// Returns the id that is meant: an exact match, otherwise the only one with this beginning.
    /// The beginning has at least four characters.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Unknown`] or [`ErrorKind::Ambiguous`] that names the ids that
    /// begin so, or close ones.
    pub async fn resolve(
        store: &dyn Store,
        typed: &str,
        owner: ConversationOwner<'_>,
    ) -> Result<String, Error> {
        if store.head(typed).await? > 0 {
            return Ok(typed.to_owned());
        }
        match &owner.beginning_with(store, typed).await?[..] {
            [one] => Ok(one.clone()),
            // The list has the titles of the candidates.
            _ => Self::list(store, owner).await?.find(typed),
        }
    }

    /// Returns the id that is meant, or the typed text for a conversation that is yet to begin, or
    /// of which only a part is left.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Ambiguous`] if several begin so.
    pub async fn resolve_or_typed(store: &dyn Store, typed: &str) -> Result<String, Error> {
        if store.head(typed).await? > 0 {
            return Ok(typed.to_owned());
        }
        let owner = ConversationOwner::Anybody;
        match &owner.beginning_with(store, typed).await?[..] {
            [] => Ok(typed.to_owned()),
            [one] => Ok(one.clone()),
            _ => Self::list(store, owner).await?.find(typed),
        }
    }

    /// Returns the conversation whose last run worked in a folder and that was changed last.
    pub fn latest_in(&self, folder: &Path) -> Option<&Summary> {
        let folder = absolute(folder)?;
        self.recent().iter().find(|one| one.folder.as_deref() == Some(&*folder))
    }

    /// Returns all conversations, most recently changed first.
    pub fn recent(&self) -> &[Summary] {
        &self.0
    }

    fn find(&self, typed: &str) -> Result<String, Error> {
        match self.beginning_with(typed)[..] {
            [] => Err(self.unknown(typed)),
            [one] => Ok(one.conversation.clone()),
            ref several => Err(ambiguous(typed, several)),
        }
    }

    fn beginning_with(&self, typed: &str) -> Vec<&Summary> {
        if typed.chars().count() < SHORTEST {
            return Vec::new();
        }
        self.recent().iter().filter(|one| one.conversation.starts_with(typed)).collect()
    }

    /// Returns the error that a conversation does not exist, with close ones: ids that differ in a
    /// few letters, or titles with these words.
    fn unknown(&self, typed: &str) -> Error {
        let ids = self.0.iter().map(|one| &*one.conversation);
        let close = closest_names(typed, ids);
        let words = typed.to_lowercase();
        let has_words = |one: &&Summary| one.title.to_lowercase().contains(&words);
        let near: Vec<_> = match close.is_empty() {
            true => self.0.iter().filter(has_words).take(NAMED).collect(),
            false => self.0.iter().filter(|one| close.contains(&&*one.conversation)).collect(),
        };
        let meant = match near.is_empty() || typed.is_empty() {
            true => String::new(),
            false => format!(
                "; did you mean {}?",
                near.into_iter().map(named).collect::<Vec<_>>().join(" or ")
            ),
        };
        let why = format!("unknown conversation `{typed}`{meant}");
        Error::new(ErrorKind::Unknown, why)
    }
}

/// Returns the id and the head of the conversation that is meant.
///
/// # Errors
///
/// Returns an error as [`Conversations::resolve`] does for one that does not exist.
pub async fn stored_head(store: &dyn Store, typed: &str) -> Result<(String, u64), Error> {
    let id = Conversations::resolve(store, typed, ConversationOwner::Anybody).await?;
    let head = store.head(&id).await?;
    Ok((id, head))
}

/// Returns the path of a folder as events name it: absolute, and without links if it exists.
pub fn absolute(folder: &Path) -> Option<String> {
    let path = folder.canonicalize().or_else(|_| std::path::absolute(folder)).ok()?;
    path.into_os_string().into_string().ok()
}

fn ambiguous(typed: &str, several: &[&Summary]) -> Error {
    let mut shown: Vec<_> = several.iter().take(NAMED).map(|one| named(one)).collect();
    if several.len() > NAMED {
        shown.push(format!("{} more", several.len() - NAMED));
    }
    let last = shown.pop().unwrap_or_default();
    let (count, shown) = (several.len(), shown.join(", "));
    let why = format!(
        "{count} conversations begin with `{typed}`: {shown} and {last}; type more of the id"
    );
    Error::new(ErrorKind::Ambiguous, why)
}

/// Returns an id with the title of its conversation.
fn named(one: &Summary) -> String {
    let id = sanitize_line(&one.conversation);
    match one.title.is_empty() {
        true => format!("`{id}`"),
        false => format!("`{id}` ({})", shortened(&one.title, 40)),
    }
}

/// The number of characters of the shortest beginning that names a conversation.
const SHORTEST: usize = 4;

/// The number of conversations that a error names.
const NAMED: usize = 5;
