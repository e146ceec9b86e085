//! A run that is spawned as a task, and whose events go to a function.
//!
//! Nothing is between the run and the function: no channel, no other task, and no copy of an event. So
//! the function has to take each event at once, and to keep slow receivers away from the run.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;

use silcrow_event::{Content, RunEventRef};
use silcrow_tool::Scope;
use tokio::task::JoinHandle;

use crate::agent::Agent;
use crate::drive::{self, OwnedBeginning};
use crate::error::Error;
use crate::inbox::ClosedAtEnd;
use crate::outcome::RunOutcome;
use crate::outlet::CallbackOutlet;
use crate::parts::AgentParts;
use crate::questions::QuestionAnswer;
use crate::stream::RunHandle;

/// A run that [`Agent::spawn`] has begun as a task.
///
/// The run continues to its end if this is dropped; its [handle](Self::handle) can cancel it.
pub struct SpawnedRun {
    handle: RunHandle,
    task: JoinHandle<Result<RunOutcome, Error>>,
}

impl Agent {
    /// Spawns a run from a prompt to an answer as a task, which calls `emit` with each event, as
    /// [`run`](Self::run) does. The function never waits: it is called in the midst of the run.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use std::sync::mpsc;
    ///
    /// use silcrow_agent::{Agent, RunOutcome};
    /// use silcrow_event::RunEventRef;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    ///
    /// let model = ScriptedModel::parse("§respond: It is 4.\n§end", 1);
    /// let agent = Agent::new(model, MemoryStore::new());
    /// let (sender, pieces) = mpsc::channel();
    /// let run = agent.spawn("sums", "What is 2 + 2?", move |event| {
    ///     if let RunEventRef::Text(piece, _) = event {
    ///         sender.send(piece.text.to_owned()).unwrap();
    ///     }
    /// });
    /// assert_eq!(run.outcome().await.unwrap(), RunOutcome::Answered);
    /// assert_eq!(pieces.into_iter().collect::<String>(), "It is 4.");
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn spawn(
        &self,
        scope: impl Into<Scope>,
        prompt: impl Into<Content>,
        emit: impl FnMut(RunEventRef<'_>) + Send + 'static,
    ) -> SpawnedRun {
        let beginning = OwnedBeginning::Prompt(prompt.into());
        SpawnedRun::spawn(Arc::clone(&self.parts), scope.into(), beginning, emit)
    }

    /// Spawns a task that continues a run like [`resume`](Self::resume), and calls `emit` with each event.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn spawn_resumed(
        &self,
        scope: impl Into<Scope>,
        answers: Vec<QuestionAnswer>,
        emit: impl FnMut(RunEventRef<'_>) + Send + 'static,
    ) -> SpawnedRun {
        let beginning = OwnedBeginning::Answers(answers);
        SpawnedRun::spawn(Arc::clone(&self.parts), scope.into(), beginning, emit)
    }
}

impl SpawnedRun {
    fn spawn(
        parts: Arc<AgentParts>,
        scope: Scope,
        beginning: OwnedBeginning,
        mut emit: impl FnMut(RunEventRef<'_>) + Send + 'static,
    ) -> Self {
        let (scope, handle) = RunHandle::begin(&parts, scope);
        let inbox = Arc::clone(handle.inbox());
        let task = tokio::spawn(async move {
            let mut outlet = CallbackOutlet(&mut emit);
            let _closed = ClosedAtEnd(&inbox);
            let beginning = beginning.as_run();
            drive::run(&parts, &scope, beginning, &inbox, &mut outlet).await
        });
        Self { handle, task }
    }

    /// Returns a handle that steers the run.
    pub fn handle(&self) -> RunHandle {
        self.handle.clone()
    }

    /// Waits for the end of the run and returns its outcome.
    ///
    /// # Errors
    ///
    /// Returns the error of the run; see [`ErrorKind`](crate::ErrorKind).
    ///
    /// # Panics
    ///
    /// Panics if the run panicked.
    pub async fn outcome(self) -> Result<RunOutcome, Error> {
        match self.task.await {
            Ok(ended) => ended,
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            Err(_) => Err(Error::interrupted()),
        }
    }
}

impl fmt::Debug for SpawnedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpawnedRun")
            .field("conversation", &self.handle.conversation())
            .finish_non_exhaustive()
    }
}
