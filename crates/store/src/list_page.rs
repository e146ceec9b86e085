//! A page of the list of conversations.

use crate::error::{Error, ErrorKind};
use crate::summary::Summary;

/// A part of the list of conversations, from [`Store::list_page`](crate::Store::list_page).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct ListPage {
    /// The conversations.
    pub conversations: Vec<Summary>,
    /// The place where the next page begins; `None` on the last page. Only the store knows what it
    /// means.
    pub next: Option<String>,
}

impl ListPage {
    /// Cuts a page out of a whole list. Its places are the time and the id of a conversation.
    pub(crate) fn of_list(
        mut list: Vec<Summary>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Self, Error> {
        if let Some(after) = after {
            let place = after.split_once(' ');
            let place = place.and_then(|(last, id)| Some((last.parse::<i64>().ok()?, id)));
            let (last, id) = place.ok_or_else(|| wrong(after))?;
            let is_it = |one: &Summary| one.conversation == id && one.last.as_nanos() == last;
            // Where it has moved or is gone, what was changed before it follows.
            let first = list.iter().position(is_it).map(|at| at + 1);
            let older = || list.iter().position(|one| one.last.as_nanos() < last);
            let first = first.or_else(older).unwrap_or(list.len());
            list.drain(..first);
        }
        let has_more = list.len() > limit;
        list.truncate(limit);
        let last = list.last().filter(|_| has_more);
        let next = last.map(|one| format!("{} {}", one.last.as_nanos(), one.conversation));
        Ok(Self { conversations: list, next })
    }
}

/// Returns the error about a place that is not from a page.
fn wrong(after: &str) -> Error {
    let why = format!("{after:?} is no place in the list of conversations; begin without one");
    Error::new(ErrorKind::Refused, why)
}
