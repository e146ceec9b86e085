//! `silcrow dev rehearse`: wire text against stubs of its tools, in virtual time.
//!
//! A model writes the text at a rate, and an agent runs it: the loop, the plan, the runner and the
//! store are those of every run. The command starts a runtime whose clock is paused: it moves to
//! the next timer whenever nothing can run, so that a rehearsal takes no time and gives the same
//! times in every run.

mod event;
mod model;
mod printer;
mod script;
mod stub_tool;
mod stubs;
mod timeline;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use serde_json::value::RawValue;
use silcrow_agent::{Agent, AgentOptions, EagerStart, ErrorKind};
use silcrow_event::Json;
use silcrow_parser::Options;
use silcrow_store::MemoryStore;

use crate::args::RehearseArgs;
use crate::failure::{Failure, written};
use crate::input::Input;
use crate::rehearse::event::Recorder;
use crate::rehearse::model::PacedModel;
use crate::rehearse::printer::RehearsalPrinter;
use crate::rehearse::script::Script;
use crate::rehearse::stub_tool::toolbox;
use crate::rehearse::stubs::Stubs;
use crate::runtime;

/// Rehearses the text of a file, and prints what happens.
pub(crate) fn rehearse(args: &RehearseArgs) -> Result<(), Failure> {
    let stubs = match &args.stubs {
        Some(path) => {
            let input = Input::open(path)?;
            let name = input.name().to_owned();
            Stubs::read(&name, &input.text()?)?
        }
        None => Stubs::default(),
    };
    let vars = vars(args.vars.as_deref())?;
    let wire = Input::open(&args.file)?.text()?;
    let dialect = Options::new(args.dialect).with_inline(args.inline);
    let Script { answers, calls } = Script::parse(&wire, dialect);
    let count = answers.len();
    let agent = Agent::new(PacedModel::new(answers, args.rate, dialect), MemoryStore::new())
        .with_tools(toolbox(stubs, &calls))
        .with_options(options(args, dialect, vars));
    let (events, ended) = runtime::paused()?.block_on(async {
        let mut recorder = Recorder::new(count);
        let ended = agent.run("rehearsal", "Rehearse.", &mut |event| recorder.push(event)).await;
        (recorder.finish(), ended)
    });
    let mut printer = RehearsalPrinter::new(args.json || !io::stdout().is_terminal());
    for event in events {
        printer.push(event);
    }
    written(printer.finish())?;
    match ended {
        // What the text makes of a run is a part of the rehearsal.
        Err(error) if !matches!(error.kind(), ErrorKind::TooMuch | ErrorKind::NoAnswer) => {
            Err(Failure::running(error.to_string()))
        }
        _ => Ok(()),
    }
}

/// Returns the settings of an agent that reaches no limit but those of an answer. Its pauses are
/// exact and its outputs whole, as the stubs say.
fn options(args: &RehearseArgs, dialect: Options, vars: BTreeMap<String, Json>) -> AgentOptions {
    let mut options = AgentOptions::default();
    options.dialect = dialect;
    options.presets = vars;
    options.eager = EagerStart::Off;
    options.max_steps = u32::MAX;
    options.plan.max_parallel = args.max_parallel.get();
    options.runner.max_parallel = args.max_parallel;
    options.runner.output_cap = usize::MAX;
    options.runner.jitter_percent = 0;
    options.budget.requests = u32::MAX;
    options.budget.events = u64::MAX;
    options.budget.bytes = u64::MAX;
    options.budget.time = Duration::MAX;
    options
}

/// Reads the names that have a value from the start, out of a JSON object.
fn vars(json: Option<&str>) -> Result<BTreeMap<String, Json>, Failure> {
    let Some(json) = json else { return Ok(BTreeMap::new()) };
    let read = serde_json::from_str::<BTreeMap<String, &RawValue>>(json);
    let read = read.map_err(|error| {
        Failure::given(format!("--vars is not a JSON object of names and values: {error}"))
    })?;
    Ok(read.into_iter().filter_map(|(name, raw)| Some((name, Json::parse(raw.get())?))).collect())
}
