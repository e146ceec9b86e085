//! A turn that is rehearsed: its text comes at a rate, and its calls run against stubs.
//!
//! ```text
//! reading ── execution point ──► a batch runs, and the text waits ──► reading
//!    └── end of the text ──► open until what it waits for has ended ──► done ──► nothing runs
//! ```
//!
//! The accumulator, the plan, the driver of calls and the runner are those of an agent, and time is
//! tokio's. Unlike an agent it keeps one plan and one parser for the whole text: what follows an
//! execution point is the answer to its results, as the file has it, and no model is asked again.

use std::time::Duration;

use silcrow_accumulate::{Accumulator, Step, StopReason};
use silcrow_event::Event;
use silcrow_exec::CallDriver;
use silcrow_parser::Dialect;
use silcrow_plan::{CallEnd, Plan};
use tokio::time::{Instant, sleep_until};

use crate::rehearse::event::{RehearsalEvent, TimedEvent};
use crate::rehearse::script::ScriptToken;

/// A turn that is rehearsed.
pub(crate) struct RehearsedTurn<'a> {
    accumulator: Accumulator,
    driver: CallDriver,
    /// The number of tokens a second; with 0 all text comes at once.
    rate: f64,
    start: Instant,
    /// How long the text waited at execution points.
    waited: Duration,
    show: &'a mut dyn FnMut(TimedEvent),
}

impl<'a> RehearsedTurn<'a> {
    /// Creates a turn that starts now.
    pub(crate) fn new(
        driver: CallDriver,
        dialect: Dialect,
        rate: f64,
        show: &'a mut dyn FnMut(TimedEvent),
    ) -> Self {
        let accumulator = Accumulator::new();
        let accumulator = match dialect {
            Dialect::Action => accumulator.with_names(),
            _ => accumulator,
        };
        let (start, waited) = (Instant::now(), Duration::ZERO);
        Self { accumulator, driver, rate, start, waited, show }
    }

    /// Runs the turn to its end, and then the calls in the background.
    pub(crate) async fn run(mut self, tokens: &[ScriptToken]) {
        for (token, number) in tokens.iter().zip(1_u32..) {
            self.wait_for_token(number).await;
            for fragment in token {
                let stop = self.advance(|accumulator, plan, take| {
                    fragment.push(accumulator, plan, take);
                });
                if stop == Some(StopReason::Execute) {
                    self.run_batch().await;
                }
            }
        }
        self.advance(Accumulator::finish);
        self.settle().await;
        self.show(RehearsalEvent::Done);
        while self.next().await {}
    }

    /// Runs calls until the token of this number comes.
    async fn wait_for_token(&mut self, number: u32) {
        if self.rate <= 0.0 {
            return;
        }
        let written = Duration::from_secs_f64(f64::from(number) / self.rate);
        let at = self.start + written + self.waited;
        loop {
            tokio::select! {
                // As in an agent, text goes before what calls do at the same time.
                biased;
                () = sleep_until(at) => return,
                true = self.next() => {}
            }
        }
    }

    /// Runs the calls of a batch, for which the text waits.
    async fn run_batch(&mut self) {
        let stopped = Instant::now();
        self.settle().await;
        for result in self.driver.plan_mut().take_results().unwrap_or_default() {
            self.show(RehearsalEvent::Emitted(Event::Result(result)));
        }
        self.waited += stopped.elapsed();
        // What follows is another answer.
        self.accumulator = Accumulator::new();
    }

    /// Runs calls until those have ended that the turn waits for.
    async fn settle(&mut self) {
        while !self.driver.plan().is_settled() && self.next().await {}
    }

    /// Waits for what happens next, and returns whether anything does. Cancel-safe.
    async fn next(&mut self) -> bool {
        let is_running = self.driver.next().await.is_some();
        if is_running {
            self.advance(Accumulator::report);
        }
        is_running
    }

    /// Lets the accumulator do something, carries out what the plan decides then, and shows all of
    /// it. Returns why the accumulator stops, if it does.
    fn advance(
        &mut self,
        act: impl FnOnce(&mut Accumulator, &mut Plan, &mut dyn FnMut(Step<'_>)),
    ) -> Option<StopReason> {
        let Self { accumulator, driver, .. } = self;
        let (mut events, mut stop) = (Vec::new(), None);
        let mut take = |step: Step<'_>, events: &mut Vec<_>| match step {
            Step::Stop(reason) => stop = Some(reason),
            step => events.extend(RehearsalEvent::from_step(step)),
        };
        act(accumulator, driver.plan_mut(), &mut |step| take(step, &mut events));
        loop {
            while let Some(decision) = driver.plan_mut().decide() {
                events.extend(RehearsalEvent::from_decision(&decision));
                driver.carry_out(decision);
            }
            let plan = driver.plan_mut();
            accumulator.report(plan, &mut |step| take(step, &mut events));
            accumulator.resume(plan, &mut |step| take(step, &mut events));
            if !plan.has_decisions() {
                break;
            }
        }
        for mut event in events {
            if let RehearsalEvent::Ended { id, end, reason } = &mut event
                && *end != CallEnd::Ok
            {
                let outcome = self.driver.plan().outcome(id);
                *reason = outcome.map(|outcome| outcome.content.text().into_owned());
            }
            self.show(event);
        }
        stop
    }

    fn show(&mut self, event: RehearsalEvent) {
        (self.show)(TimedEvent { at: self.start.elapsed(), event });
    }
}
