//! A run that waits for answers, as programs see it that have no agent: a server's page, or a
//! command.
//!
//! It stores answers. It does not continue the run.

use std::fmt;

use silcrow_event::ApprovalState;
use silcrow_store::Store;

use crate::error::Error;
use crate::given_answer::{approvals, store_answers, stored_answer};
use crate::log::Log;
use crate::names::{last_conversation, unescaped};
use crate::questions::{ParkedQuestion, QuestionAnswer, questions};

/// The questions for whose answers a conversation waits.
///
/// The answers are stored; [`Agent::resume`](crate::Agent::resume) continues the run with them, in
/// this or another process. Once all questions are answered, the run waits for any process that
/// continues runs ([`SharedRuns::next`](silcrow_store::SharedRuns::next)).
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::ParkedRun;
/// use silcrow_store::MemoryStore;
///
/// let store = MemoryStore::new();
/// let run = ParkedRun::read(&store, "sums", None).await.unwrap();
/// assert!(run.questions().is_empty());
/// # });
/// ```
pub struct ParkedRun<'a> {
    log: Log<'a>,
    questions: Vec<ParkedQuestion>,
}

impl<'a> ParkedRun<'a> {
    /// Reads the questions of a conversation of a user. A conversation that waits for nothing has
    /// none.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation belongs to another user, or if the store fails.
    pub async fn read(
        store: &'a dyn Store,
        conversation: &'a str,
        user: Option<&'a str>,
    ) -> Result<Self, Error> {
        let log = Log::read(store, conversation, user).await?;
        log.owned()?;
        let questions = questions(&log).await?;
        Ok(Self { log, questions })
    }

    /// Sets the [identity](crate::AgentRoot::identity) of the root at which an approval for the
    /// conversation holds.
    #[must_use]
    pub fn with_root(mut self, identity: &str) -> Self {
        self.log.set_root(identity);
        self
    }

    /// Returns the questions, in the order in which they were asked.
    pub fn questions(&self) -> &[ParkedQuestion] {
        &self.questions
    }

    /// Returns the answer that the log has to a question with this id, also if the run has
    /// continued with it; `None` without an answer.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub async fn answered(&self, question: &str) -> Result<Option<ApprovalState>, Error> {
        if let Some(asked) = self.questions.iter().find(|asked| asked.id() == question) {
            return Ok(asked.answer);
        }
        let parts: Vec<&str> = question.split('/').collect();
        let (mut conversation, mut calls) = (self.log.conversation().to_owned(), parts.chunks(2));
        while let Some([turn, id]) = calls.next() {
            let (Ok(turn), id) = (turn.parse(), unescaped(id)) else { break };
            if calls.len() == 0 {
                let log = Log::read(self.log.store(), &conversation, self.log.user()).await?;
                log.owned()?;
                let answers = log.entries().iter().rev().filter_map(|one| stored_answer(one, turn));
                let answer = answers.into_iter().find(|answer| answer.id == id);
                return Ok(answer.map(|answer| answer.state));
            }
            match last_conversation(self.log.store(), &conversation, turn, &id).await? {
                Some(inner) => conversation = inner,
                None => break,
            }
        }
        Ok(None)
    }

    /// Stores answers: all of those in one conversation, or none of them. A question takes one
    /// answer: of several at the same time, wherever they come from, the first one is stored, and
    /// the others are errors.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::ErrorKind::Refused) if the conversation does not wait
    /// for one of the answers: its question is gone or answered, which the message says, or it is
    /// about something else by now. Returns an error if the store fails, or if the conversation has
    /// changed meanwhile.
    pub async fn answer(&mut self, answers: &[QuestionAnswer]) -> Result<(), Error> {
        self.answer_with(answers, None).await
    }

    /// Stores answers like [`answer`](Self::answer), and with them a message of the person, which
    /// the model reads after the results of the calls.
    ///
    /// # Errors
    ///
    /// See [`answer`](Self::answer).
    pub async fn answer_with(
        &mut self,
        answers: &[QuestionAnswer],
        message: Option<&str>,
    ) -> Result<(), Error> {
        let given = approvals(&self.questions, answers)?;
        store_answers(&mut self.log, &given, message).await?;
        self.questions = questions(&self.log).await?;
        if self.questions.iter().all(|asked| asked.answer.is_some()) {
            self.log.store().shared_runs().request(self.log.conversation()).await?;
        }
        Ok(())
    }
}

impl fmt::Debug for ParkedRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParkedRun")
            .field("conversation", &self.log.conversation())
            .field("questions", &self.questions)
            .finish_non_exhaustive()
    }
}
