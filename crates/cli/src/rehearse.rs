//! `silcrow dev rehearse`: wire text against stubs of its tools, in virtual time.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal as _, Write};

use serde_json::value::RawValue;
use silcrow_console::printer::write_json;
use silcrow_event::{Json, error_chain};
use silcrow_parser::Options;
use silcrow_simulation::{Simulation, Stubs, TimedEvent, Timeline};

use crate::args::RehearseArgs;
use crate::failure::{Failure, written};
use crate::input::Input;

/// Plays the text of a file, and prints the events.
pub(crate) fn rehearse(args: &RehearseArgs) -> Result<(), Failure> {
    let stubs = match &args.stubs {
        Some(path) => {
            let input = Input::open(path)?;
            let name = input.name().to_owned();
            Stubs::parse(&input.text()?)
                .map_err(|error| Failure::given(format!("{name}: {error}")))?
        }
        None => Stubs::default(),
    };
    let presets = vars(args.vars.as_deref())?;
    let wire = Input::open(&args.file)?.text()?;
    let simulation = Simulation::new(wire, Options::new(args.dialect).with_inline(args.inline))
        .with_stubs(stubs)
        .with_presets(presets)
        .with_max_parallel(args.max_parallel)
        .with_rate(args.rate);
    let events = simulation.run().map_err(|error| Failure::running(error_chain(&error)))?;
    let mut out = BufWriter::new(io::stdout().lock());
    let printed = match args.json || !io::stdout().is_terminal() {
        true => {
            let mut lines = events.iter().filter_map(TimedEvent::to_json);
            lines.try_for_each(|line| write_json(&mut out, &line))
        }
        false => {
            let picture = Timeline::new(events).render(columns());
            out.write_all(picture.as_bytes())
        }
    };
    written(printed.and_then(|()| out.flush()))
}

/// Returns the width of the terminal, or 80 if it is unknown.
fn columns() -> usize {
    match crate::system::output_size() {
        Some((columns, _)) if columns > 0 => columns.into(),
        _ => 80,
    }
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
