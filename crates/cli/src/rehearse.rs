//! `silcrow rehearse`: wire text against stubs of its tools, in virtual time.
//!
//! The command starts a runtime whose clock is paused: it moves to the next timer whenever nothing
//! can run, so that a rehearsal takes no time and gives the same times in every run.

mod event;
mod printer;
mod script;
mod stub_tool;
mod stubs;
mod timeline;
mod turn;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::sync::Arc;

use serde_json::value::RawValue;
use silcrow_event::Json;
use silcrow_exec::{CallDriver, DenyAll, Runner, RunnerLimits, Toolbox};
use silcrow_parser::Options;
use silcrow_plan::{Plan, PlanLimits};
use tokio::runtime::Builder;

use crate::args::RehearseArgs;
use crate::failure::{Failure, written};
use crate::input::Input;
use crate::rehearse::printer::RehearsalPrinter;
use crate::rehearse::script::ScriptFragment;
use crate::rehearse::stub_tool::toolbox;
use crate::rehearse::stubs::Stubs;
use crate::rehearse::turn::RehearsedTurn;

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
    let mut plan = Plan::with_limits(PlanLimits {
        parallel: args.max_parallel.get(),
        ..PlanLimits::default()
    });
    for (name, value) in vars(args.vars.as_deref())? {
        plan.preset(name, value);
    }
    let wire = Input::open(&args.file)?.text()?;
    let options = Options::new(args.dialect).with_inline(args.inline);
    let tokens = script::tokens(&wire, options);
    let calls = tokens.iter().flatten().filter_map(ScriptFragment::call);
    let driver = CallDriver::new(plan, runner(toolbox(stubs, calls), args.max_parallel));
    let mut printer = RehearsalPrinter::new(args.json || !io::stdout().is_terminal());
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .map_err(|error| Failure::running(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let mut show = |event| printer.push(event);
        RehearsedTurn::new(driver, args.dialect, args.rate, &mut show).run(&tokens).await;
    });
    written(printer.finish())
}

/// Returns the runner of the stubs. Its pauses are exact and its outputs whole, as the stubs say.
fn runner(toolbox: Toolbox, max_parallel: NonZeroUsize) -> Runner {
    let limits =
        RunnerLimits { max_parallel, output_cap: usize::MAX, jitter: 0, ..RunnerLimits::default() };
    Runner::new(Arc::new(toolbox), Arc::new(DenyAll)).with_limits(limits)
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
