use silcrow_event::Event;

use crate::agent::Ending;
use crate::drive::Run;
use crate::error::{Error, ErrorKind};
use crate::line::Mode;
use crate::silence::Silence;
use crate::step::End;

/// What is known of an answer when it is over.
pub(crate) struct Ended {
    pub(crate) end: Option<End>,
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
    ) -> Result<Option<Ending>, Error> {
        let error = match ended.end {
            Some(End::Cancelled) => return self.interrupted().await.map(Some),
            Some(End::Badly(error)) => error,
            Some(End::Well) | None if ended.goes_on => return Ok(None),
            Some(End::Well) | None => match ended.silence {
                None => return Ok(Some(Ending::Answered)),
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
    /// session, and at most two that began and were cut.
    fn may_ask_again(&mut self, error: &Error, has_begun: bool) -> bool {
        if self.line.may_go_on() {
            return true;
        }
        let was_cut = has_begun
            && matches!(error.kind(), ErrorKind::Provider(_))
            && error.is_retryable()
            && self.agent.mode != Mode::Resume;
        let again = was_cut && self.cuts < MAX_CUTS;
        self.cuts += u32::from(again);
        again
    }
}

/// Answers of a run that are asked for again by a request, because they were cut.
const MAX_CUTS: u32 = 2;
