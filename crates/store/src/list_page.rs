//! A page of the list of conversations, and the place where the next one begins.

use crate::error::{Error, ErrorKind};
use crate::summary::Summary;

/// A part of the list of conversations, from [`Store::list_page`](crate::Store::list_page).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct ListPage {
    /// The conversations.
    pub conversations: Vec<Summary>,
    /// The place where the next page begins; `None` on the last page. Only the store can interpret
    /// it.
    pub next: Option<String>,
}

/// A place in a list: behind a conversation, as it was listed.
///
/// A store that keeps its conversations in memory names places so, and needs no memory of the pages
/// that it gave. Its text is the time of the conversation's last event in nanoseconds, a space and the
/// id.
///
/// ```
/// use silcrow_store::{ListPlace, Summary};
///
/// let listed = Summary::new("c1");
/// let place = ListPlace::behind(&listed).to_text();
/// assert_eq!(place, "0 c1");
/// assert!(ListPlace::parse(&place).unwrap().is_behind(&listed));
/// assert!(ListPlace::parse("nowhere").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPlace<'a> {
    last: i64,
    conversation: &'a str,
}

impl ListPage {
    /// Cuts a page out of a whole list, whose places are [`ListPlace`]s.
    pub(crate) fn of_list(
        mut list: Vec<Summary>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Self, Error> {
        if let Some(after) = after {
            let place = ListPlace::parse(after)?;
            // If it has moved or is gone, the conversations that were changed before it follow.
            let first = list.iter().position(|one| place.is_behind(one)).map(|at| at + 1);
            let older = || list.iter().position(|one| place.is_before(one));
            let first = first.or_else(older).unwrap_or(list.len());
            list.drain(..first);
        }
        Self::begin(list.into_iter().map(Ok), limit)
    }

    /// Takes a page from the beginning of a list, which is read no further than that and one more.
    ///
    /// ```
    /// use silcrow_store::{ListPage, Summary};
    ///
    /// let list = ["c3", "c2", "c1"].map(|id| Ok(Summary::new(id)));
    /// let page = ListPage::begin(list, 2).unwrap();
    /// assert_eq!((page.conversations.len(), page.next.as_deref()), (2, Some("0 c2")));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first error in the list.
    pub fn begin(
        list: impl IntoIterator<Item = Result<Summary, Error>>,
        limit: usize,
    ) -> Result<Self, Error> {
        let mut list = list.into_iter();
        let conversations = list.by_ref().take(limit).collect::<Result<Vec<_>, _>>()?;
        let next = match (conversations.last(), list.next().transpose()?) {
            (Some(last), Some(_)) => Some(ListPlace::behind(last).to_text()),
            _ => None,
        };
        Ok(Self { conversations, next })
    }
}

impl<'a> ListPlace<'a> {
    /// Returns the place behind a conversation.
    pub fn behind(listed: &'a Summary) -> Self {
        Self { last: listed.last.as_nanos(), conversation: &listed.conversation }
    }

    /// Reads the text of a place.
    ///
    /// # Errors
    ///
    /// [`Refused`](ErrorKind::Refused) if it is not one.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        let parts = text.split_once(' ');
        let place = parts.and_then(|(last, id)| Some((last.parse().ok()?, id)));
        let (last, conversation) = place.ok_or_else(|| wrong(text))?;
        Ok(Self { last, conversation })
    }

    /// Returns the id of the conversation that it is behind.
    pub const fn conversation(&self) -> &'a str {
        self.conversation
    }

    /// Returns whether it is directly behind this conversation, which has not been appended to
    /// since.
    pub fn is_behind(&self, listed: &Summary) -> bool {
        *self == ListPlace::behind(listed)
    }

    /// Returns whether a conversation is older than the place, so that it comes on a later page
    /// although the one at the place has moved or is gone.
    pub fn is_before(&self, listed: &Summary) -> bool {
        listed.last.as_nanos() < self.last
    }

    /// Returns the text, which [`parse`](Self::parse) reads.
    pub fn to_text(&self) -> String {
        format!("{} {}", self.last, self.conversation)
    }
}

/// Returns the error about a place that is not from a page.
fn wrong(after: &str) -> Error {
    let why = format!("{after:?} is not a place in the list of conversations; begin without one");
    Error::new(ErrorKind::Refused, why)
}
