//! The calls that wait for a person's approval.
//!
//! ```text
//! waiting ─► previewed ─► announced ─► asked ─► allowed or denied
//!    │          └─ a grant covers it ─► allowed
//!    ├─ permissions or the tool's policy decide ─► allowed or denied
//!    ├─ an answer was given before ─► allowed or denied
//!    └─ the preview fails ─► refused
//! asked ─► parked: the approver leaves the question open
//! ```
//!
//! A preview that is older than the last answer is made again, because its target may have changed.
//! Calls for items of one loop are asked about together ([`items`]).

mod answers;
mod clearing;
mod items;
mod queued_call;
mod wall;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::CallKind;
use silcrow_plan as plan;
use silcrow_tool::{ApprovalDecision, Approver, CallContext, Preview};
use tokio::task::JoinSet;

pub(crate) use self::items::MOST_ITEMS;
use self::queued_call::{GrantKey, PreviewTask, QueuedCall, RequestState};
use self::wall::WallQueue;
use crate::approved::{ApprovalSubject, Approved};
use crate::call::{CheckedCall, RunnableCall};
use crate::call_terms::CallTerms;
use crate::matched_tool::Refusal;
use crate::preview::preview;
use crate::update::CallUpdate;

/// A queue of the calls that need approval. The tool previews each call before the request about
/// it. One request is open at a time, in the order of the calls, unless the approver wants all at
/// once.
pub(crate) struct ApprovalQueue {
    approver: Arc<dyn Approver>,
    /// Whether all requests are open at once.
    at_once: bool,
    /// Whether one request may be about several items of a loop.
    takes_items: bool,
    calls: VecDeque<QueuedCall>,
    /// The previews that are being made, with their numbers.
    looks: JoinSet<(u64, Result<Preview, Refusal>)>,
    last_look: u64,
    /// The number of requests that are closed. A preview that began before the last of them was
    /// closed is out of date.
    closed: u64,
    /// The open requests, with their numbers.
    asking: JoinSet<(u64, ApprovalDecision)>,
    last_request: u64,
    /// The requests of running calls.
    wall: WallQueue,
    /// The scopes that a person approved for the whole conversation.
    granted: BTreeSet<GrantKey>,
    /// The approvals that cover further attempts, by the call's id.
    approved: HashMap<String, Approved>,
    /// The answers to questions of an earlier process, by the call's id: the subject of each, and
    /// the reason of a denial.
    given: HashMap<String, (ApprovalSubject, Option<String>)>,
    /// The loops whose other items were looked for.
    foreseen: BTreeSet<String>,
}

/// Something that happened to a call.
pub(crate) enum ApprovalStep {
    /// Permissions allow the call, or a grant or an earlier answer covers it.
    Granted(RunnableCall),
    /// The tool says that the call cannot be done, or permissions or an earlier answer deny it.
    Refused(plan::ReadyCall, Refusal),
    /// The approver leaves the question about these calls open.
    Parked(Vec<String>),
    /// The approver answered.
    Answered(Vec<DecidedCall>),
    /// A person will be asked about this call for an item of a loop.
    Item(String),
    /// The approver answered a request of a running call.
    AtWall(CallUpdate),
    /// The next request may be ready.
    Ready,
}

/// A call that the approver has decided about.
pub(crate) struct DecidedCall {
    /// Its outcome; `None` if the call has not come yet.
    pub(crate) outcome: Option<Result<RunnableCall, (plan::ReadyCall, Refusal)>>,
    pub(crate) update: CallUpdate,
}

impl ApprovalQueue {
    pub(crate) fn new(approver: Arc<dyn Approver>) -> Self {
        Self {
            at_once: approver.is_asked_at_once(),
            takes_items: approver.takes_items(),
            approver,
            calls: VecDeque::new(),
            looks: JoinSet::new(),
            last_look: 0,
            closed: 0,
            asking: JoinSet::new(),
            last_request: 0,
            wall: WallQueue::default(),
            granted: BTreeSet::new(),
            approved: HashMap::new(),
            given: HashMap::new(),
            foreseen: BTreeSet::new(),
        }
    }

    pub(crate) fn approver(&self) -> Arc<dyn Approver> {
        Arc::clone(&self.approver)
    }

    /// Takes over a person's approvals for the conversation.
    pub(crate) fn share_grants(&mut self, other: &Self) {
        self.granted.clone_from(&other.granted);
    }

    /// Returns whether permissions decide about the calls.
    pub(crate) fn has_permissions(&self) -> bool {
        self.approver.permissions().is_some()
    }

    /// Adds a call that may need approval, or returns it if an earlier approval covers this
    /// attempt. `max_timeout` bounds the time of its preview and of each attempt. If it `must_ask`,
    /// no permissions answer for the approver.
    pub(crate) fn push(
        &mut self,
        call: CheckedCall,
        context: CallContext,
        max_timeout: Duration,
        must_ask: bool,
    ) -> Option<RunnableCall> {
        let call = self.take_foreseen(call, &context, must_ask)?;
        let approved = self.approved.remove(call.ready.id());
        if call.ready.attempt() > 1
            && let Some(approved) = approved.filter(|yes| yes.is_of(call.ready.args()))
        {
            return Some(self.clear(call, approved));
        }
        self.add(call, context, max_timeout).must_ask = must_ask;
        None
    }

    /// Adds a call, and lets its tool preview it.
    fn add(
        &mut self,
        call: CheckedCall,
        context: CallContext,
        max_timeout: Duration,
    ) -> &mut QueuedCall {
        let look = self.look(&call, &context, max_timeout);
        self.calls.push_back(QueuedCall {
            call,
            context,
            max_timeout,
            look,
            preview: None,
            terms: CallTerms::default(),
            wider_scopes: Vec::new(),
            why: String::new(),
            request: RequestState::Unasked,
            must_ask: false,
            is_foreseen: false,
        });
        let last = self.calls.len() - 1;
        &mut self.calls[last]
    }

    /// Approves all calls of this scope.
    pub(crate) fn grant(&mut self, kind: CallKind, name: String, scope: String) {
        self.granted.insert((kind.as_str(), name, scope));
    }

    /// Takes the answer to a question that an earlier process asked: no reason allows the call. The
    /// question is asked again if it has no answer in this one ([`ApprovalSubject::approves`]).
    pub(crate) fn give(&mut self, id: String, subject: ApprovalSubject, denied: Option<String>) {
        self.given.insert(id, (subject, denied));
    }

    /// Returns whether calls wait, and the approver left the questions about all of them open.
    pub(crate) fn is_parked(&self) -> bool {
        self.len() > 0 && self.come().all(QueuedCall::is_parked)
    }

    /// Returns the calls that wait, without those that have not come yet.
    fn come(&self) -> impl Iterator<Item = &QueuedCall> {
        self.calls.iter().filter(|waits| !waits.is_foreseen)
    }

    /// Removes and returns the calls that a grant covers by now. A call that is asked about alone
    /// stays; if all are asked about at once, the requests about these calls are withdrawn.
    pub(crate) fn freed(&mut self) -> Vec<RunnableCall> {
        let (freed, kept): (Vec<_>, Vec<_>) = self.calls.drain(..).partition(|waits| {
            (self.at_once || !waits.is_asked() || waits.is_parked())
                && waits.is_covered_by(&self.granted, self.approver.permissions())
        });
        self.calls.extend(kept);
        for waits in &freed {
            waits.withdraw();
            self.release(waits.others());
        }
        let come = freed.into_iter().filter(|waits| !waits.is_foreseen);
        come.filter_map(|waits| self.clear_by_grant(waits)).collect()
    }

    /// Returns the ids of the calls that are asked about next, and the subject of each request. Returns
    /// each request once, and none while no preview is ready.
    pub(crate) fn announce(&mut self) -> Vec<(String, ApprovalSubject)> {
        if let Some(at_wall) = self.announce_at_wall() {
            return vec![at_wall];
        }
        if !self.at_once {
            if self.wall.is_asked() {
                return Vec::new();
            }
            let is_first = |waits: &QueuedCall| !waits.is_foreseen && !waits.is_parked();
            let first = self.calls.iter().position(is_first);
            return first.map(|first| self.announce_at(first)).unwrap_or_default();
        }
        let announced = (0..self.calls.len()).map(|index| self.announce_at(index));
        announced.into_iter().find(|announced| !announced.is_empty()).unwrap_or_default()
    }

    /// Asks the approver about the announced calls.
    pub(crate) fn ask(&mut self) {
        self.ask_at_wall();
        for at in 0..self.calls.len() {
            let Some((question, others)) = self.question_at(at) else { continue };
            self.last_request += 1;
            let (number, approver) = (self.last_request, Arc::clone(&self.approver));
            let asking = self.asking.spawn(async move { (number, question.ask(&*approver).await) });
            self.calls[at].request = RequestState::Open { number, asking, others };
        }
    }

    /// Returns whether a preview or an answer is still expected.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.asking.is_empty() || !self.looks.is_empty()
    }

    /// Waits for an answer or a preview; `None` if neither is expected. Cancel-safe.
    pub(crate) async fn step(&mut self) -> Option<ApprovalStep> {
        tokio::select! {
            biased;
            Some(answer) = self.asking.join_next() => Some(match answer {
                Ok((number, answer)) => self.answered(number, answer),
                // The call was stopped.
                Err(_) => ApprovalStep::Ready,
            }),
            Some(answer) = self.wall.answer() => Some(match answer {
                Some((number, answer)) => self.answered_at_wall(number, answer),
                None => ApprovalStep::Ready,
            }),
            Some(look) = self.looks.join_next() => Some(match look {
                Ok((number, preview)) => self.previewed(number, preview),
                // The call was stopped, or its preview is made again.
                Err(_) => ApprovalStep::Ready,
            }),
            else => None,
        }
    }

    /// Removes all calls, and withdraws the open requests. Grants stay.
    pub(crate) fn withdraw_all(&mut self) {
        self.calls.clear();
        self.looks = JoinSet::new();
        self.asking = JoinSet::new();
        self.wall = WallQueue::default();
        self.foreseen.clear();
        self.closed += 1;
    }

    pub(crate) fn len(&self) -> usize {
        self.come().count()
    }

    fn look(
        &mut self,
        call: &CheckedCall,
        context: &CallContext,
        max_timeout: Duration,
    ) -> PreviewTask {
        self.last_look += 1;
        let (number, call, context) = (self.last_look, call.clone(), context.clone());
        let task =
            self.looks.spawn(async move { (number, preview(&call, &context, max_timeout).await) });
        PreviewTask { number, closed: self.closed, task }
    }
}
