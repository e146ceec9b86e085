//! Decides after each answer of the model whether the run ends or makes another step.
//!
//! The state is the number of failed answers. A run asks again after two answers in a row that do
//! not answer, and after two that were cut; another one ends the run with an error. Answers that
//! are lost with their session are not counted.

use silcrow_event::Event;
use silcrow_exec::RunnerLimits;
use silcrow_provider as provider;

use crate::connection::{ModelConnection, is_soon};
use crate::error::Error;
use crate::fault::AnswerFault;
use crate::options::{AgentOptions, ConnectionMode};
use crate::reader::AnswerEnd;
use crate::sink::OutputSink;

/// An answer that is over.
pub(crate) struct FinishedAnswer {
    pub(crate) turn: u32,
    pub(crate) end: Option<AnswerEnd>,
    /// Whether its calls and results go back to the model.
    pub(crate) continues: bool,
    pub(crate) has_begun: bool,
    /// The fault of an answer that came to its end.
    pub(crate) fault: Option<AnswerFault>,
    /// Whether it is text that no delimiter opens and no end closes, so that it may be an announcement.
    pub(crate) lacks_end: bool,
    /// Whether the run may make no other request.
    pub(crate) is_last: bool,
}

/// The next step of a run after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterAnswer {
    /// It asks the model again.
    Ask,
    /// It is over, with an answer.
    Finish,
    /// It is over, because it was cancelled.
    Interrupt,
    /// It is over, because its calls wait for answers.
    Park,
}

/// The answers of a run that the model is asked for again.
#[derive(Default)]
pub(crate) struct FailedAnswers {
    /// The number of answers in a row about which the model got a notice.
    notices: u32,
    /// The number of answers that were cut and asked for again.
    cuts: u32,
    end: EndQuestion,
}

/// Whether a run asks for the end of an answer, which it does once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum EndQuestion {
    #[default]
    NotAsked,
    /// The next request asks.
    Open,
    /// The model was asked for it, and its answer is being read.
    Asked,
    Over,
}

impl FailedAnswers {
    /// Decides about the next step after an answer, and stores facts about it for the next request.
    pub(crate) async fn follow(
        &mut self,
        answer: FinishedAnswer,
        options: &AgentOptions,
        sink: &mut OutputSink<'_>,
        connection: &mut ModelConnection<'_>,
    ) -> Result<AfterAnswer, Error> {
        let FinishedAnswer { turn, is_last, .. } = answer;
        if self.end == EndQuestion::Asked {
            self.end = EndQuestion::Over;
        }
        let error = match answer.end {
            Some(AnswerEnd::Cancelled) => return Ok(AfterAnswer::Interrupt),
            Some(AnswerEnd::Badly(error)) => error,
            Some(AnswerEnd::Well) | None => match answer.fault {
                None if answer.continues => {
                    self.notices = 0;
                    return Ok(AfterAnswer::Ask);
                }
                None if answer.lacks_end && !is_last && self.end == EndQuestion::NotAsked => {
                    self.end = EndQuestion::Open;
                    return Ok(AfterAnswer::Ask);
                }
                None => return Ok(AfterAnswer::Finish),
                Some(fault) if !answer.continues && (self.notices == MAX_NOTICES || is_last) => {
                    fault.error()
                }
                Some(fault) => {
                    // A call that ran is progress, regardless of the rest of the answer.
                    self.notices = if answer.continues { 0 } else { self.notices + 1 };
                    sink.pass(turn, fault.note());
                    let content = match options.calls.is_native() {
                        true => fault.native_notice(),
                        false => fault.notice(options.dialect),
                    };
                    sink.store_notice(turn, Event::Notice { content }).await?;
                    return Ok(AfterAnswer::Ask);
                }
            },
        };
        if sink.log.has_answer(turn) {
            let content = "the answer did not come to its end".to_owned();
            sink.store(turn, vec![Event::Cancelled { content }]).await?;
        }
        match !is_last && self.may_ask_again(&error, answer.has_begun, options.mode, connection) {
            true => Ok(AfterAnswer::Ask),
            false => Err(error),
        }
    }

    /// Returns whether the next request asks for the end of the last answer.
    pub(crate) fn take_end_question(&mut self) -> bool {
        let is_open = self.end == EndQuestion::Open;
        if is_open {
            self.end = EndQuestion::Asked;
        }
        is_open
    }

    /// Returns whether the current answer is to complete the previous one.
    pub(crate) fn asks_for_end(&self) -> bool {
        self.end == EndQuestion::Asked
    }

    /// Returns whether an answer that ended with this error is asked for again: every one that was
    /// lost with its session, and at most two others that began and were cut. An overloaded server
    /// gets the pause that it asks for, or one that grows.
    fn may_ask_again(
        &mut self,
        error: &Error,
        has_begun: bool,
        mode: ConnectionMode,
        connection: &mut ModelConnection<'_>,
    ) -> bool {
        use provider::ErrorKind::{Overload, Rate};
        if connection.may_continue() {
            return true;
        }
        let Some(cause) = error.provider().filter(|cause| cause.is_retryable()) else {
            return false;
        };
        let may_restart = has_begun && mode != ConnectionMode::Resume;
        if !may_restart || self.cuts == MAX_CUTS || !is_soon(cause) {
            return false;
        }
        if matches!(cause.kind(), Overload | Rate) {
            let pause = provider::RetryPolicy::default().pause * 2_u32.pow(self.cuts);
            let pause = RunnerLimits::default().jittered(pause);
            connection.hold(cause.retry_after().unwrap_or(pause));
        }
        self.cuts += 1;
        true
    }
}

/// The maximum number of failed answers in a row after which the model is asked again.
const MAX_NOTICES: u32 = 2;

/// The number of cut answers that a run asks for again.
const MAX_CUTS: u32 = 2;
