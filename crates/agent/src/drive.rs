//! One run, from the prompt to its end: the only place where deltas, outcomes, limits and the
//! cancellation meet.
//!
//! A run knows its current turn and the turns whose calls still run in the background. It asks the
//! model in steps; each step is one turn, which is read and then waits for its calls. What follows
//! an answer is decided in `ending.rs`.
//!
//! ```text
//! recover ─► step: ask ─► read, run calls ─► store results ─► answered, failed, interrupted
//!              ▲                                    │                     │
//!              └─────────── the model is asked again┘                 drain, end
//! ```

use std::time::Duration;

use silcrow_event::{Event, Message, Metric, Usage};
use silcrow_exec::{Budget, CancellationToken, Exhausted};
use silcrow_provider::Delta;
use tokio::time::{Instant, sleep};

use crate::again::again;
use crate::agent::{Agent, RunOutcome};
use crate::ask::system;
use crate::background::any;
use crate::connection::ModelConnection;
use crate::ending::Ended;
use crate::error::{Error, ErrorKind};
use crate::log::Log;
use crate::meter::Meter;
use crate::reading::AnswerEnd;
use crate::recover::{OpenCall, recover};
use crate::runner::runner;
use crate::sink::{OutputSink, Show};
use crate::turn::Turn;

/// One run.
pub(crate) struct Run<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) budget: Budget,
    pub(crate) tap: OutputSink<'a>,
    pub(crate) line: ModelConnection<'a>,
    pub(crate) system: Message,
    /// The number of the turn at hand.
    pub(crate) turn: u32,
    /// Earlier turns with calls that run in the background (P-24).
    pub(crate) background: Vec<Turn>,
    total: Usage,
    /// A final answer was written in this run.
    is_answered: bool,
    /// The model was told that an answer said nothing; it is told once.
    pub(crate) was_silent: bool,
    /// Answers that were cut, and asked for again by a request.
    pub(crate) cuts: u32,
}

impl<'a> Run<'a> {
    pub(crate) async fn open(
        agent: &'a Agent,
        budget: Budget,
        conversation: &'a str,
        cancel: &'a CancellationToken,
        show: &'a mut Show<'a>,
    ) -> Result<Self, Error> {
        let log = Log::open(agent, conversation).await?;
        Ok(Self {
            agent,
            cancel,
            turn: log.last_turn(),
            tap: OutputSink::new(log, budget.clone(), show),
            budget,
            line: ModelConnection::new(&*agent.provider, agent.mode),
            system: system(agent),
            background: Vec::new(),
            total: Usage::default(),
            is_answered: false,
            was_silent: false,
            cuts: 0,
        })
    }

    /// From the prompt to the end of the run.
    pub(crate) async fn answer(&mut self, prompt: &str) -> Result<RunOutcome, Error> {
        let mut ended = self.steps(prompt).await;
        self.line.close().await;
        if let Err(error) = &ended {
            self.tap.pass(self.turn, error.to_event());
        }
        // Behind a failure nobody waits any more for what nobody waited for.
        let why = ended.as_ref().err().map(|_| "the run failed");
        let stopped = self.drain(why).await;
        match (&ended, stopped) {
            (Ok(RunOutcome::Answered), Ok(true)) => ended = self.interrupted().await,
            (Ok(_), Err(error)) => {
                self.tap.pass(self.turn, error.to_event());
                ended = Err(error);
            }
            _ => {}
        }
        if matches!(ended, Ok(RunOutcome::Answered)) {
            self.tap.pass(self.turn, Event::End);
        }
        ended
    }

    async fn steps(&mut self, prompt: &str) -> Result<RunOutcome, Error> {
        for (turn, open) in recover(&self.tap.log, &self.agent.tools).await? {
            let ran = again(self.agent, turn, &open, self.cancel, &mut self.tap);
            let mut ran = ran.await;
            let answer =
                |open: &OpenCall| ran.remove(open.call.id()).unwrap_or_else(|| open.outcome());
            let results = open.iter().map(answer).map(Event::Result).collect();
            self.tap.store(turn, results).await?;
        }
        for step in 1..=self.agent.max_steps {
            self.turn += 1;
            if step == 1 {
                self.tap.store(self.turn, vec![Event::user(prompt)]).await?;
            }
            // Each agent above it can still answer.
            let left = self.budget.take_request(self.agent.path.len() as u32)?;
            if let Some(ending) = self.turn(left == 0 || step == self.agent.max_steps).await? {
                return Ok(ending);
            }
        }
        let steps = self.agent.max_steps;
        Err(Error::new(
            ErrorKind::StepLimit,
            format!("the steps of the run are used up ({steps}); continue it, or allow more"),
        ))
    }

    /// One request and what comes of it. `None`: the model is to be asked again.
    async fn turn(&mut self, last: bool) -> Result<Option<RunOutcome>, Error> {
        let request = self.request(last);
        let mut meter = Meter::new(&request.messages);
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => return self.interrupted().await.map(Some),
            exhausted = self.budget.expired() => return Err(exhausted.into()),
            asked = self.line.ask(request) => if let Err(error) = asked {
                meter.lost(error.sent());
                self.measure(meter);
                return Err(error.into());
            },
        }
        let mut turn =
            Turn::new(self.agent, runner(self.agent, &self.tap.log, self.turn), self.turn);
        let patience = sleep(Duration::ZERO);
        let mut read_until = None;
        let budget = self.budget.clone();
        let expired = budget.expired();
        tokio::pin!(patience, expired);
        while turn.is_open() || self.line.is_answering() {
            let reading = turn.is_read();
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    // All hear of it before anything is waited for.
                    turn.stop(self.why(), AnswerEnd::Cancelled, &mut self.tap);
                    self.stop_background(self.why()).await?;
                }
                delta = self.line.next(), if self.line.is_answering() => {
                    meter.hear(delta.as_ref());
                    if reading {
                        count(&budget, &delta);
                        turn.push(delta, &mut self.tap);
                    } else {
                        turn.push_report(delta);
                    }
                }
                event = turn.next() => turn.apply(event, &mut self.tap),
                (index, event) = any(&mut self.background) => self.follow(index, event).await?,
                () = &mut patience, if !reading && turn.reads_report => turn.reads_report = false,
                exhausted = &mut expired, if turn.is_open() => {
                    self.exhausted(&mut turn, exhausted).await?;
                }
            }
            turn.settle(last, &mut self.tap).await?;
            if turn.is_open()
                && let Err(exhausted) = budget.check()
            {
                self.exhausted(&mut turn, exhausted).await?;
                turn.settle(last, &mut self.tap).await?;
            }
            if !turn.is_read() {
                let until = *read_until.get_or_insert_with(Instant::now) + turn.patience();
                if patience.deadline() != until {
                    patience.as_mut().reset(until);
                }
            }
            if !turn.reads_report {
                self.line.hang_up().await;
            }
        }

        let results = turn.take_results();
        let ended = Ended {
            end: turn.answer.end.take(),
            goes_on: turn.continues(&results),
            has_begun: turn.answer.has_begun,
            silence: turn.silence(self.is_answered),
        };
        self.is_answered |= turn.answer.is_answered;
        self.tap.store(self.turn, results.into_iter().map(Event::Result).collect()).await?;
        self.measure(meter);
        if turn.is_running() {
            self.background.push(turn);
        } else {
            turn.drain(&mut self.tap).await;
        }
        self.ended(ended, last).await
    }

    /// Tells what a step took, now that it is over.
    fn measure(&mut self, mut meter: Meter) {
        meter.lost(self.line.take_lost());
        let step = meter.took();
        self.total += step;
        self.tap.pass(self.turn, Event::Metric(Metric { step, total: self.total }));
    }

    /// A limit of the run is reached: everything is stopped.
    async fn exhausted(&mut self, turn: &mut Turn, exhausted: Exhausted) -> Result<(), Error> {
        let why = exhausted.to_string();
        turn.stop(&why, AnswerEnd::Badly(exhausted.into()), &mut self.tap);
        self.stop_background(&why).await
    }

    /// The run is over for the person before it is for the log.
    pub(crate) async fn interrupted(&mut self) -> Result<RunOutcome, Error> {
        let content = self.why().to_owned();
        self.tap.pass(self.turn, Event::Interrupt { reason: content.clone() });
        self.tap.store(self.turn, vec![Event::Cancelled { content }]).await?;
        Ok(RunOutcome::Interrupted)
    }

    /// Why it is stopped: whoever called a child agent may have done it.
    pub(crate) fn why(&self) -> &'static str {
        match self.agent.path.is_empty() {
            true => "the person stopped the run",
            false => "the agent that called stopped this run",
        }
    }
}

/// What a model writes counts for the whole run.
fn count(budget: &Budget, delta: &Option<Result<Delta, silcrow_provider::Error>>) {
    if let Some(Ok(Delta::Text(text) | Delta::Reasoning(text))) = delta {
        budget.add_bytes(text.len() as u64);
    }
}
