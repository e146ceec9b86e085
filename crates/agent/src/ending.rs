use silcrow_event::Event;
use silcrow_provider as provider;

use crate::agent::RunOutcome;
use crate::connection::{ConnectionMode, is_soon};
use crate::drive::Run;
use crate::error::Error;
use crate::reading::AnswerEnd;
use crate::silence::Silence;

/// What is known of an answer when it is over.
pub(crate) struct Ended {
    pub(crate) end: Option<AnswerEnd>,
    pub(crate) goes_on: bool,
    pub(crate) has_begun: bool,
    pub(crate) silence: Option<Silence>,
}

impl Run<'_> {
    /// Decides what follows an answer; `None`: the model is to be asked again.
    pub(crate) async fn ended(
        &mut self,
        ended: Ended,
        last: bool,
    ) -> Result<Option<RunOutcome>, Error> {
        let error = match ended.end {
            Some(AnswerEnd::Cancelled) => return self.interrupted().await.map(Some),
            Some(AnswerEnd::Badly(error)) => error,
            Some(AnswerEnd::Well) | None if ended.goes_on => return Ok(None),
            Some(AnswerEnd::Well) | None => match ended.silence {
                None => return Ok(Some(RunOutcome::Answered)),
                Some(silence) if self.was_silent || last => silence.error(),
                Some(silence) => {
                    self.was_silent = true;
                    self.tap.pass(self.turn, silence.note());
                    let content = silence.notice(self.agent.options);
                    self.tap.store(self.turn, vec![Event::Notice { content }]).await?;
                    return Ok(None);
                }
            },
        };
        if self.tap.log.has_answer(self.turn) {
            let content = "the answer did not come to its end".to_owned();
            self.tap.store(self.turn, vec![Event::Cancelled { content }]).await?;
        }
        match !last && self.may_ask_again(&error, ended.has_begun) {
            true => Ok(None),
            false => Err(error),
        }
    }

    /// Whether an answer that ended with this error is asked for again: one that was lost with its
    /// session, and at most two that began and were cut. A server that failed is given a pause, or
    /// the one that it asks for.
    fn may_ask_again(&mut self, error: &Error, has_begun: bool) -> bool {
        use provider::ErrorKind::{Overload, Rate};
        if self.line.may_continue() {
            return true;
        }
        let Some(cause) = error.provider().filter(|cause| cause.is_retryable()) else {
            return false;
        };
        let may_begin_anew = has_begun && self.agent.mode != ConnectionMode::Resume;
        if !may_begin_anew || self.cuts == MAX_CUTS || !is_soon(cause) {
            return false;
        }
        if matches!(cause.kind(), Overload | Rate) {
            let pause = provider::Retries::default().pause * 2_u32.pow(self.cuts);
            let pause = self.agent.settings.jittered(pause);
            self.line.hold(cause.wait().unwrap_or(pause));
        }
        self.cuts += 1;
        true
    }
}

/// Answers of a run that are asked for again by a request, because they were cut.
const MAX_CUTS: u32 = 2;
