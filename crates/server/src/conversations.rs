//! The stored conversations of a user: they are listed, searched, read, forked and deleted.

use std::time::SystemTime;

use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store as store;
use silcrow_store::search::{Hit, Query, SearchedUser};
use silcrow_store::{ListPage, Summary, validate};
use silcrow_tool::Scope;

use crate::branches::chat_of;
use crate::error::{Error, ErrorKind};
use crate::faces::unnamed_chat::is_one_off;
use crate::random::random_name;
use crate::server::Server;
use crate::source::RunPlace;

impl Server {
    /// Lists conversations of a user from a place on, most recently used first. Those that belong
    /// to calls are left out, and so are branches that are not current, and, unless they are
    /// wanted, chats that programs began without a name for them.
    pub(crate) async fn summaries(
        &self,
        user: Option<&str>,
        after: Option<String>,
        limit: usize,
        one_off: bool,
    ) -> Result<ListPage, Error> {
        let mut all = ListPage { conversations: Vec::new(), next: after };
        loop {
            let wanted = limit - all.conversations.len();
            let page = self.store.list_page(user, all.next.as_deref(), wanted).await?;
            let own = page.conversations.into_iter();
            let is_shown = |one: &Summary| {
                one.user.as_deref() == user
                    && !is_inside(&one.conversation)
                    && (one_off || !is_one_off(&one.conversation))
            };
            let own = own.filter(is_shown);
            all.conversations.extend(self.without_other_branches(own.collect()).await?);
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
        // Conversations of calls are left out afterwards.
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
        // No run begins there meanwhile.
        let _reserved = self.runs.reserve(&to.conversation, to.user.as_deref())?;
        let prepared = self.source.agent(&to).await?;
        let scope = Scope::new(&*to.conversation);
        let scope = match &to.user {
            Some(user) => scope.with_user(user),
            None => scope,
        };
        Ok(prepared.agent.fork(&place.conversation, at, scope).await?)
    }

    /// Deletes a conversation with its calls' conversations, and a chat with all of its branches.
    pub(crate) async fn delete(&self, place: &RunPlace) -> Result<(), Error> {
        let chat = chat_of(&place.conversation).to_owned();
        let branches = self.branches(&chat).await?;
        let is_own = |id: &str| branches.iter().any(|branch| branch.conversation == id);
        if !branches.is_empty() && (chat == place.conversation || is_own(&place.conversation)) {
            self.forget_branches(&chat).await?;
            let all = branches.into_iter().map(|branch| branch.conversation).chain([chat]);
            for conversation in all.filter(|id| *id != place.conversation) {
                let other = RunPlace { conversation, ..place.clone() };
                // One of them may be deleted already.
                if self.summary(other.user.as_deref(), &other.conversation).await.is_ok() {
                    self.delete_one(&other).await?;
                }
            }
        }
        self.delete_one(place).await?;
        self.forget_choices(&place.conversation).await
    }

    async fn delete_one(&self, place: &RunPlace) -> Result<(), Error> {
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

    /// Gives a conversation a name, also while a run is at work in it.
    pub(crate) async fn rename(&self, place: &RunPlace, title: &str) -> Result<(), Error> {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if title.is_empty() || title.len() > MOST_TITLE {
            let why = format!("a name has 1 to {MOST_TITLE} bytes; give it another one");
            return Err(Error::new(ErrorKind::Malformed, why));
        }
        self.summary(place.user.as_deref(), &place.conversation).await?;
        let event = Event::title(self.source.masked(title));
        loop {
            let head = self.store.head(&place.conversation).await?;
            let mut entry = Entry::from(event.clone());
            entry.timestamp = Some(Timestamp::from(SystemTime::now()));
            match self.store.append(&place.conversation, head, vec![entry]).await {
                Ok(_) => return Ok(()),
                // A run has stored something meanwhile.
                Err(error) if error.kind() == store::ErrorKind::Conflict => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns the text of a turn as the model wrote it, if the log has it.
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

    /// Undoes the changes of the last run of a conversation.
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

/// The most bytes of a name.
const MOST_TITLE: usize = 200;

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
        let why = "a conversation's id cannot contain control characters; leave them out";
        return Err(Error::new(ErrorKind::Malformed, why));
    }
    Ok(())
}

pub(crate) fn unknown(conversation: &str) -> Error {
    let why = format!("you have no conversation {conversation:?}; GET /conversations lists yours");
    Error::new(ErrorKind::NotFound, why)
}
