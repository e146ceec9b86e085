//! The stored conversations of a user: they are listed, searched, read, forked and deleted.

use silcrow_event::Event;
use silcrow_store::search::{Hit, Query, SearchedUser};
use silcrow_store::{ListPage, Summary, validate};
use silcrow_tool::Scope;

use crate::error::{Error, ErrorKind};
use crate::random::random_name;
use crate::server::Server;
use crate::source::RunPlace;

impl Server {
    /// Lists conversations of a user, the one that was used last first, from a place on. Those that
    /// belong to calls are left out.
    pub(crate) async fn summaries(
        &self,
        user: Option<&str>,
        after: Option<String>,
        limit: usize,
    ) -> Result<ListPage, Error> {
        let mut all = ListPage { conversations: Vec::new(), next: after };
        loop {
            let wanted = limit - all.conversations.len();
            let page = self.store.list_page(user, all.next.as_deref(), wanted).await?;
            let own = page.conversations.into_iter();
            let own =
                own.filter(|one| one.user.as_deref() == user && !is_inside(&one.conversation));
            all.conversations.extend(own);
            all.next = page.next;
            if all.next.is_none() || all.conversations.len() >= limit {
                return Ok(all);
            }
        }
    }

    /// Searches the messages and answers of a user's conversations.
    pub(crate) async fn hits(
        &self,
        user: Option<&str>,
        words: &str,
        limit: usize,
    ) -> Result<Vec<Hit>, Error> {
        let user = user.map_or(SearchedUser::Nobody, |user| SearchedUser::One(user.to_owned()));
        // Those of calls are left out afterwards.
        let query = Query { words: words.to_owned(), user, limit: 4 * limit, except: None };
        let mut hits = self.store.search(&query).await?;
        hits.retain(|hit| !is_inside(&hit.conversation));
        hits.truncate(limit);
        Ok(hits)
    }

    /// Returns the summary of a conversation of a user.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`NotFound`](ErrorKind::NotFound) for an unknown conversation,
    /// and for one of another user.
    pub(crate) async fn summary(
        &self,
        user: Option<&str>,
        conversation: &str,
    ) -> Result<Summary, Error> {
        check_id(conversation)?;
        let found = self.store.summary(conversation).await?;
        found.filter(|one| one.user.as_deref() == user).ok_or_else(|| unknown(conversation))
    }

    /// Checks that a conversation belongs to a user or is new.
    pub(crate) async fn check_new(&self, place: &RunPlace) -> Result<(), Error> {
        check_id(&place.conversation)?;
        if self.store.head(&place.conversation).await? > 0 {
            self.summary(place.user.as_deref(), &place.conversation).await?;
        }
        Ok(())
    }

    /// Begins a conversation with the history of another one, and returns its id.
    pub(crate) async fn fork(
        &self,
        place: &RunPlace,
        at: Option<u64>,
        to: Option<String>,
    ) -> Result<String, Error> {
        let found = self.summary(place.user.as_deref(), &place.conversation).await?;
        if at.is_some_and(|at| at == 0 || at > found.events) {
            let why = format!("the conversation has the events 1 to {}; name one", found.events);
            return Err(Error::new(ErrorKind::Malformed, why));
        }
        let to = match to {
            Some(to) => to,
            None => random_name()?,
        };
        check_id(&to)?;
        let to = RunPlace { conversation: to, ..place.clone() };
        // Nobody begins a run there meanwhile.
        let _reserved = self.runs.reserve(&to.conversation, to.user.as_deref())?;
        let prepared = self.source.agent(&to).await?;
        let scope = Scope::new(&*to.conversation);
        let scope = match &to.user {
            Some(user) => scope.with_user(user),
            None => scope,
        };
        Ok(prepared.agent.fork(&place.conversation, at, scope).await?)
    }

    /// Deletes a conversation with those of its calls.
    pub(crate) async fn delete(&self, place: &RunPlace) -> Result<(), Error> {
        let conversation = &*place.conversation;
        self.summary(place.user.as_deref(), conversation).await?;
        let reserved = self.runs.reserve(conversation, place.user.as_deref())?;
        let inside = self.store.ids_beginning_with(&format!("{conversation}/")).await?;
        // The conversation itself is the last one, so that half a deletion can be repeated.
        for id in inside.iter().map(|id| &**id).chain([conversation]) {
            self.source.remove(id).await?;
            let head = self.store.head(id).await?;
            self.store.delete(id, head).await?;
        }
        drop(reserved);
        self.runs.forget(conversation);
        self.runs.journal(place.user.as_deref())?.publish_deleted(conversation);
        Ok(())
    }

    /// Returns the text of a turn as the model wrote it, as far as the log has it.
    pub(crate) async fn wire(&self, place: &RunPlace, turn: u32) -> Result<String, Error> {
        self.summary(place.user.as_deref(), &place.conversation).await?;
        let mut events = Vec::new();
        for entry in self.store.read(&place.conversation, 1..=u64::MAX).await? {
            if entry.turn != Some(turn) {
                continue;
            }
            // A run that waits keeps the text itself.
            if let Event::Parked(parked) = entry.event {
                return Ok(parked.wire);
            }
            events.push(entry.event);
        }
        self.source.wire(place, &events).ok_or_else(|| {
            let why = "this server does not know in which dialect its model writes";
            Error::new(ErrorKind::NotOffered, why)
        })
    }

    /// Takes back what the last run of a conversation changed.
    pub(crate) async fn undo(&self, place: &RunPlace) -> Result<serde_json::Value, Error> {
        self.summary(place.user.as_deref(), &place.conversation).await?;
        let _reserved = self.runs.reserve(&place.conversation, place.user.as_deref())?;
        match self.source.undo(place) {
            Some(undone) => undone.await,
            None => {
                let why = "this server keeps nothing by which changes could be taken back";
                Err(Error::new(ErrorKind::NotOffered, why))
            }
        }
    }
}

/// Returns whether a conversation belongs to a call of another one.
pub(crate) fn is_inside(conversation: &str) -> bool {
    conversation.contains('/')
}

fn check_id(conversation: &str) -> Result<(), Error> {
    validate::name("conversation id", conversation)?;
    if is_inside(conversation) {
        let why = "an id with `/` belongs to a call, and is not served; name its conversation";
        return Err(Error::new(ErrorKind::Malformed, why));
    }
    // No run begins in such a conversation.
    if conversation.chars().any(char::is_control) {
        let why = "a conversation's id has no control characters; leave them out";
        return Err(Error::new(ErrorKind::Malformed, why));
    }
    Ok(())
}

pub(crate) fn unknown(conversation: &str) -> Error {
    let why = format!("you have no conversation {conversation:?}; GET /conversations lists yours");
    Error::new(ErrorKind::NotFound, why)
}
