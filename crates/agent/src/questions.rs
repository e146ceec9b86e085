//! The questions for whose answers a conversation waits, and the answers that the log has.
//!
//! ```text
//! open ── an answer is stored ──► answered ── the run continues ──► its call runs or is denied
//!   └── a new prompt begins ──► gone
//! ```
//!
//! Everything is read from the log, except the mark of imported events: an imported event is
//! neither a question nor an answer.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Approval, ApprovalState, Call, Entry, Event, OpenQuestion, Parked};
use silcrow_exec::ApprovalSubject;
use silcrow_store as store;
use silcrow_store::{OpenCalls, imported};
use silcrow_tool::ApprovalDecision;

use crate::error::Error;
use crate::log::Log;
use crate::names::{escaped, last_conversation};
use crate::parked_answer::ParkedAnswer;

/// A question about a call for whose answer a conversation waits.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::{Agent, RunOutcome};
/// use silcrow_exec::{ApprovalDecision, ApprovalNeed, ParkAll, ToolPolicy};
/// # use silcrow_exec::*;
/// # use silcrow_provider::ScriptedModel;
/// # use silcrow_store::MemoryStore;
/// # struct Mail;
/// # impl Tool for Mail {
/// #     fn name(&self) -> &str { "mail" }
/// #     fn description(&self) -> &str { "Sends a mail." }
/// #     fn schema(&self) -> &str { "{}" }
/// #     fn policy(&self) -> ToolPolicy {
/// #         ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() }
/// #     }
/// #     fn call<'a>(&'a self, _: ToolArgs<'a>, _: &'a CallContext)
/// #         -> futures_util::future::BoxFuture<'a, Result<ToolOutput, ToolError>> {
/// #         Box::pin(async { Ok(ToolOutput::new("sent", "sent")) })
/// #     }
/// # }
///
/// // The tool `mail` needs approval, and nobody is there to give it.
/// let script = "§call: {\"name\": \"mail\"}\n§execute\n%%\n§respond: It is sent.\n§end";
/// let agent = Agent::new(ScriptedModel::parse(script, 1), MemoryStore::new())
///     .with_tool(Mail)
///     .unwrap()
///     .with_approver(ParkAll);
/// let outcome = agent.run("mails", "Tell Ada.", &mut |_| {}).await.unwrap();
/// let RunOutcome::Waiting(questions) = outcome else { panic!() };
/// assert_eq!((questions[0].id(), &*questions[0].question.tool), ("1/a1", "mail"));
///
/// // Days later, and perhaps in another process:
/// let no = questions[0].answer(ApprovalDecision::Deny("Not today.".to_owned()));
/// let outcome = agent.resume("mails", &[no], &mut |_| {}).await.unwrap();
/// assert_eq!(outcome, RunOutcome::Answered);
/// # });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParkedQuestion {
    id: String,
    /// The conversation of the call: the waiting conversation itself, or the conversation of an
    /// agent or workflow that one of its calls runs.
    pub conversation: String,
    /// The turn of the call.
    pub turn: u32,
    /// The question.
    pub question: OpenQuestion,
    /// The answer, if one is stored and the run has not continued yet.
    pub answer: Option<ApprovalState>,
}

/// An answer to a [`ParkedQuestion`]. It is about exactly the arguments, the target, the risk and the
/// changed lines of that question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionAnswer {
    pub(crate) id: String,
    pub(crate) question: OpenQuestion,
    pub(crate) decision: ApprovalDecision,
}

impl ParkedQuestion {
    /// Returns the id of the question, which is unique in the conversation that waits: the turn and
    /// the id of the call, such as `3/a1`. Before them are the turn and the id of each call around
    /// it, as in `3/sum/1/a1`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Answers the question. [`ApprovalDecision::Park`] leaves it open.
    pub fn answer(&self, decision: ApprovalDecision) -> QuestionAnswer {
        QuestionAnswer { id: self.id.clone(), question: self.question.clone(), decision }
    }
}

/// A turn that waits for answers.
pub(crate) struct ParkedTurn {
    pub(crate) turn: u32,
    pub(crate) parked: Parked,
    /// The answers since the turn first waited.
    pub(crate) answers: Vec<ParkedAnswer>,
    /// Whether it did not park, but was interrupted in the middle of a loop.
    pub(crate) is_interrupted: bool,
}

impl ParkedTurn {
    /// Returns whether a call of a turn may stay open, because it starts when this turn continues.
    pub(crate) fn has_open(&self, turn: u32, call: &Call) -> bool {
        self.turn == turn && (!self.is_interrupted || call.is_instance())
    }

    /// Returns whether a call has started and waits for answers inside it.
    pub(crate) fn waits_inside(&self, id: &str) -> bool {
        self.parked.inside.iter().any(|call| call == id)
    }

    /// Returns the answer to a question.
    pub(crate) fn answer(&self, question: &OpenQuestion) -> Option<&Approval> {
        let OpenQuestion { args_sha256, target, risk, diff, grants, .. } = question.clone();
        let asked = ApprovalSubject::new(args_sha256, target, risk);
        let asked = asked.with_diff(diff).with_grants(grants);
        let fits = |answer: &&ParkedAnswer| {
            let answers = match answer.approval.state {
                ApprovalState::Denied => ApprovalSubject::denies,
                _ => ApprovalSubject::approves,
            };
            answer.approval.id == question.id
                && answer.subject().is_some_and(|about| answers(&about, &asked))
        };
        self.answers.iter().find(fits).map(|answer| &answer.approval)
    }
}

/// Returns the turns of a log that wait for answers, in their order. The last turn of the log is
/// one of them even if all of its calls have ended: later entries may be missing.
pub(crate) async fn parked_turns(log: &Log<'_>) -> Result<Vec<ParkedTurn>, store::Error> {
    let imported = imported::head(log.store(), log.conversation()).await?;
    let (mut calls, mut turns) = (OpenCalls::default(), BTreeMap::new());
    for (entry, position) in log.positioned() {
        calls.apply(entry, |_| ());
        if position > imported {
            read(entry, &mut turns);
        }
    }
    let open: BTreeSet<u32> = calls.into_calls().map(|(turn, ..)| turn).collect();
    let last = log.last_turn();
    let is_waiting = |turn: &u32| {
        let stops = |entry: &Entry| matches!(entry.event, Event::Cancelled { .. });
        let of_turn = |entry: &&Entry| entry.turn == Some(*turn);
        open.contains(turn) || *turn == last && !log.entries().iter().filter(of_turn).any(stops)
    };
    Ok(turns.into_values().filter(|parked: &ParkedTurn| is_waiting(&parked.turn)).collect())
}

/// Reads the next entry of a log into the turns that wait.
fn read(entry: &Entry, turns: &mut BTreeMap<u32, ParkedTurn>) {
    let Some(turn) = entry.turn else { return };
    match &entry.event {
        // A new prompt drops the questions that an earlier run left open.
        Event::User { steer: false, .. } => turns.clear(),
        Event::Parked(parked) => {
            // An answer may be stored while the run that parks now still works.
            let answers = turns.remove(&turn).map_or_else(Vec::new, |earlier| earlier.answers);
            let (parked, is_interrupted) = (parked.clone(), false);
            turns.insert(turn, ParkedTurn { turn, parked, answers, is_interrupted });
        }
        Event::Approval(approval)
            if approval.state != ApprovalState::Asked && !approval.is_at_wall() =>
        {
            if let Some(parked) = turns.get_mut(&turn) {
                let asked = parked.parked.questions.iter().find(|asked| asked.id == approval.id);
                let diff = asked.and_then(|asked| asked.diff.clone());
                parked.answers.push(ParkedAnswer { approval: approval.clone(), diff });
            }
        }
        _ => {}
    }
}

/// Returns the questions of a conversation that waits, and of the calls inside it, with the answers
/// that are stored. A call with a result asks nothing any more.
pub(crate) async fn questions(log: &Log<'_>) -> Result<Vec<ParkedQuestion>, Error> {
    inside(log, String::new()).await
}

/// Returns the questions of a conversation. Their ids begin with the ids of the calls around it.
fn inside<'a>(
    log: &'a Log<'_>,
    around: String,
) -> BoxFuture<'a, Result<Vec<ParkedQuestion>, Error>> {
    async move {
        let mut calls = OpenCalls::default();
        for entry in log.entries() {
            calls.apply(entry, |_| ());
        }
        let open: BTreeSet<_> = calls.into_calls().map(|(turn, id, ())| (turn, id)).collect();
        let written = log.entries().iter().filter_map(|entry| match &entry.event {
            Event::Call(call) => Some((entry.turn.unwrap_or_default(), call.id())),
            _ => None,
        });
        let written: BTreeSet<_> = written.collect();
        let mut questions = Vec::new();
        for waiting in parked_turns(log).await? {
            let turn = waiting.turn;
            let is_open = |id: &str| open.contains(&(turn, id.to_owned()));
            // A loop may not have come to an item yet that was asked about with the others.
            let is_to_come = |asked: &OpenQuestion| {
                asked.item_of.is_some() && !written.contains(&(turn, &*asked.id))
            };
            let own = waiting.parked.questions.iter();
            let own = own.filter(|asked| is_open(&asked.id) || is_to_come(asked));
            questions.extend(own.map(|question| ParkedQuestion {
                id: format!("{around}{turn}/{}", escaped(&question.id)),
                conversation: log.conversation().to_owned(),
                turn,
                question: question.clone(),
                answer: waiting.answer(question).map(|answer| answer.state),
            }));
            for id in waiting.parked.inside.iter().filter(|id| is_open(id)) {
                let name = last_conversation(log.store(), log.conversation(), turn, id).await?;
                let Some(name) = name else { continue };
                let inner = Log::read(log.store(), &name, log.user()).await?;
                // The name may belong to another user's conversation, by chance or on purpose.
                if inner.owned().is_ok() {
                    let around = format!("{around}{turn}/{}/", escaped(id));
                    questions.extend(inside(&inner, around).await?);
                }
            }
        }
        Ok(questions)
    }
    .boxed()
}
