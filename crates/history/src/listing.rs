//! A page of the list of conversations.

use std::num::NonZeroUsize;

use silcrow_store::{Store, Summary};

use crate::error::Error;
use crate::inside::is_inside;

/// A query for conversations, most recently changed first.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_history::ListQuery;
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// for id in ["c1", "c1/1/a", "c2"] {
///     store.append(id, 0, vec![Event::user("hi").into()]).await.unwrap();
/// }
/// let listed = ListQuery::new().read(&store).await.unwrap();
/// assert_eq!(listed.conversations.len(), 2);
/// assert!(listed.next.is_none());
/// # });
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListQuery {
    /// The user whose conversations are listed. `None` lists the conversations of everybody.
    pub user: Option<String>,
    /// The folder in which the last run worked, as [`absolute`](crate::absolute) returns it.
    pub folder: Option<String>,
    /// Whether conversations of calls are included.
    pub has_inner: bool,
    /// The most conversations of a page.
    pub limit: Option<NonZeroUsize>,
    /// The place after which the page begins, as [`ListedPage::next`] had it.
    pub after: Option<String>,
}

/// Conversations, and the place of the next page.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListedPage {
    /// The conversations, most recently changed first.
    pub conversations: Vec<Summary>,
    /// The place of the next page, if there is one.
    pub next: Option<String>,
}

impl ListQuery {
    /// Creates a query for all conversations except those that calls ran.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the user whose conversations are listed.
    #[must_use]
    pub fn with_user(self, user: Option<String>) -> Self {
        Self { user, ..self }
    }

    /// Sets the folder in which the last run worked.
    #[must_use]
    pub fn with_folder(self, folder: Option<String>) -> Self {
        Self { folder, ..self }
    }

    /// Sets whether conversations of calls are included.
    #[must_use]
    pub fn with_inner(self, has_inner: bool) -> Self {
        Self { has_inner, ..self }
    }

    /// Sets the most conversations of a page, and the place after which it begins.
    #[must_use]
    pub fn with_page(self, limit: Option<NonZeroUsize>, after: Option<String>) -> Self {
        Self { limit, after, ..self }
    }

    /// Reads a page.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails, or if it does not have the place.
    pub async fn read(&self, store: &dyn Store) -> Result<ListedPage, Error> {
        let is_listed = |one: &Summary| {
            let is_there = self.folder.is_none() || one.folder == self.folder;
            is_there && (self.has_inner || !is_inside(&one.conversation))
        };
        let (mut conversations, mut next) = (Vec::new(), self.after.clone());
        let limit = self.limit.map_or(usize::MAX, NonZeroUsize::get);
        loop {
            let wanted = limit - conversations.len();
            let page = store.list_page(self.user.as_deref(), next.as_deref(), wanted).await?;
            conversations.extend(page.conversations.into_iter().filter(|one| is_listed(one)));
            next = page.next;
            if next.is_none() || conversations.len() >= limit {
                return Ok(ListedPage { conversations, next });
            }
        }
    }
}
