//! The ways in which events leave a run: a function call, or a queue whose receiver may be slow.
//!
//! An outlet takes every event without waiting. An outlet with a queue is behind while the queue
//! is not empty, and the loop reads nothing more until [`Outlet::flush`] has emptied it.

use std::collections::VecDeque;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Entry, ResultFold, RunEvent, RunEventRef};
use silcrow_tool::CallContext;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use crate::answer::AnswerCollector;

/// Takes the events of a run.
pub(crate) trait Outlet: Send {
    /// Takes an event without waiting.
    fn emit(&mut self, event: RunEventRef<'_>);

    /// Returns whether the receiver has not taken everything.
    fn is_behind(&self) -> bool {
        false
    }

    /// Waits until the receiver has taken everything or is dropped. Cancel-safe.
    fn flush(&mut self) -> BoxFuture<'_, ()> {
        async {}.boxed()
    }
}

/// Calls a function with each event.
pub(crate) struct CallbackOutlet<'a>(pub(crate) &'a mut (dyn FnMut(RunEventRef<'_>) + Send));

impl Outlet for CallbackOutlet<'_> {
    fn emit(&mut self, event: RunEventRef<'_>) {
        (self.0)(event);
    }
}

/// Collects the answer and drops everything else.
pub(crate) struct AnswerOutlet<'a>(pub(crate) &'a mut AnswerCollector);

impl Outlet for AnswerOutlet<'_> {
    fn emit(&mut self, event: RunEventRef<'_>) {
        self.0.apply(event);
    }
}

/// Sends events over a bounded channel. Once the receiver is dropped, events are discarded.
pub(crate) struct ChannelOutlet<'a> {
    collector: &'a mut AnswerCollector,
    sender: Sender<RunEvent>,
    queue: VecDeque<RunEvent>,
    fold: Option<ResultFold>,
}

impl<'a> ChannelOutlet<'a> {
    /// Creates an outlet. `batches` is whether the results of a batch become one event.
    pub(crate) fn new(
        collector: &'a mut AnswerCollector,
        sender: Sender<RunEvent>,
        batches: bool,
    ) -> Self {
        let fold = batches.then(ResultFold::default);
        Self { collector, sender, queue: VecDeque::new(), fold }
    }

    fn send(&mut self, event: RunEventRef<'_>) {
        if !self.queue.is_empty() {
            return self.queue.push_back(event.to_owned());
        }
        match self.sender.try_send(event.to_owned()) {
            Ok(()) | Err(TrySendError::Closed(_)) => {}
            Err(TrySendError::Full(event)) => self.queue.push_back(event),
        }
    }
}

impl Outlet for ChannelOutlet<'_> {
    fn emit(&mut self, event: RunEventRef<'_>) {
        self.collector.apply(event);
        match (event, self.fold.take()) {
            (RunEventRef::Entry(entry), Some(mut fold)) => {
                fold.push(entry, &mut |entry| self.send(RunEventRef::Entry(entry)));
                self.fold = Some(fold);
            }
            (event, fold) => {
                self.fold = fold;
                self.send(event);
            }
        }
    }

    fn is_behind(&self) -> bool {
        !self.queue.is_empty()
    }

    fn flush(&mut self) -> BoxFuture<'_, ()> {
        async {
            while !self.queue.is_empty() {
                match self.sender.reserve().await {
                    Ok(permit) => {
                        if let Some(event) = self.queue.pop_front() {
                            permit.send(event);
                        }
                    }
                    Err(_) => self.queue.clear(),
                }
            }
        }
        .boxed()
    }
}

/// Reports the entries of an agent that a call runs to the run that called it.
pub(crate) struct CallOutlet<'a> {
    collector: &'a mut AnswerCollector,
    context: &'a CallContext,
    queue: VecDeque<Entry>,
}

impl<'a> CallOutlet<'a> {
    pub(crate) const fn new(collector: &'a mut AnswerCollector, context: &'a CallContext) -> Self {
        Self { collector, context, queue: VecDeque::new() }
    }
}

impl Outlet for CallOutlet<'_> {
    fn emit(&mut self, event: RunEventRef<'_>) {
        self.collector.apply(event);
        if let RunEventRef::Entry(entry) = event {
            self.queue.push_back(entry.clone());
        }
    }

    fn is_behind(&self) -> bool {
        !self.queue.is_empty()
    }

    fn flush(&mut self) -> BoxFuture<'_, ()> {
        async {
            while let Some(entry) = self.queue.front() {
                // An entry leaves the queue after it is sent, so that this future can be dropped
                // without losing it.
                self.context.report_event(entry.clone()).await;
                self.queue.pop_front();
            }
        }
        .boxed()
    }
}
