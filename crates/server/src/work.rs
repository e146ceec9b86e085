//! A user's actions on a server: beginning, stopping and steering runs, and giving answers.
//!
//! The endpoints of all faces call these functions, and a program may call them, too.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use silcrow_agent::{Agent, ParkedQuestion, ParkedRun, QuestionAnswer, SpawnedRun};
use silcrow_event::{Content, Entry, Event, RunEventRef};
use silcrow_front::RunEnd;
use silcrow_tool::{ApprovalDecision, Scope};
use tokio::sync::oneshot;

use crate::encoded_run::{end_of, not_stored};
use crate::error::{Error, ErrorKind};
use crate::live_run::{ContinuedRun, LiveRun};
use crate::random::random_name;
use crate::runs::{RunReservation, closing};
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::{PreparedAgent, RunPlace};

/// The outcome of answers that were stored.
#[derive(Debug)]
#[non_exhaustive]
pub struct TakenAnswers {
    /// The number of questions that are still open.
    pub open: usize,
    /// The run that continues, once nothing is open.
    pub run: Option<ServedRun>,
}

/// The beginning of a run.
pub(crate) enum RunCause {
    Prompt(Content),
    /// The agents in calls have these conversations.
    Answers(Vec<String>),
}

impl RunCause {
    /// Returns the cause of a run that continues after answers to questions.
    pub(crate) fn answers(conversation: &str, asked: &[ParkedQuestion]) -> Self {
        Self::Answers(waiting_agents(conversation, asked))
    }
}

impl Server {
    /// Begins a run that answers a prompt, and returns it once the prompt is stored.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`Busy`](ErrorKind::Busy) if a run is at work in the
    /// conversation, and others if too many runs are at work, the conversation belongs to another
    /// user, the source has no agent for it, or the prompt cannot be stored. After an error of the
    /// kind [`Unavailable`](ErrorKind::Unavailable) the prompt may have been stored nevertheless;
    /// if you send it again, it does not count twice.
    pub async fn start(
        &self,
        place: RunPlace,
        prompt: impl Into<Content>,
    ) -> Result<ServedRun, Error> {
        self.start_with(place, prompt, |agent| agent).await
    }

    /// Begins a run like [`start`](Self::start), with the agent that a function makes of the
    /// source's agent. If the run waits for answers, the source's own agent continues it.
    ///
    /// # Errors
    ///
    /// See [`start`](Self::start).
    pub async fn start_with(
        &self,
        place: RunPlace,
        prompt: impl Into<Content>,
        change: impl FnOnce(Agent) -> Agent,
    ) -> Result<ServedRun, Error> {
        self.begin_prompt(place, prompt.into(), None, change).await
    }

    /// Stores answers to questions of a conversation that waits. If no question is open afterwards,
    /// the run continues. A message of the person goes with the answers.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`Stale`](ErrorKind::Stale), and stores none of the answers, if a
    /// question is gone, answered or about something else by now.
    pub async fn answer(
        &self,
        place: RunPlace,
        answers: &[(String, ApprovalDecision)],
        message: Option<&str>,
    ) -> Result<TakenAnswers, Error> {
        self.summary(place.user.as_deref(), &place.conversation).await?;
        self.check_unanswered(&place, answers).await?;
        let reservation = self.runs.reserve(&place.conversation, place.user.as_deref())?;
        let prepared = self.prepared(&place).await?;
        let root = prepared.agent.options().root.as_ref().map(|root| root.identity.clone());
        let parked =
            ParkedRun::read(&*self.store, &place.conversation, place.user.as_deref()).await?;
        let mut parked = parked.with_root(root.as_deref().unwrap_or_default());
        if parked.questions().is_empty() {
            let why = "the conversation waits for no answer; send it a message";
            return Err(Error::new(ErrorKind::Stale, why));
        }
        let given = given(parked.questions(), answers)?;
        let cause = RunCause::answers(&place.conversation, parked.questions());
        parked.answer_with(&given, message).await?;
        let open = parked.questions().iter().filter(|asked| asked.answer.is_none()).count();
        drop(parked);
        let run = match open {
            0 => Some(self.begin(reservation, prepared, place, cause).await?),
            _ => None,
        };
        Ok(TakenAnswers { open, run })
    }

    /// Returns an error that names the answer, if one of the questions has one.
    async fn check_unanswered(
        &self,
        place: &RunPlace,
        answers: &[(String, ApprovalDecision)],
    ) -> Result<(), Error> {
        let user = place.user.as_deref();
        let parked = ParkedRun::read(&*self.store, &place.conversation, user).await?;
        for (id, _) in answers {
            if let Some(answer) = parked.answered(id).await? {
                let answer = answer.as_str();
                let why = format!("the question {id:?} is answered already: {answer}");
                return Err(Error::new(ErrorKind::Stale, why));
            }
        }
        Ok(())
    }

    /// Returns the open questions of a conversation. A new one has none.
    ///
    /// # Errors
    ///
    /// Returns the errors of the store, and one if the conversation belongs to another user.
    pub async fn open_questions(&self, place: &RunPlace) -> Result<Vec<ParkedQuestion>, Error> {
        self.check_new(place).await?;
        let user = place.user.as_deref();
        let parked = ParkedRun::read(&*self.store, &place.conversation, user).await?;
        let asked = parked.questions().iter();
        Ok(asked.filter(|asked| asked.answer.is_none()).cloned().collect())
    }

    /// Returns the stored events of a conversation of a user after a position.
    ///
    /// # Errors
    ///
    /// Returns the errors of the store, and one if the user has not got the conversation.
    pub async fn entries(&self, place: &RunPlace, after: u64) -> Result<Vec<Entry>, Error> {
        self.summary(place.user.as_deref(), &place.conversation).await?;
        Ok(self.store.read(&place.conversation, after.saturating_add(1)..=u64::MAX).await?)
    }

    /// Makes a unique id for a conversation that cannot be guessed.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no random bytes.
    pub fn new_conversation(&self, prefix: &str) -> Result<String, Error> {
        Ok(format!("{prefix}{}", random_name()?))
    }

    /// Returns the run that is at work in a conversation of a user, or was the last one here.
    ///
    /// # Errors
    ///
    /// Returns the errors of the store, and one if the conversation belongs to another user.
    pub async fn run(&self, place: &RunPlace) -> Result<Option<ServedRun>, Error> {
        let run = self.runs.latest(&place.conversation);
        let run = run.filter(|run| run.place.user == place.user);
        Ok(run.map(|run| ServedRun { run, server: self.clone() }))
    }

    /// Begins a run, in its own task. A run for a prompt has begun once its prompt is stored.
    pub(crate) async fn begin(
        &self,
        reservation: RunReservation<'_>,
        PreparedAgent { agent, held }: PreparedAgent,
        place: RunPlace,
        cause: RunCause,
    ) -> Result<ServedRun, Error> {
        let agent = self.with_caller(&place.conversation, agent).await?;
        let head = self.store.head(&place.conversation).await?;
        let (continued, agent) = match &cause {
            RunCause::Prompt(_) => (None, agent),
            RunCause::Answers(agents) => {
                let log = self.store.read(&place.conversation, 1..=head).await?;
                let repeated_turn = log.iter().filter_map(|entry| entry.turn).max();
                let parked = log.iter().rev().find_map(|entry| match &entry.event {
                    Event::Parked(parked) => Some(parked),
                    _ => None,
                });
                // A face may have begun the run in a dialect other than the source's.
                let agent = match parked {
                    Some(parked) => agent.with_dialect_of(parked),
                    None => agent,
                };
                let waiting_agents = agents.clone();
                (Some(ContinuedRun { repeated_turn, waiting_agents }), agent)
            }
        };
        let earlier = reservation.earlier.as_ref().map(|earlier| earlier.position());
        let after = earlier.filter(|(seq, _)| *seq == head).unwrap_or((head, 0));
        let run = LiveRun::new(
            reservation.id.clone(),
            place.clone(),
            after,
            continued,
            self.runs.limits(),
            self.runs.journal(place.user.as_deref())?,
        );
        let run = Arc::new(run);
        let scope = Scope::new(&*place.conversation).with_cancellation(run.cancel.clone());
        let scope = match &place.user {
            Some(user) => scope.with_user(user),
            None => scope,
        };
        let scope = match place.caller {
            Some(caller) => scope.with_trace(caller),
            None => scope,
        };
        // Readers find the run before its first event is stored.
        reservation.begin(&run);
        let published = Arc::clone(&run);
        let publish = move |event: RunEventRef<'_>| published.publish(event);
        let (task, is_prompt) = match cause {
            RunCause::Prompt(prompt) => (agent.spawn(scope, prompt, publish), true),
            // The answers are stored already.
            RunCause::Answers(_) => (agent.spawn_resumed(scope, Vec::new(), publish), false),
        };
        let handle = task.handle();
        // Nothing else sets it.
        let _ = run.handle.set(handle.clone());
        let server = self.clone();
        let served = ServedRun { run: Arc::clone(&run), server: self.clone() };
        let (ended, end) = oneshot::channel();
        tokio::spawn(async move {
            let end = work(&server, &run, task, held).await;
            server.source.ended(&place, &end).await;
            // This has no receiver, unless the prompt could not be stored.
            let _ = ended.send(end.clone());
            if end == RunEnd::Waiting {
                server.continue_answered(run).await;
            }
        });
        if is_prompt && !handle.begun().await {
            let end = end.await.ok();
            return Err(match served.run.is_handed_over.load(Ordering::Relaxed) {
                true => closing(),
                false => not_stored(end),
            });
        }
        Ok(served)
    }
}

/// Waits for the end of a run, and takes it.
async fn work(
    server: &Server,
    run: &LiveRun,
    task: SpawnedRun,
    held: Option<Box<dyn Send>>,
) -> RunEnd {
    let handle = task.handle();
    let end = end_of(task.outcome()).await;
    drop(held);
    // A run whose prompt is not in the log is nothing to continue.
    let is_stored = run.continues() || handle.begun().await;
    let is_left = is_stored
        && match &end {
            RunEnd::Stopped => run.is_handed_over.load(Ordering::Relaxed),
            // The database was away for a moment, and nothing else was wrong.
            RunEnd::Failed { code, .. } => code == "store_unavailable",
            _ => false,
        };
    if is_left {
        server.hand_over(&run.place.conversation).await;
    } else if end != RunEnd::Waiting {
        server.let_rest(&run.place.conversation).await;
    }
    server.runs.end(run, end.clone());
    end
}

/// Finds the questions that are answered.
fn given(
    asked: &[ParkedQuestion],
    answers: &[(String, ApprovalDecision)],
) -> Result<Vec<QuestionAnswer>, Error> {
    let find = |(id, decision): &(String, ApprovalDecision)| {
        let asked = asked.iter().find(|asked| asked.id() == id).ok_or_else(|| {
            let why = format!(
                "the conversation asks no question {id:?}, or it continued without an answer; read \
                 its questions again"
            );
            Error::new(ErrorKind::Stale, why)
        })?;
        Ok(asked.answer(decision.clone()))
    };
    answers.iter().map(find).collect()
}

/// Returns the conversations of the agents in calls that ask, each after those around it. The id of
/// such a conversation is the outer id, the turn and the call.
fn waiting_agents(conversation: &str, asked: &[ParkedQuestion]) -> Vec<String> {
    let mut agents = BTreeSet::new();
    for asked in asked {
        let inside = asked.conversation.strip_prefix(conversation).unwrap_or_default();
        let ends = inside.match_indices('/').map(|(at, _)| at).skip(2).step_by(2);
        let ends = ends.chain((!inside.is_empty()).then_some(inside.len()));
        agents.extend(ends.map(|end| format!("{conversation}{}", &inside[..end])));
    }
    agents.into_iter().collect()
}
