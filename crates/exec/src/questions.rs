use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::Kind;
use tokio::task::{AbortHandle, JoinError, JoinSet};

use crate::approve::{Answer, Approver, Extent, Question};
use crate::call::Call;
use crate::context::Context;
use crate::fit::{Refusal, message};
use crate::preview::preview;
use crate::tool::Preview;

/// The calls that need somebody's yes: one question at a time, in the order of the calls. Before
/// each question the tool says what the call would do.
pub(crate) struct Questions {
    approver: Arc<dyn Approver>,
    calls: VecDeque<Unapproved>,
    /// What the tools say, with the number of the look at the call.
    looks: JoinSet<(u64, Result<Preview, Refusal>)>,
    last_look: u64,
    /// Questions that were closed so far. A preview from before the last one is out of date: time
    /// has passed since.
    closed: u64,
    /// It was told that the first of them is asked about.
    announced: bool,
    /// One question at most: about the first of them.
    asking: JoinSet<Answer>,
    /// What a person allowed for the conversation.
    granted: BTreeSet<Key>,
}

/// A call that waits for a yes.
struct Unapproved {
    call: Call,
    context: Context,
    longest: Duration,
    look: Look,
    preview: Option<Preview>,
}

/// The last look at what a call would do.
struct Look {
    number: u64,
    /// Questions that were closed when it began.
    closed: u64,
    task: AbortHandle,
}

/// What becomes of the calls.
pub(crate) enum Step {
    /// A person allowed the call before.
    Granted(Call),
    /// The call cannot be done.
    Refused(Call, Refusal),
    /// A person answered.
    Answered(Call, Preview, Answer),
    /// The next question may be ready.
    Ready,
}

/// What a yes for the conversation is about: kind, name, and scope.
type Key = (&'static str, String, String);

impl Questions {
    pub(crate) fn new(approver: Arc<dyn Approver>) -> Self {
        Self {
            approver,
            calls: VecDeque::new(),
            looks: JoinSet::new(),
            last_look: 0,
            closed: 0,
            announced: false,
            asking: JoinSet::new(),
            granted: BTreeSet::new(),
        }
    }

    /// Takes a call to ask about; its preview may take as long as that.
    pub(crate) fn push(&mut self, call: Call, context: Context, longest: Duration) {
        let look = self.look(&call, &context, longest);
        self.calls.push_back(Unapproved { call, context, longest, look, preview: None });
    }

    /// Nobody is asked about calls of this scope.
    pub(crate) fn grant(&mut self, kind: Kind, name: String, scope: String) {
        self.granted.insert((kind.as_str(), name, scope));
    }

    /// Those among the calls, except the one that is asked about, that a grant now covers.
    pub(crate) fn freed(&mut self) -> Vec<Call> {
        let first = usize::from(self.announced);
        let (freed, kept): (Vec<_>, Vec<_>) = self
            .calls
            .drain(first..)
            .partition(|waits| waits.key().is_some_and(|key| self.granted.contains(&key)));
        self.calls.extend(kept);
        freed.into_iter().map(Unapproved::approved).collect()
    }

    /// The id of the call to be asked about next, once.
    pub(crate) fn announce(&mut self) -> Option<String> {
        if self.announced {
            return None;
        }
        let mut first = self.calls.pop_front()?;
        if first.look.closed < self.closed {
            first.preview = None;
            first.look.task.abort();
            first.look = self.look(&first.call, &first.context, first.longest);
        }
        self.announced = first.preview.is_some();
        let id = first.call.ready.id().to_owned();
        self.calls.push_front(first);
        self.announced.then_some(id)
    }

    /// Puts the question that was announced, of an agent that others called.
    pub(crate) fn ask(&mut self, conversation: &str, path: &[String]) {
        if self.announced
            && self.asking.is_empty()
            && let Some(Unapproved { call, preview: Some(preview), .. }) = self.calls.front()
        {
            let (approver, ready) = (Arc::clone(&self.approver), call.ready.clone());
            let (conversation, path) = (conversation.to_owned(), path.to_owned());
            let Preview { target, scope } = preview.clone();
            self.asking.spawn(async move {
                let question = Question {
                    conversation: &conversation,
                    id: ready.id(),
                    path: &path,
                    kind: ready.kind(),
                    tool: ready.name(),
                    args: ready.args(),
                    target: target.as_deref(),
                    scope: &scope,
                };
                approver.ask(question).await
            });
        }
    }

    /// Whether a preview or an answer is to come.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.asking.is_empty() || !self.looks.is_empty()
    }

    /// Waits for an answer or a preview; `None` if neither is to come. Cancel-safe.
    pub(crate) async fn step(&mut self) -> Option<Step> {
        tokio::select! {
            biased;
            Some(answer) = self.asking.join_next() => Some(self.answered(answer)),
            Some(look) = self.looks.join_next() => Some(match look {
                Ok((number, preview)) => self.previewed(number, preview),
                // Its call was stopped, or is looked at again.
                Err(_) => Step::Ready,
            }),
            else => None,
        }
    }

    fn answered(&mut self, answer: Result<Answer, JoinError>) -> Step {
        let answer = answer.unwrap_or_else(|error| {
            let payload = error.try_into_panic();
            let said = payload.as_deref().map_or("it was stopped", message);
            Answer::Deny(format!("nobody could be asked: {said}"))
        });
        // A call that is stopped takes its question with it.
        let waits = self.calls.pop_front().expect("the question is about the first");
        if let (Answer::Allow(Extent::Conversation), Some(key)) = (&answer, waits.key()) {
            self.granted.insert(key);
        }
        self.close();
        let preview = waits.preview.clone().expect("nobody is asked without a preview");
        Step::Answered(waits.approved(), preview, answer)
    }

    fn previewed(&mut self, number: u64, preview: Result<Preview, Refusal>) -> Step {
        let Some(at) = self.calls.iter().position(|waits| waits.look.number == number) else {
            return Step::Ready;
        };
        let mut waits = self.calls.remove(at).expect("it is at that position");
        match preview {
            Err(refusal) => Step::Refused(waits.call, refusal),
            Ok(preview) => {
                waits.preview = Some(preview);
                if waits.key().is_some_and(|key| self.granted.contains(&key)) {
                    return Step::Granted(waits.approved());
                }
                self.calls.insert(at, waits);
                Step::Ready
            }
        }
    }

    /// Takes back the question about a call.
    pub(crate) fn withdraw(&mut self, id: &str) {
        if self.announced && self.calls.front().is_some_and(|waits| waits.is(id)) {
            self.close();
        }
        for waits in self.calls.iter().filter(|waits| waits.is(id)) {
            waits.look.task.abort();
        }
        self.calls.retain(|waits| !waits.is(id));
    }

    /// Takes back all of them. What was granted stays.
    pub(crate) fn clear(&mut self) {
        self.calls.clear();
        self.looks = JoinSet::new();
        self.close();
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    /// No question is put any more.
    fn close(&mut self) {
        self.announced = false;
        self.asking = JoinSet::new();
        self.closed += 1;
    }

    fn look(&mut self, call: &Call, context: &Context, longest: Duration) -> Look {
        self.last_look += 1;
        let (number, call, context) = (self.last_look, call.clone(), context.clone());
        let task = self.looks.spawn(async move {
            (number, preview(&call.ready, &call.fit, &context, longest).await)
        });
        Look { number, closed: self.closed, task }
    }
}

impl Unapproved {
    fn is(&self, id: &str) -> bool {
        self.call.ready.id() == id
    }

    /// The call, which runs with the preview that was approved.
    fn approved(self) -> Call {
        Call { approved: self.preview, ..self.call }
    }

    /// `None` as long as the tool has not said what the call would do.
    fn key(&self) -> Option<Key> {
        let scope = self.preview.as_ref()?.scope.clone();
        Some((self.call.ready.kind().as_str(), self.call.ready.name().to_owned(), scope))
    }
}
