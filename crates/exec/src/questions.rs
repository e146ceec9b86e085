use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use silcrow_event::Kind;
use tokio::task::JoinSet;

use crate::approve::{Answer, Approver, Extent, Question};
use crate::call::Call;
use crate::fit::{Fit, message};

/// The calls that need somebody's yes: one question at a time, in the order of the calls.
pub(crate) struct Questions {
    approver: Arc<dyn Approver>,
    calls: VecDeque<Call>,
    /// It was told that the first of them is asked about.
    announced: bool,
    /// One question at most: about the first of them.
    asking: JoinSet<Answer>,
    /// What a person allowed for the conversation.
    granted: BTreeSet<Key>,
}

/// What a yes for the conversation is about: kind, name, and what it covers.
type Key = (&'static str, String, String);

impl Questions {
    pub(crate) fn new(approver: Arc<dyn Approver>) -> Self {
        Self {
            approver,
            calls: VecDeque::new(),
            announced: false,
            asking: JoinSet::new(),
            granted: BTreeSet::new(),
        }
    }

    /// Takes a call to ask about; gives it back if nobody needs to be asked.
    pub(crate) fn push(&mut self, call: Call) -> Option<Call> {
        if key(&call).is_none_or(|key| self.granted.contains(&key)) {
            return Some(call);
        }
        self.calls.push_back(call);
        None
    }

    /// Nobody is asked about what this covers.
    pub(crate) fn grant(&mut self, kind: Kind, name: String, covers: String) {
        self.granted.insert((kind.as_str(), name, covers));
    }

    /// Those among the calls, save the one that is asked about, that a grant now covers.
    pub(crate) fn freed(&mut self) -> Vec<Call> {
        let first = usize::from(self.announced);
        let (freed, kept) = self
            .calls
            .drain(first..)
            .partition(|call| key(call).is_some_and(|key| self.granted.contains(&key)));
        let kept: Vec<_> = kept;
        self.calls.extend(kept);
        freed
    }

    /// The id of the call to be asked about next, once.
    pub(crate) fn announce(&mut self) -> Option<String> {
        let first = self.calls.front().filter(|_| !self.announced)?;
        self.announced = true;
        Some(first.ready.id().to_owned())
    }

    /// Puts the question that was announced, of an agent that others called.
    pub(crate) fn ask(&mut self, conversation: &str, path: &[String]) {
        if self.announced
            && self.asking.is_empty()
            && let Some(Call { ready, fit: Fit { covers, .. } }) = self.calls.front()
        {
            let (approver, ready) = (Arc::clone(&self.approver), ready.clone());
            let (conversation, path) = (conversation.to_owned(), path.to_owned());
            let covers = covers.clone().unwrap_or_default();
            self.asking.spawn(async move {
                let question = Question {
                    conversation: &conversation,
                    id: ready.id(),
                    path: &path,
                    kind: ready.kind(),
                    tool: ready.name(),
                    args: ready.args(),
                    covers: &covers,
                };
                approver.ask(question).await
            });
        }
    }

    /// Whether a question is put and not answered.
    pub(crate) fn is_asking(&self) -> bool {
        !self.asking.is_empty()
    }

    /// Waits for the answer; `None` if no question is put. Cancel-safe.
    pub(crate) async fn answer(&mut self) -> Option<(Call, Answer)> {
        let answer = self.asking.join_next().await?.unwrap_or_else(|error| {
            let payload = error.try_into_panic();
            let said = payload.as_deref().map_or("it was stopped", message);
            Answer::Deny(format!("nobody could be asked: {said}"))
        });
        self.announced = false;
        // A call that is stopped takes its question with it.
        let call = self.calls.pop_front().expect("the question is about the first");
        if let (Answer::Allow(Extent::Conversation), Some(key)) = (&answer, key(&call)) {
            self.granted.insert(key);
        }
        Some((call, answer))
    }

    /// Takes back the question about a call.
    pub(crate) fn withdraw(&mut self, id: &str) {
        if self.calls.front().is_some_and(|call| call.ready.id() == id) {
            self.announced = false;
            self.asking = JoinSet::new();
        }
        self.calls.retain(|call| call.ready.id() != id);
    }

    /// Takes back all of them. What was granted stays.
    pub(crate) fn clear(&mut self) {
        self.calls.clear();
        self.announced = false;
        self.asking = JoinSet::new();
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }
}

/// `None` for a call about which nobody is asked.
fn key(call: &Call) -> Option<Key> {
    let covers = call.fit.covers.clone()?;
    Some((call.ready.kind().as_str(), call.ready.name().to_owned(), covers))
}
