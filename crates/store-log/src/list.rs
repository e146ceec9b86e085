//! The list of conversations, and pages of it.

use std::cmp::Reverse;

use silcrow_store::{Error, ListPage, ListPlace, Summary};

use crate::conversation_log::ConversationLog;
use crate::log::LogFiles;

impl LogFiles {
    /// Lists the conversations of all users or of one, most recently changed first.
    pub(crate) fn summaries(&self, user: Option<&str>) -> Result<Vec<Summary>, Error> {
        let mut logs: Vec<_> = self.view.logs().collect();
        logs.sort_unstable_by_key(|(_, log)| Reverse(log.changed));
        logs.into_iter().filter_map(|(id, log)| self.listed(id, log, user).transpose()).collect()
    }

    /// Lists a part of them, and reads no other summaries, except other users'.
    pub(crate) fn page(
        &self,
        user: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<ListPage, Error> {
        let place = after.map(ListPlace::parse).transpose()?;
        let at = place.and_then(|place| Some((place, self.view.log(place.conversation())?)));
        let at = match at {
            Some((place, log)) => {
                let listed = self.summary(place.conversation(), log)?;
                place.is_behind(&listed).then_some(log.changed)
            }
            None => None,
        };
        let rest = self.view.ids_changed_before(at).filter_map(|id| {
            let log = self.view.log(id)?;
            self.listed(id, log, user).transpose()
        });
        // If the one at the place has moved or is gone, older ones follow.
        let moved = place.filter(|_| at.is_none());
        let rest = rest.skip_while(|listed| match (moved, listed) {
            (Some(place), Ok(listed)) => !place.is_before(listed),
            _ => false,
        });
        ListPage::begin(rest, limit)
    }

    /// Returns the summary of a conversation of a user, or of any without one.
    fn listed(
        &self,
        conversation: &str,
        log: &ConversationLog,
        user: Option<&str>,
    ) -> Result<Option<Summary>, Error> {
        let is_theirs = |listed: &Summary| user.is_none() || listed.user.as_deref() == user;
        if log.summary.get().is_some_and(|listed| !is_theirs(listed)) {
            return Ok(None);
        }
        Ok(Some(self.summary(conversation, log)?).filter(is_theirs))
    }
}
