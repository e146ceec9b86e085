//! Observers of all runs of an agent, besides the caller of each.

use silcrow_event::{Entry, RunEventRef, Timestamp, TraceParent};
use silcrow_tool::Toolbox;

use crate::options::AgentOptions;

/// Watches the runs of an agent, such as to report them to other programs.
///
/// It is called with each event before the caller of the run gets it, and the run waits for it, so it
/// does little and never blocks. The runs of agents and workflows in calls are a part of the run that
/// makes the calls.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # use std::sync::Arc;
/// # use std::sync::atomic::{AtomicUsize, Ordering};
/// use silcrow_agent::{Agent, EventWatch, ObservedRun, RunObserver};
/// # use silcrow_provider::ScriptedModel;
/// # use silcrow_store::MemoryStore;
///
/// struct Counter(Arc<AtomicUsize>);
///
/// impl RunObserver for Counter {
///     fn observe(&self, _: &ObservedRun<'_>) -> Option<EventWatch> {
///         let count = Arc::clone(&self.0);
///         Some(Box::new(move |_| drop(count.fetch_add(1, Ordering::Relaxed))))
///     }
/// }
///
/// let count = Arc::new(AtomicUsize::new(0));
/// let model = ScriptedModel::parse("§respond: 4\n§end", 1);
/// let agent = Agent::new(model, MemoryStore::new()).with_observer(Counter(Arc::clone(&count)));
/// agent.ask("What is 2 + 2?").await.unwrap();
/// assert!(count.load(Ordering::Relaxed) > 2);
/// # });
/// ```
pub trait RunObserver: Send + Sync {
    /// Begins to watch a run, or returns `None` for one that does not matter. The returned watch
    /// gets all events of the run, and is dropped at its end.
    fn observe(&self, run: &ObservedRun<'_>) -> Option<EventWatch>;
}

/// Takes the events of a run.
pub type EventWatch = Box<dyn FnMut(RunEventRef<'_>) + Send>;

/// A run that begins.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ObservedRun<'a> {
    /// The id of its conversation.
    pub conversation: &'a str,
    /// The events before the run that the run depends on. A run that continues an earlier one emits
    /// the last turn of it again.
    pub log: &'a [Entry],
    /// The time at which the run begins.
    pub time: Timestamp,
    /// The name of the model, with its vendor before it.
    pub provider: &'a str,
    /// The tools that the agent has at the beginning, without those that come and go.
    pub tools: &'a Toolbox,
    /// The settings of the agent.
    pub options: &'a AgentOptions,
    /// The system prompt, without the text that changes from run to run.
    pub system: &'a str,
    /// The span of the caller, if it named one.
    pub caller: Option<TraceParent>,
}

impl<T: RunObserver + ?Sized> RunObserver for std::sync::Arc<T> {
    fn observe(&self, run: &ObservedRun<'_>) -> Option<EventWatch> {
        (**self).observe(run)
    }
}
