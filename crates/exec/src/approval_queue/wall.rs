//! The requests of running calls at the wall, among the questions of the queue.
//!
//! ```text
//! Unasked ─► Announced ─► Open ─► answered ─► told, once the answer could be stored
//! ```
//!
//! An answer covers the call that asked; an approval for the conversation covers all calls of its
//! tool. Nobody waits at a wall for a later process: a question that the approver leaves open is
//! denied.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use silcrow_event::Grants;
use silcrow_tool::{ApprovalDecision, ApprovalScope, ApprovedScope, Approver, Permission};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};

use super::queued_call::GrantKey;
use super::{ApprovalQueue, ApprovalStep};
use crate::approved::ApprovalSubject;
use crate::matched_tool::panic_message;
use crate::requests::{approval_request, ask};
use crate::update::CallUpdate;
use crate::wall::{WallAnswer, WallCaller, WallRequest};

/// The calls at the wall.
#[derive(Default)]
pub(super) struct WallQueue {
    asks: VecDeque<WallAsk>,
    /// The open questions, with their numbers.
    asking: JoinSet<(u64, Option<ApprovalDecision>)>,
    last: u64,
    /// The answers that calls get next.
    told: Vec<(oneshot::Sender<WallAnswer>, WallAnswer)>,
    /// The answers so far, by the number of the attempt that asked.
    answered: HashMap<u64, AnsweredDoors>,
}

/// The answers to an attempt at the wall.
#[derive(Default)]
struct AnsweredDoors {
    open: Grants,
    refused: Vec<(Grants, String)>,
}

/// A call at the wall whose question is not answered.
struct WallAsk {
    request: WallRequest,
    why: String,
    state: AskState,
}

enum AskState {
    Unasked,
    /// The next call of [`ApprovalQueue::ask`] asks.
    Announced,
    /// The approver is asked, under this number.
    Open(u64, AbortHandle),
}

impl ApprovalQueue {
    /// Takes a request of a running call. If it `must_ask`, no permissions allow it.
    pub(crate) fn meet(&mut self, request: WallRequest, must_ask: bool) {
        let known = self.wall.answer_of(&request, &self.granted);
        if let Some(answer) = known {
            // It may have given up.
            let _ = request.reply.send(answer);
            return;
        }
        let why = match self.decide_at_wall(&request) {
            Permission::Allow if must_ask => String::new(),
            Permission::Allow => return self.wall.close(request, Ok(())),
            Permission::Deny(why) => return self.wall.close(request, Err(why)),
            Permission::Ask(_) if self.wall.asks.len() >= MAX_ASKS => {
                let why = "too many questions of running calls are open already";
                return self.wall.close(request, Err(why.to_owned()));
            }
            Permission::Ask(why) => why,
        };
        self.wall.asks.push_back(WallAsk { request, why, state: AskState::Unasked });
    }

    fn decide_at_wall(&self, request: &WallRequest) -> Permission {
        let Some(permissions) = self.approver.permissions() else {
            return Permission::Ask(String::new());
        };
        let decide = || permissions.decide_at_wall(&request.caller.request(), &request.wanted);
        catch_unwind(AssertUnwindSafe(decide)).unwrap_or_else(|payload| {
            let why = panic_message(&*payload);
            Permission::Deny(format!("a panic while the permissions decided: {why}"))
        })
    }

    /// Announces the next question at the wall, unless it has to wait for another one.
    pub(super) fn announce_at_wall(&mut self) -> Option<(String, ApprovalSubject)> {
        let is_free = self.at_once
            || !self.wall.is_asked()
                && !self.calls.iter().any(|call| call.is_asked() && !call.is_parked());
        let asks = &mut self.wall.asks;
        asks.retain(|ask| !ask.request.gone.is_cancelled() || ask.is_asked());
        let ask = asks.iter_mut().find(|ask| !ask.is_asked()).filter(|_| is_free)?;
        ask.state = AskState::Announced;
        Some((ask.request.caller.ready.id().to_owned(), ask.subject()))
    }

    /// Asks the approver about the announced questions at the wall.
    pub(super) fn ask_at_wall(&mut self) {
        let WallQueue { asks, asking, last, .. } = &mut self.wall;
        for ask in asks.iter_mut().filter(|ask| matches!(ask.state, AskState::Announced)) {
            *last += 1;
            let (number, approver) = (*last, Arc::clone(&self.approver));
            let (caller, wanted) = (Arc::clone(&ask.request.caller), ask.request.wanted.clone());
            let (why, gone) = (ask.why.clone(), ask.request.gone.clone());
            let task = asking.spawn(async move {
                let answer = tokio::select! {
                    biased;
                    () = gone.cancelled() => None,
                    answer = put_question(&caller, &wanted, &why, &*approver) => Some(answer),
                };
                (number, answer)
            });
            ask.state = AskState::Open(number, task);
        }
    }

    /// Takes an answer at the wall, or notes that nobody waits for one any more.
    /// [`tell`](Self::tell) passes the answer to the call.
    pub(super) fn answered_at_wall(
        &mut self,
        number: u64,
        answer: Option<ApprovalDecision>,
    ) -> ApprovalStep {
        let is_it = |ask: &WallAsk| matches!(ask.state, AskState::Open(open, _) if open == number);
        let at = self.wall.asks.iter().position(is_it);
        // The call may have ended after the answer was given.
        let Some(ask) = at.and_then(|at| self.wall.asks.remove(at)) else {
            return ApprovalStep::Ready;
        };
        let Some(answer) = answer else { return ApprovalStep::Ready };
        let answer = match answer {
            ApprovalDecision::Park => ApprovalDecision::Deny(PARKED.to_owned()),
            answer => answer,
        };
        self.closed += 1;
        let (request, scope) = (&ask.request, ApprovedScope::text_of_doors(&ask.request.wanted));
        let ready = &request.caller.ready;
        let lasts = ApprovalDecision::Allow(ApprovalScope::Once) != answer;
        if lasts && matches!(answer, ApprovalDecision::Allow(_)) {
            self.granted.insert((ready.kind().as_str(), ready.name().to_owned(), scope.clone()));
        }
        let (id, subject) = (ready.id().to_owned(), ask.subject());
        let told = match &answer {
            ApprovalDecision::Deny(why) => Err(why.clone()),
            _ => Ok(()),
        };
        self.wall.note(&ask.request, &told);
        self.wall.told.push((ask.request.reply, told));
        self.free_at_wall();
        ApprovalStep::AtWall(CallUpdate::Answered { id, subject, answer, scope })
    }

    /// Answers the questions that an earlier answer covers by now.
    fn free_at_wall(&mut self) {
        for ask in std::mem::take(&mut self.wall.asks) {
            match self.wall.answer_of(&ask.request, &self.granted) {
                // One that is asked about alone stays.
                Some(answer) if self.at_once || !ask.is_asked() => {
                    ask.withdraw();
                    self.wall.told.push((ask.request.reply, answer));
                }
                _ => self.wall.asks.push_back(ask),
            }
        }
    }

    /// Sends the calls the earlier answers, which are stored by now.
    pub(crate) fn tell(&mut self) {
        for (reply, answer) in self.wall.told.drain(..) {
            // It may have given up.
            let _ = reply.send(answer);
        }
    }

    /// Withdraws the requests of an attempt, because it has ended.
    pub(crate) fn leave_wall(&mut self, attempt: u64) {
        self.wall.answered.remove(&attempt);
        self.wall.withdraw(|ask| ask.request.attempt == attempt);
    }
}

impl WallQueue {
    /// Withdraws the questions of a call.
    pub(super) fn withdraw_call(&mut self, id: &str) {
        self.withdraw(|ask| ask.request.caller.ready.id() == id);
    }

    fn withdraw(&mut self, is_it: impl Fn(&WallAsk) -> bool) {
        for ask in self.asks.iter().filter(|ask| is_it(ask)) {
            ask.withdraw();
        }
        self.asks.retain(|ask| !is_it(ask));
    }

    /// Returns whether a question is announced or open.
    pub(super) fn is_asked(&self) -> bool {
        self.asks.iter().any(WallAsk::is_asked)
    }

    /// Waits for the next answer; `None` without an open question. Cancel-safe.
    pub(super) async fn answer(&mut self) -> Option<Option<(u64, Option<ApprovalDecision>)>> {
        // An error says that the question was withdrawn.
        Some(self.asking.join_next().await?.ok())
    }

    /// Returns the answer that was given before, to this attempt or for the conversation.
    fn answer_of(&self, request: &WallRequest, granted: &BTreeSet<GrantKey>) -> Option<WallAnswer> {
        let WallRequest { attempt, caller, wanted, .. } = request;
        let answered = self.answered.get(attempt);
        if let Some(answered) = answered {
            let refused = answered.refused.iter().find(|(refused, _)| refused == wanted);
            if let Some((_, why)) = refused {
                return Some(Err(why.clone()));
            }
        }
        let mut open = answered.map(|answered| answered.open.clone()).unwrap_or_default();
        let ready = &caller.ready;
        let own = granted
            .iter()
            .filter(|(kind, name, _)| *kind == ready.kind().as_str() && name == ready.name());
        for (_, tool, scope) in own {
            open = open.union(ApprovedScope { tool, scope }.doors().unwrap_or_default());
        }
        open.cover_all(wanted).then_some(Ok(()))
    }

    /// Answers a request at once.
    fn close(&mut self, request: WallRequest, answer: WallAnswer) {
        // It may have given up.
        let _ = request.reply.send(answer);
    }

    /// Remembers an answer for as long as the attempt runs.
    fn note(&mut self, request: &WallRequest, answer: &WallAnswer) {
        let WallRequest { attempt, wanted, .. } = request;
        let answered = self.answered.entry(*attempt).or_default();
        match answer {
            Ok(()) => answered.open = std::mem::take(&mut answered.open).union(wanted.clone()),
            Err(why) => answered.refused.push((wanted.clone(), why.clone())),
        }
    }
}

impl WallAsk {
    const fn is_asked(&self) -> bool {
        !matches!(self.state, AskState::Unasked)
    }

    fn withdraw(&self) {
        if let AskState::Open(_, asking) = &self.state {
            asking.abort();
        }
    }

    /// Returns the subject of the question. Its target is the doors, so that an answer to it is never
    /// one to the question whether the call may run.
    fn subject(&self) -> ApprovalSubject {
        let WallRequest { caller, wanted, .. } = &self.request;
        ApprovalSubject::at_wall(caller.ready.args(), wanted)
    }
}

/// Asks an approver about doors. A panic refuses them.
async fn put_question(
    caller: &WallCaller,
    wanted: &Grants,
    why: &str,
    approver: &dyn Approver,
) -> ApprovalDecision {
    let WallCaller { ready, scope: asking, time_limit, .. } = caller;
    let (target, scope) = (wanted.to_string(), ApprovedScope::text_of_doors(wanted));
    let mut question = approval_request(ready, asking);
    question.target = Some(&target);
    question.effect = Some(EFFECT);
    question.scope = &scope;
    question.grants = wanted;
    question.why = Some(why).filter(|why| !why.is_empty());
    question.time_limit = *time_limit;
    ask(approver, question).await
}

/// The number of questions of running calls that wait at once.
const MAX_ASKS: usize = 256;

const EFFECT: &str = "the call runs, and waits at this door";

const PARKED: &str = "nobody answers now, and a running call does not wait for a later answer";
