use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_accumulate::Accumulator;
use silcrow_context::{ToolCard, assemble, assemble_with_notice, system_prompt};
use silcrow_event::{Event, Message, Metric, Role, Usage};
use silcrow_exec::{Cancel, Runner};
use silcrow_parser::Parser;
use silcrow_provider::{Delta, Deltas, Finish, Request};
use tokio::time::{Instant, sleep};

use crate::agent::{Agent, Ending, Output};
use crate::clock::Clock;
use crate::error::{Error, ErrorKind};
use crate::log::{Log, Marks};
use crate::recover::recover;
use crate::step::{Do, End, take};

/// One run: the only place where deltas, outcomes and the stop sign meet.
pub(crate) struct Run<'a> {
    agent: &'a Agent,
    conversation: &'a str,
    cancel: &'a Cancel,
    show: &'a mut (dyn FnMut(Output<'_>) + Send),
    log: Log<'a>,
    system: Message,
    total: Usage,
}

/// One answer of the model, being read.
struct Turn {
    parser: Option<Parser>,
    accumulator: Accumulator,
    runner: Runner,
    /// Steps that wait to be stored and run, in order.
    steps: VecDeque<Do>,
    usage: Usage,
    end: Option<End>,
    /// The answer is read on for what the vendor reports behind it.
    reports: bool,
}

impl<'a> Run<'a> {
    pub(crate) async fn open(
        agent: &'a Agent,
        conversation: &'a str,
        cancel: &'a Cancel,
        show: &'a mut (dyn FnMut(Output<'_>) + Send),
    ) -> Result<Self, Error> {
        let log = Log::open(&*agent.store, conversation, Clock::start()).await?;
        let cards: Vec<ToolCard<'_>> = agent
            .tools
            .iter()
            .map(|tool| ToolCard {
                name: tool.name(),
                description: tool.description(),
                schema: tool.schema(),
            })
            .collect();
        let system = system_prompt(agent.options, &cards, agent.instructions.as_deref());
        Ok(Self {
            agent,
            conversation,
            cancel,
            show,
            log,
            system: Message::new(Role::System, system),
            total: Usage::default(),
        })
    }

    /// From the prompt to the end of the run.
    pub(crate) async fn answer(&mut self, prompt: &str) -> Result<Ending, Error> {
        let recovered = recover(&self.log).await?;
        self.store(recovered).await?;
        self.log.next_turn();
        self.store(vec![Event::user(prompt)]).await?;
        for step in 1..=self.agent.max_steps {
            if step > 1 {
                self.log.next_turn();
            }
            let last = step == self.agent.max_steps;
            if let Some(ending) = self.turn(last).await? {
                if ending == Ending::Answered {
                    self.pass(Event::End);
                }
                return Ok(ending);
            }
        }
        let steps = self.agent.max_steps;
        Err(Error::new(
            ErrorKind::StepLimit,
            format!("the steps of the run are used up ({steps}); continue it, or allow more"),
        ))
    }

    /// Gives out an event that is not stored.
    pub(crate) fn pass(&mut self, event: Event) {
        let entry = self.log.pass(event);
        (self.show)(Output::Event(&entry));
    }

    /// One request and what comes of it. `None`: the results go back to the model.
    async fn turn(&mut self, last: bool) -> Result<Option<Ending>, Error> {
        let started = Instant::now();
        let mut deltas = Some(self.agent.provider.stream(self.request(last)));
        let mut turn = Turn::new(self.agent, self.log.marks(self.agent.store.clone()));
        let patience = sleep(REPORTS);
        tokio::pin!(patience);
        while turn.end.is_none() || turn.accumulator.is_running() || deltas.is_some() {
            let reading = turn.end.is_none();
            tokio::select! {
                biased;
                () = self.cancel.triggered() => self.stop(&mut turn),
                delta = next(&mut deltas), if deltas.is_some() => {
                    if reading {
                        self.delta(&mut turn, delta);
                    } else {
                        turn.report(delta);
                    }
                }
                Some((id, outcome)) = turn.runner.next(), if turn.accumulator.is_running() => {
                    let (show, log) = (&mut *self.show, &self.log);
                    let Turn { accumulator, steps, end, .. } = &mut turn;
                    accumulator.outcome(&id, outcome, &mut |step| take(step, show, log, steps, end));
                }
                () = &mut patience, if !reading => turn.reports = false,
            }
            self.settle(&mut turn, last).await?;
            if reading && turn.end.is_some() {
                patience.as_mut().reset(Instant::now() + REPORTS);
            }
            if !turn.reports {
                // Hanging up stops the model.
                deltas = None;
            }
        }

        let results = turn.accumulator.take_results().unwrap_or_default();
        let go_on = !results.is_empty();
        self.store(results.into_iter().map(Event::Result).collect()).await?;
        let step = Usage { duration: started.elapsed().as_secs_f64(), ..turn.usage };
        self.total += step;
        self.pass(Event::Metric(Metric { step, total: self.total }));
        match turn.end {
            Some(End::Cancelled) => {
                // The run is over for the person before it is for the log.
                self.pass(Event::Interrupt { reason: "stopped by the person".to_owned() });
                let content = "the person stopped the run".to_owned();
                self.store(vec![Event::Cancelled { content }]).await?;
                Ok(Some(Ending::Interrupted))
            }
            Some(End::Badly(error)) => {
                if self.log.has_answer() {
                    let content = "the answer did not come to its end".to_owned();
                    self.store(vec![Event::Cancelled { content }]).await?;
                }
                Err(error)
            }
            Some(End::Well) | None => Ok((!go_on).then_some(Ending::Answered)),
        }
    }

    fn request(&self, last: bool) -> Request {
        let events = self.log.entries().iter().map(|entry| &entry.event);
        let options = self.agent.options;
        let mut messages = vec![self.system.clone()];
        messages.extend(if last {
            assemble_with_notice(events, options, LAST_STEP)
        } else {
            assemble(events, options)
        });
        Request { messages, streaming: self.agent.streaming }
    }

    fn delta(&mut self, turn: &mut Turn, delta: Option<Result<Delta, silcrow_provider::Error>>) {
        match delta {
            Some(Ok(Delta::Text(text))) => self.read(turn, &text),
            Some(Ok(Delta::Reasoning(text))) => {
                let (show, log) = (&mut *self.show, &self.log);
                let Turn { accumulator, steps, end, .. } = turn;
                accumulator.reason(&text, &mut |step| take(step, show, log, steps, end));
            }
            Some(Ok(Delta::Usage(usage))) => turn.usage = usage,
            Some(Ok(Delta::Done(finish))) => match finish {
                Finish::Length => self.fail(
                    turn,
                    Error::new(
                        ErrorKind::Length,
                        "the answer reached the model's length limit; ask for less, or continue",
                    ),
                ),
                Finish::Filter => self.fail(
                    turn,
                    Error::new(
                        ErrorKind::Filter,
                        "the provider withheld the rest of the answer; ask in another way",
                    ),
                ),
                _ => {
                    turn.end = Some(End::Well);
                    turn.reports = false;
                    self.finish(turn);
                }
            },
            Some(Ok(_)) => {}
            Some(Err(error)) => self.fail(turn, error.into()),
            None => self.fail(
                turn,
                silcrow_provider::Error::new(
                    silcrow_provider::ErrorKind::Cut,
                    "the answer ended without its end mark; run again",
                )
                .into(),
            ),
        }
    }

    /// A piece of wire text, to the screen without a wait.
    fn read(&mut self, turn: &mut Turn, text: &str) {
        let (show, log) = (&mut *self.show, &self.log);
        let Turn { parser, accumulator, steps, end, .. } = turn;
        if let Some(parser) = parser {
            parser.push(text, &mut |fragment| {
                accumulator.push(fragment, &mut |step| take(step, show, log, steps, end));
            });
        }
    }

    /// The end of the wire text closes what is open.
    fn finish(&mut self, turn: &mut Turn) {
        let (show, log) = (&mut *self.show, &self.log);
        let Turn { parser, accumulator, steps, end, .. } = turn;
        if let Some(parser) = parser.take() {
            parser.finish(&mut |fragment| {
                accumulator.push(fragment, &mut |step| take(step, show, log, steps, end));
            });
            accumulator.finish(&mut |step| take(step, show, log, steps, end));
        }
    }

    /// Nothing more is started; what has not ended gets this result.
    fn give_up(&mut self, turn: &mut Turn, summary: &str, why: &str) {
        let (show, log) = (&mut *self.show, &self.log);
        let Turn { accumulator, steps, end, .. } = turn;
        accumulator.give_up(summary, why, &mut |step| take(step, show, log, steps, end));
    }

    fn fail(&mut self, turn: &mut Turn, error: Error) {
        let why = format!("cancelled: the answer did not come to its end: {error}");
        self.give_up(turn, "cancelled", &why);
        turn.reports = false;
        self.finish(turn);
        turn.end = Some(End::Badly(error));
    }

    fn stop(&mut self, turn: &mut Turn) {
        turn.runner.cancel();
        turn.reports = false;
        self.give_up(turn, "cancelled", "cancelled: the person stopped the run");
        self.finish(turn);
        turn.end = Some(End::Cancelled);
    }

    /// Stores what is to be stored and shows it, in order, then starts what may run.
    async fn settle(&mut self, turn: &mut Turn, last: bool) -> Result<(), Error> {
        let mut ready = Vec::new();
        let mut events = Vec::new();
        for step in turn.steps.drain(..) {
            match step {
                Do::Emit(event) => events.push(event),
                Do::Run(call) => ready.push(call),
                Do::Show(piece) => {
                    self.emit(std::mem::take(&mut events)).await?;
                    piece.show(self.show, self.log.place());
                }
            }
        }
        self.emit(events).await?;
        if last && !ready.is_empty() {
            let why = "not started: this was the last step of the run";
            self.give_up(turn, "not started", why);
            return Ok(());
        }
        for call in ready {
            turn.runner.start(call, self.conversation);
        }
        Ok(())
    }

    /// Stores and shows events in order; those that are not stored are shown at their place.
    async fn emit(&mut self, events: Vec<Event>) -> Result<(), Error> {
        let mut batch = Vec::new();
        for event in events {
            if event.is_stored() {
                batch.push(event);
                continue;
            }
            self.store(std::mem::take(&mut batch)).await?;
            // The run has one end, and it comes when the run is over.
            if event != Event::End {
                self.pass(event);
            }
        }
        self.store(batch).await
    }

    async fn store(&mut self, events: Vec<Event>) -> Result<(), Error> {
        if !events.is_empty() {
            for entry in self.log.append(events).await? {
                (self.show)(Output::Event(entry));
            }
        }
        Ok(())
    }
}

/// Told at the end of the last request that a run may make.
const LAST_STEP: &str =
    "[This is the last step of the run: answer now with what you have, and call nothing.]";

/// How long an answer is read on for what the vendor reports behind it, once no more of its text
/// is wanted.
const REPORTS: Duration = Duration::from_millis(100);

impl Turn {
    fn new(agent: &Agent, marks: Marks) -> Self {
        let runner = Runner::new(agent.tools.clone(), agent.approver.clone());
        let parser = Parser::new(agent.options);
        let parser = if agent.call_text { parser.with_call_text() } else { parser };
        Self {
            parser: Some(parser),
            accumulator: Accumulator::new(),
            runner: runner.with_journal(marks),
            steps: VecDeque::new(),
            usage: Usage::default(),
            end: None,
            reports: true,
        }
    }

    /// A delta behind the part that is read. Text means that the model goes on for nothing.
    fn report(&mut self, delta: Option<Result<Delta, silcrow_provider::Error>>) {
        match delta {
            Some(Ok(Delta::Usage(usage))) => self.usage = usage,
            Some(Ok(Delta::Text(text))) if text.trim().is_empty() => {}
            _ => self.reports = false,
        }
    }
}

async fn next(deltas: &mut Option<Deltas>) -> Option<Result<Delta, silcrow_provider::Error>> {
    deltas.as_mut()?.next().await
}
