//! The runs of other servers that are read here, and the conversations with readers.

use std::sync::Arc;

use silcrow_front::RunEnd;

use super::{PlacedRun, Runs};
use crate::live_run::LiveRun;
use crate::source::RunPlace;

impl Runs {
    /// Returns the run that is at work in a conversation, here or on another server whose run is
    /// mirrored.
    pub(crate) fn readable(&self, conversation: &str) -> Option<Arc<LiveRun>> {
        let at_work = self.at_work(conversation);
        at_work.or_else(|| self.lock().mirrors.get(conversation)?.clone())
    }

    /// Reserves the place of a mirror, unless the run is here or mirrored already.
    pub(crate) fn reserve_mirror(self: &Arc<Self>, conversation: &str) -> Option<MirrorPlace> {
        let mut state = self.lock();
        let is_here = state.places.get(conversation).is_some_and(|placed| placed.is_busy);
        if is_here || state.is_closed || state.mirrors.contains_key(conversation) {
            return None;
        }
        state.mirrors.insert(conversation.to_owned(), None);
        drop(state);
        Some(MirrorPlace { runs: Arc::clone(self), conversation: conversation.to_owned() })
    }

    /// Takes the end of a run that is mirrored.
    pub(crate) fn end_mirror(&self, run: &Arc<LiveRun>, end: RunEnd) {
        let mut state = self.lock();
        run.finish(end);
        let conversation = &run.place.conversation;
        if state.places.get(conversation).is_none_or(|placed| !placed.is_busy) {
            let (id, user) = (run.id.clone(), run.place.user.clone());
            let placed = PlacedRun { id, user, run: Some(Arc::clone(run)), is_busy: false };
            state.places.insert(conversation.clone(), placed);
            state.keep_over(conversation, &run.id);
        }
    }

    /// Counts a reader of a conversation for as long as the value lives.
    pub(crate) fn follow(self: &Arc<Self>, conversation: &str) -> FollowedConversation {
        *self.lock().followed.entry(conversation.to_owned()).or_default() += 1;
        FollowedConversation { runs: Arc::clone(self), conversation: conversation.to_owned() }
    }

    /// Returns whether a conversation, or the journal of its user, has readers.
    pub(crate) fn is_read(&self, place: &RunPlace) -> bool {
        let state = self.lock();
        let journal = || state.journals.get(&place.user).is_some_and(|journal| journal.is_read());
        state.followed.contains_key(&place.conversation) || journal()
    }

    /// Returns whether the caller has to watch other servers, because no other task does.
    pub(crate) fn begin_watch(&self) -> bool {
        !std::mem::replace(&mut self.lock().is_watching, true)
    }

    /// Ends the watch if no conversation has readers, and returns whether it has ended.
    pub(crate) fn end_watch_if_unread(&self) -> bool {
        let mut state = self.lock();
        let is_read =
            !state.followed.is_empty() || state.journals.values().any(|journal| journal.is_read());
        state.is_watching = is_read;
        !is_read
    }
}

/// The place of the mirror of a run, which is free again when the value is dropped.
pub(crate) struct MirrorPlace {
    runs: Arc<Runs>,
    conversation: String,
}

impl MirrorPlace {
    /// Puts the mirror there, where readers find it.
    pub(crate) fn fill(&self, run: &Arc<LiveRun>) {
        self.runs.lock().mirrors.insert(self.conversation.clone(), Some(Arc::clone(run)));
        self.runs.begun.send_modify(|begun| *begun += 1);
    }
}

impl Drop for MirrorPlace {
    fn drop(&mut self) {
        let mirror = self.runs.lock().mirrors.remove(&self.conversation).flatten();
        if let Some(mirror) = mirror {
            mirror.break_off();
        }
    }
}

/// A conversation with readers.
pub(crate) struct FollowedConversation {
    runs: Arc<Runs>,
    conversation: String,
}

impl Drop for FollowedConversation {
    fn drop(&mut self) {
        let mut state = self.runs.lock();
        if let Some(readers) = state.followed.get_mut(&self.conversation) {
            *readers -= 1;
            if *readers == 0 {
                state.followed.remove(&self.conversation);
            }
        }
    }
}
