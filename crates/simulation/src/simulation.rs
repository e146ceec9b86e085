//! A simulation: its settings, and the run on a clock that is paused.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use silcrow_agent::{Agent, AgentOptions, EagerStart, InlineWorkflow};
use silcrow_event::{Call, CallKind, Json};
use silcrow_parser::Options;
use silcrow_store::MemoryStore;
use tokio::runtime::Builder;

use crate::error::{Error, ErrorKind};
use crate::event::{Recorder, TimedEvent};
use crate::inner_calls::InnerCalls;
use crate::model::PacedModel;
use crate::script::Script;
use crate::stub_tool::toolbox;
use crate::stubs::Stubs;

/// Wire text that is played against stubs.
///
/// ```
/// use silcrow_parser::Dialect;
/// use silcrow_simulation::{SimulationEvent, Simulation};
///
/// let wire = "§call: {\"name\": \"file_list\"}\n§execute\n§respond: Two files.\n§end";
/// let events = Simulation::new(wire, Dialect::Sigil).with_rate(20.0).run()?;
/// assert!(events.iter().any(|event| matches!(event.event, SimulationEvent::Done)));
/// // Some 14 tokens of 4 characters, at 20 a second.
/// let end = events.iter().map(|event| event.at).max().unwrap();
/// assert!(end.as_millis() > 500);
/// # Ok::<_, silcrow_simulation::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulation {
    wire: String,
    dialect: Options,
    stubs: Stubs,
    presets: BTreeMap<String, Json>,
    max_parallel: NonZeroUsize,
    rate: f64,
}

impl Simulation {
    /// Creates a simulation in which the whole text comes at once, each call takes 10 ms and returns the
    /// text `ID:ok`, and up to 16 calls run at once.
    pub fn new(wire: impl Into<String>, dialect: impl Into<Options>) -> Self {
        Self {
            wire: wire.into(),
            dialect: dialect.into(),
            stubs: Stubs::default(),
            presets: BTreeMap::new(),
            max_parallel: NonZeroUsize::new(16).expect("it is more than zero"),
            rate: 0.0,
        }
    }

    /// Sets the behaviour of calls, which run no tool.
    #[must_use]
    pub fn with_stubs(self, stubs: Stubs) -> Self {
        Self { stubs, ..self }
    }

    /// Sets the values that names have from the start (P-26).
    #[must_use]
    pub fn with_presets(self, presets: BTreeMap<String, Json>) -> Self {
        Self { presets, ..self }
    }

    /// Sets the maximum number of concurrent calls.
    #[must_use]
    pub fn with_max_parallel(self, max_parallel: NonZeroUsize) -> Self {
        Self { max_parallel, ..self }
    }

    /// Sets the tokens that the model writes in a second, of 4 characters each, and at least one in a
    /// thousand seconds. With zero, a negative number or one that is not finite, the whole text comes at
    /// once.
    #[must_use]
    pub fn with_rate(self, tokens: f64) -> Self {
        let rate = if tokens.is_finite() && tokens > 0.0 { tokens.max(SLOWEST) } else { 0.0 };
        Self { rate, ..self }
    }

    /// Runs the text, and returns the events in chronological order.
    ///
    /// It blocks until the simulation is over, which takes about as long as parsing the text. The run is
    /// in a thread with its own clock, so this may be called inside an asynchronous runtime, too.
    ///
    /// # Errors
    ///
    /// - [`Run`](ErrorKind::Run) if the run fails for a reason that is not a part of the
    ///   simulation. That the text is too long or answers nothing is an event.
    pub fn run(&self) -> Result<Vec<TimedEvent>, Error> {
        let cannot = |error| Error::new(ErrorKind::Run, "cannot start").with_source(error);
        thread::scope(|scope| {
            let played = thread::Builder::new().spawn_scoped(scope, || self.play());
            played.map_err(cannot)?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn play(&self) -> Result<Vec<TimedEvent>, Error> {
        let failed = |message: &str| Error::new(ErrorKind::Run, message);
        let Script { answers, calls } = Script::parse(&self.wire, self.dialect);
        let count = answers.len();
        let inner = InnerCalls::default();
        let is_tool =
            |call: &Call| call.action().is_none_or(|action| action.kind == CallKind::Tool);
        let has_stub = self.stubs.has(WORKFLOW);
        let is_workflow = |call: &&Call| !has_stub && is_tool(call) && call.name() == WORKFLOW;
        let (workflows, calls): (Vec<_>, Vec<_>) = calls.iter().partition(is_workflow);
        let within =
            Vec::from_iter(workflows.iter().flat_map(|call| InlineWorkflow::calls(call.args())));
        let agent =
            Agent::new(PacedModel::new(answers, self.rate, self.dialect), MemoryStore::new())
                .with_tools(toolbox(self.stubs.clone(), calls.into_iter().chain(&within), &inner))
                .with_options(self.options());
        let host = agent.clone();
        let agent = match workflows.is_empty() {
            true => agent,
            // A text whose actions call a tool of this name, too, has only a stub.
            false => {
                let workflow = InlineWorkflow::new(move || host.clone());
                agent.clone().with_tool(workflow).unwrap_or(agent)
            }
        };
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.map_err(|error| failed("cannot start").with_source(error))?;
        runtime.block_on(async {
            let mut recorder = Recorder::new(count, inner);
            match agent.run("simulation", "Go.", &mut |event| recorder.record(event)).await {
                // The text's effects on a run are part of the simulation.
                Err(error)
                    if !matches!(
                        error.kind(),
                        silcrow_agent::ErrorKind::TooMuch | silcrow_agent::ErrorKind::NoAnswer
                    ) =>
                {
                    Err(failed("the run failed").with_source(error))
                }
                _ => Ok(recorder.finish()),
            }
        })
    }

    /// Returns the settings of an agent that reaches no limits except an answer's. Its pauses are
    /// exact and its outputs whole, as the stubs say.
    fn options(&self) -> AgentOptions {
        let mut options = AgentOptions::default();
        options.dialect = self.dialect;
        options.presets = self.presets.clone();
        options.eager = EagerStart::Off;
        options.max_steps = u32::MAX;
        options.plan.max_parallel = self.max_parallel.get();
        options.runner.max_parallel = self.max_parallel;
        options.runner.output_cap = usize::MAX;
        options.runner.jitter_percent = 0;
        options.budget.requests = u32::MAX;
        options.budget.events = u64::MAX;
        options.budget.bytes = u64::MAX;
        options.budget.time = Duration::MAX;
        options
    }
}

/// The tool whose call has actions, which are played like calls of the text.
const WORKFLOW: &str = "workflow";

/// The lowest rate, in tokens a second. The time of a text that is written at it is a duration.
const SLOWEST: f64 = 0.001;
