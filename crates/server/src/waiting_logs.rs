//! The conversations that wait for answers: a user's, or all users' for the server's owner.
//!
//! Only the end of a log says whether it waits, so the result is kept until the log grows.

use std::sync::Arc;

use silcrow_agent::{ParkedQuestion, ParkedRun};
use silcrow_event::Event;
use silcrow_store::Summary;

use crate::auth::ServerUser;
use crate::conversations::is_inside;
use crate::error::{Error, ErrorKind};
use crate::server::Server;
use crate::source::RunPlace;

/// A conversation that waits for answers.
pub(crate) struct WaitingConversation {
    pub(crate) summary: Summary,
    pub(crate) questions: Arc<[ParkedQuestion]>,
}

impl Server {
    /// Returns the open questions that a user may answer, of the conversations that were used last.
    pub(crate) async fn waiting(
        &self,
        user: &ServerUser,
    ) -> Result<Vec<WaitingConversation>, Error> {
        let is_owner = self.access.is_owner(user);
        let of = if is_owner { None } else { user.name.as_deref() };
        let page = self.store.list_page(of, None, MOST).await?;
        let mut waiting = Vec::new();
        for summary in page.conversations {
            let is_own = is_owner || summary.user == user.name;
            if !is_own
                || is_inside(&summary.conversation)
                || self.runs.busy_with(&summary.conversation).is_some()
            {
                continue;
            }
            let questions = self.open_in(&summary).await?;
            if !questions.is_empty() {
                waiting.push(WaitingConversation { summary, questions });
            }
        }
        Ok(waiting)
    }

    /// Returns the conversation in which a user answers: their own, or another user's if they are
    /// the server's owner.
    pub(crate) async fn asked_place(
        &self,
        user: ServerUser,
        conversation: String,
    ) -> Result<RunPlace, Error> {
        if self.access.is_owner(&user)
            && let Some(found) = self.store.summary(&conversation).await?
        {
            return Ok(RunPlace::new(conversation).with_user(found.user));
        }
        Ok(RunPlace::new(conversation).with_user(user.name))
    }

    async fn open_in(&self, summary: &Summary) -> Result<Arc<[ParkedQuestion]>, Error> {
        let conversation = &*summary.conversation;
        if let Some(open) = self.waiting.get(conversation, summary.events) {
            return Ok(open);
        }
        let tail = summary.events.saturating_sub(TAIL) + 1..=summary.events;
        let tail = self.store.read(conversation, tail).await?;
        let is_parked = tail.iter().any(|entry| matches!(entry.event, Event::Parked(_)));
        let open: Arc<[_]> = match is_parked {
            true => {
                let user = summary.user.as_deref();
                let parked = ParkedRun::read(&*self.store, conversation, user).await?;
                let asked = parked.questions().iter();
                asked.filter(|asked| asked.answer.is_none()).cloned().collect()
            }
            false => Arc::default(),
        };
        self.waiting.keep(conversation, summary.events, &open);
        Ok(open)
    }
}

/// Returns an error unless a message comes from the user of the conversation.
pub(crate) fn check_message(
    place: &RunPlace,
    user: Option<&str>,
    message: Option<&str>,
) -> Result<(), Error> {
    if message.is_none() || place.user.as_deref() == user {
        return Ok(());
    }
    let why =
        "a message to the agent comes from the user of the conversation; send the answers alone";
    Err(Error::new(ErrorKind::Malformed, why))
}

/// The maximum number of conversations that are checked.
const MOST: usize = 200;

/// The number of events at the end of a log that are searched for the one that says that its run
/// waits. Answers and titles follow it.
const TAIL: u64 = 256;
