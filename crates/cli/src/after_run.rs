//! What models do after an answered run: learn the profile of the person, and name the conversation.
//!
//! None of this delays an answer or fails a run. In a session it happens beside the next prompts, and
//! in a run of one prompt after the answer is written.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use silcrow_exec::CancellationToken;
use silcrow_sanitize::sanitize_line;
use tokio::time::sleep;

use crate::learning::ProfileLearner;
use crate::titling::ConversationTitler;

/// What models do after an answered run.
#[derive(Clone)]
pub(crate) struct AfterRun {
    learner: Option<ProfileLearner>,
    titler: Option<ConversationTitler>,
}

impl AfterRun {
    /// Returns `None` if there is nothing to do.
    pub(crate) fn new(
        learner: Option<ProfileLearner>,
        titler: Option<ConversationTitler>,
    ) -> Option<Self> {
        (learner.is_some() || titler.is_some()).then_some(Self { learner, titler })
    }

    /// Does everything at once, and returns the lines for the person. A title may take as long as
    /// `patience`.
    pub(crate) async fn work(&self, conversation: &str, patience: Duration) -> Vec<String> {
        let titled = async { self.titler.as_ref()?.title(conversation, patience).await };
        let learned = async { self.learner.as_ref()?.learn_if_due().await };
        let (titled, learned) = tokio::join!(titled, learned);
        titled.into_iter().chain(learned).collect()
    }

    /// Does everything before the process ends. Ctrl-C skips it, and a person at a terminal reads
    /// what the process still waits for.
    pub(crate) async fn finish(
        &self,
        conversation: &str,
        for_programs: bool,
        cancel: &CancellationToken,
    ) {
        let is_watched = !for_programs && io::stderr().is_terminal();
        let mut err = io::stderr();
        let mut is_told = false;
        let work = self.work(conversation, TITLE_PATIENCE);
        tokio::pin!(work);
        // If stderr is closed, the lines are lost.
        let lines = loop {
            tokio::select! {
                lines = &mut work => break lines,
                () = cancel.cancelled() => break Vec::new(),
                () = sleep(PATIENCE), if is_watched && !is_told => {
                    is_told = true;
                    let _ = write!(err, "… {} (Ctrl-C skips it)", self.name());
                }
            }
        };
        if is_told {
            let _ = write!(err, "\r\x1b[K");
        }
        for line in lines.iter().filter(|_| !for_programs) {
            let _ = writeln!(err, "silcrow: {}", sanitize_line(line));
        }
    }

    /// Returns what is done, in words.
    const fn name(&self) -> &'static str {
        match (&self.learner, &self.titler) {
            (Some(_), Some(_)) => "naming the conversation and learning your profile",
            (Some(_), None) => "learning your profile",
            _ => "naming the conversation",
        }
    }
}

/// The time after which a person reads what the process waits for.
const PATIENCE: Duration = Duration::from_millis(500);

/// The longest time that a process waits for a title before it ends.
const TITLE_PATIENCE: Duration = Duration::from_secs(5);
