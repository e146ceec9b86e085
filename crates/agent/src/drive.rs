use std::future::pending;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::select_all;
use silcrow_context::{GO_ON, ToolCard, assemble, assemble_with_notice, system_prompt};
use silcrow_event::{Event, Kind, Message, Metric, Role, Usage};
use silcrow_exec::Cancel;
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, Finish, Request};
use tokio::time::{Instant, sleep};

use crate::again::again;
use crate::agent::{Agent, Ending};
use crate::error::{Error, ErrorKind};
use crate::line::Line;
use crate::log::Log;
use crate::meter::Meter;
use crate::recover::{Open, recover};
use crate::runner::runner;
use crate::step::End;
use crate::tap::{Show, Tap};
use crate::turn::{Happened, Turn};

/// One run: the only place where deltas, outcomes and the stop sign meet.
pub(crate) struct Run<'a> {
    agent: &'a Agent,
    cancel: &'a Cancel,
    tap: Tap<'a>,
    line: Line<'a>,
    system: Message,
    /// The number of the turn at hand.
    turn: u32,
    /// Earlier turns with calls that nobody waits for (P-24).
    behind: Vec<Turn>,
    total: Usage,
}

impl<'a> Run<'a> {
    pub(crate) async fn open(
        agent: &'a Agent,
        conversation: &'a str,
        cancel: &'a Cancel,
        show: &'a mut Show<'a>,
    ) -> Result<Self, Error> {
        let log = Log::open(agent, conversation).await?;
        Ok(Self {
            agent,
            cancel,
            turn: log.last_turn(),
            tap: Tap::new(log, show),
            line: Line::new(&*agent.provider, agent.mode),
            system: system(agent),
            behind: Vec::new(),
            total: Usage::default(),
        })
    }

    /// From the prompt to the end of the run.
    pub(crate) async fn answer(&mut self, prompt: &str) -> Result<Ending, Error> {
        let mut ended = self.steps(prompt).await;
        self.line.close().await;
        if let Err(error) = &ended {
            self.tap.pass(self.turn, error.to_event());
        }
        // Behind a failure nobody waits any more for what nobody waited for.
        let why = ended.as_ref().err().map(|_| "the run failed");
        let stopped = self.wind_up(why).await;
        match (&ended, stopped) {
            (Ok(Ending::Answered), Ok(true)) => ended = self.interrupted().await,
            (Ok(_), Err(error)) => {
                self.tap.pass(self.turn, error.to_event());
                ended = Err(error);
            }
            _ => {}
        }
        if matches!(ended, Ok(Ending::Answered)) {
            self.tap.pass(self.turn, Event::End);
        }
        ended
    }

    async fn steps(&mut self, prompt: &str) -> Result<Ending, Error> {
        for (turn, open) in recover(&self.tap.log, &self.agent.tools).await? {
            let mut ran = again(self.agent, turn, &open, self.cancel, &mut self.tap).await;
            let answer = |open: &Open| ran.remove(open.call.id()).unwrap_or_else(|| open.outcome());
            let results = open.iter().map(answer).map(Event::Result).collect();
            self.tap.store(turn, results).await?;
        }
        for step in 1..=self.agent.max_steps {
            self.turn += 1;
            if step == 1 {
                self.tap.store(self.turn, vec![Event::user(prompt)]).await?;
            }
            if let Some(ending) = self.turn(step == self.agent.max_steps).await? {
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
    async fn turn(&mut self, last: bool) -> Result<Option<Ending>, Error> {
        let request = self.request(last);
        let mut meter = Meter::new(&request.messages);
        tokio::select! {
            biased;
            () = self.cancel.triggered() => return self.interrupted().await.map(Some),
            asked = self.line.ask(request) => if let Err(error) = asked {
                meter.lost(error.sent());
                self.measure(meter);
                return Err(error.into());
            },
        }
        let mut turn =
            Turn::new(self.agent, runner(self.agent, &self.tap.log, self.turn), self.turn);
        let patience = sleep(REPORTS);
        tokio::pin!(patience);
        while turn.is_open() || self.line.is_answering() {
            let reading = turn.is_read();
            tokio::select! {
                biased;
                () = self.cancel.triggered() => {
                    // All hear of it before anything is waited for.
                    turn.stop(self.why(), &mut self.tap);
                    self.stop_behind(self.why()).await?;
                }
                delta = self.line.next(), if self.line.is_answering() => {
                    meter.hear(delta.as_ref());
                    if reading {
                        take(&mut turn, delta, &mut self.tap);
                    } else {
                        turn.report(delta);
                    }
                }
                happened = turn.happens() => turn.happened(happened, &mut self.tap),
                (index, happened) = any(&mut self.behind) => self.follow(index, happened).await?,
                () = &mut patience, if !reading && turn.reports => turn.reports = false,
            }
            turn.settle(last, &mut self.tap).await?;
            if reading && !turn.is_read() {
                patience.as_mut().reset(Instant::now() + REPORTS);
            }
            if !turn.reports {
                self.line.hang_up().await;
            }
        }

        let results = turn.take_results();
        let goes_on = turn.goes_on(&results);
        let end = turn.take_end();
        self.tap.store(self.turn, results.into_iter().map(Event::Result).collect()).await?;
        self.measure(meter);
        if turn.is_running() {
            self.behind.push(turn);
        } else {
            turn.wind_up(&mut self.tap).await;
        }
        self.ended(end, goes_on, last).await
    }

    /// Tells what a step took, now that it is over.
    fn measure(&mut self, mut meter: Meter) {
        meter.lost(self.line.take_lost());
        let step = meter.took();
        self.total += step;
        self.tap.pass(self.turn, Event::Metric(Metric { step, total: self.total }));
    }

    async fn ended(
        &mut self,
        end: Option<End>,
        goes_on: bool,
        last: bool,
    ) -> Result<Option<Ending>, Error> {
        match end {
            Some(End::Cancelled) => self.interrupted().await.map(Some),
            Some(End::Badly(error)) => {
                if self.tap.log.has_answer(self.turn) {
                    let content = "the answer did not come to its end".to_owned();
                    self.tap.store(self.turn, vec![Event::Cancelled { content }]).await?;
                }
                if self.line.may_go_on() && !last { Ok(None) } else { Err(error) }
            }
            Some(End::Well) | None => Ok((!goes_on).then_some(Ending::Answered)),
        }
    }

    /// Something happened in an earlier turn.
    async fn follow(&mut self, index: usize, happened: Happened) -> Result<(), Error> {
        let turn = &mut self.behind[index];
        turn.happened(happened, &mut self.tap);
        turn.settle(false, &mut self.tap).await?;
        if !turn.is_running() {
            self.behind.swap_remove(index).wind_up(&mut self.tap).await;
        }
        Ok(())
    }

    /// Waits for the calls that nobody waited for, or stops them for a reason. Says whether the
    /// person stopped them.
    async fn wind_up(&mut self, why: Option<&str>) -> Result<bool, Error> {
        if let Some(why) = why {
            self.stop_behind(why).await?;
        }
        let mut stopped = false;
        while self.behind.iter().any(Turn::is_running) {
            tokio::select! {
                biased;
                () = self.cancel.triggered() => {
                    self.stop_behind(self.why()).await?;
                    stopped = true;
                }
                (index, happened) = any(&mut self.behind) => self.follow(index, happened).await?,
            }
        }
        for mut turn in self.behind.drain(..) {
            turn.wind_up(&mut self.tap).await;
        }
        Ok(stopped)
    }

    /// Stops what nobody waited for, all of it at once.
    async fn stop_behind(&mut self, why: &str) -> Result<(), Error> {
        for turn in &mut self.behind {
            turn.stop(why, &mut self.tap);
        }
        for turn in &mut self.behind {
            turn.settle(false, &mut self.tap).await?;
        }
        Ok(())
    }

    /// The run is over for the person before it is for the log.
    async fn interrupted(&mut self) -> Result<Ending, Error> {
        let content = self.why().to_owned();
        self.tap.pass(self.turn, Event::Interrupt { reason: content.clone() });
        self.tap.store(self.turn, vec![Event::Cancelled { content }]).await?;
        Ok(Ending::Interrupted)
    }

    /// Why it is stopped: whoever called a child agent may have done it.
    fn why(&self) -> &'static str {
        match self.agent.path.is_empty() {
            true => "the person stopped the run",
            false => "the agent that called stopped this run",
        }
    }

    fn request(&self, last: bool) -> Request {
        let (entries, options) = (self.tap.log.entries(), self.agent.options);
        let told = match last {
            true => assemble_with_notice(entries, options, LAST_STEP),
            false => assemble(entries, options),
        };
        let told = match told.last() {
            // Nothing came of it that it could go on from.
            Some(message) if message.role == Role::Assistant => {
                assemble_with_notice(entries, options, GO_ON)
            }
            _ => told,
        };
        let messages = std::iter::once(self.system.clone()).chain(told).collect();
        Request { streaming: self.agent.streaming, ..Request::new(messages) }
    }
}

/// A delta of the part that is read.
fn take(turn: &mut Turn, delta: Option<Result<Delta, silcrow_provider::Error>>, tap: &mut Tap<'_>) {
    match delta {
        Some(Ok(Delta::Text(text))) => turn.read(&text, tap),
        Some(Ok(Delta::Reasoning(text))) => turn.reason(&text, tap),
        Some(Ok(Delta::Done(Finish::Length))) => {
            let why = "the answer reached the model's length limit; ask for less, or continue";
            turn.fail(Error::new(ErrorKind::Length, why), tap);
        }
        Some(Ok(Delta::Done(Finish::Filter))) => {
            let why = "the provider withheld the rest of the answer; ask in another way";
            turn.fail(Error::new(ErrorKind::Filter, why), tap);
        }
        Some(Ok(Delta::Done(_))) => turn.end(tap),
        Some(Ok(_)) => {}
        Some(Err(error)) => turn.fail(error.into(), tap),
        None => {
            let why = "the answer ended without its end mark; run again";
            let cut = silcrow_provider::Error::new(silcrow_provider::ErrorKind::Cut, why);
            turn.fail(cut.into(), tap);
        }
    }
}

/// Waits for what happens in any of these turns.
async fn any(turns: &mut [Turn]) -> (usize, Happened) {
    if turns.is_empty() {
        return pending().await;
    }
    let (happened, index, _) =
        select_all(turns.iter_mut().map(|turn| turn.happens().boxed())).await;
    (index, happened)
}

/// How to write, and what there is to call: actions may call more than tools.
fn system(agent: &Agent) -> Message {
    let kinds = match agent.options.dialect {
        Dialect::Action => &Kind::ALL[..],
        _ => &[Kind::Tool],
    };
    let cards = kinds.iter().flat_map(|&kind| {
        agent.tools.iter_as(kind).map(move |tool| ToolCard {
            kind,
            name: tool.name(),
            description: tool.description(),
            schema: tool.schema(),
        })
    });
    let cards: Vec<_> = cards.collect();
    let text = system_prompt(agent.options, &cards, agent.instructions.as_deref());
    Message::new(Role::System, text)
}

/// Told at the end of the last request that a run may make.
const LAST_STEP: &str =
    "[This is the last step of the run: answer now with what you have, and call nothing.]";

/// How long an answer is read on for what the vendor reports behind it, once no more of its text
/// is wanted.
const REPORTS: Duration = Duration::from_millis(100);
