mod lines;
mod play;
mod stubs;
mod timeline;
mod written;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};

use serde_json::value::RawValue;
use silcrow_event::Json;
use silcrow_parser::Options;
use silcrow_plan::{Plan, PlanLimits};

use crate::args::RehearseArgs;
use crate::failure::{Failure, written};
use crate::input::Input;
use crate::rehearse::lines::RehearsalPrinter;
use crate::rehearse::play::Play;
use crate::rehearse::stubs::Stubs;

/// `silcrow rehearse`: wire text played against stubbed tools, in virtual time.
pub(crate) fn rehearse(args: &RehearseArgs) -> Result<(), Failure> {
    let stubs = match &args.stubs {
        Some(path) => {
            let input = Input::open(path)?;
            let name = input.name().to_owned();
            Stubs::read(&name, &input.text()?)?
        }
        None => Stubs::default(),
    };
    let limits = PlanLimits { parallel: args.max_parallel.get(), ..PlanLimits::default() };
    let mut plan = Plan::with_limits(limits);
    for (name, value) in vars(args.vars.as_deref())? {
        plan.preset(name, value);
    }
    let wire = Input::open(&args.file)?.text()?;
    let options = Options::new(args.dialect).with_inline(args.inline);
    let tokens = written::tokens(&wire, options);
    let as_json = args.json || !io::stdout().is_terminal();
    let mut lines = RehearsalPrinter::new(as_json);
    Play::new(plan, options, &stubs, args.rate).run(&tokens, &mut |line| lines.push(line));
    written(lines.finish())
}

/// What names stand for from the start: a JSON object.
fn vars(json: Option<&str>) -> Result<BTreeMap<String, Json>, Failure> {
    let Some(json) = json else { return Ok(BTreeMap::new()) };
    let read = serde_json::from_str::<BTreeMap<String, &RawValue>>(json);
    let read = read.map_err(|error| {
        Failure::given(format!("--vars is not a JSON object of names and values: {error}"))
    })?;
    Ok(read.into_iter().filter_map(|(name, raw)| Some((name, Json::parse(raw.get())?))).collect())
}
