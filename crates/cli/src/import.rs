//! `silcrow import`, which takes over a person's setup of another tool.

use std::env;
use std::io::{self, IsTerminal as _, Write as _};

use silcrow_sanitize::sanitize_line;
use silcrow_settings::{Environment, ForeignItem, ForeignTool, ImportPlan};

use crate::args::ImportArgs;
use crate::failure::{Failure, written};

/// Shows the setup of other tools, and imports it if the person wants that.
pub(crate) fn import(args: &ImportArgs) -> Result<(), Failure> {
    let home = env::home_dir().ok_or_else(|| Failure::given("no home folder to import from"))?;
    let tools = args.tool.map_or_else(|| ForeignTool::ALL.to_vec(), |tool| vec![tool]);
    let found: Vec<_> = tools.into_iter().flat_map(|tool| tool.read(&home, &args.root)).collect();
    for item in &found {
        let plan = match &item.plan {
            ImportPlan::Server(server) => server.place.to_string(),
            ImportPlan::LeftOut(why) => format!("left out: {why}"),
            _ => "is copied".to_owned(),
        };
        say(item, &plan)?;
    }
    let wanted: Vec<_> =
        found.iter().filter(|item| !matches!(item.plan, ImportPlan::LeftOut(_))).collect();
    if wanted.is_empty() {
        return Err(Failure::given("there is nothing to import"));
    }
    if !args.yes && !confirmed()? {
        return Ok(());
    }
    let environment = Environment::process();
    let mut has_failed = false;
    for item in wanted {
        let done = item.import(&environment);
        has_failed |= done.is_err();
        say(item, &done.unwrap_or_else(|error| format!("not imported: {error}")))?;
    }
    match has_failed {
        // The lines name the parts that were not imported.
        true => Err(Failure::running("")),
        false => Ok(()),
    }
}

fn say(item: &ForeignItem, what: &str) -> Result<(), Failure> {
    let line = format!("{:<13} {:<24} {what}  ({})", item.kind, item.name, item.from.display());
    written(writeln!(io::stdout(), "{}", sanitize_line(&line)))
}

/// Returns whether the person says yes. Without a terminal nothing is imported.
fn confirmed() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    written(write!(io::stderr(), "Import this? y or n: "))?;
    let mut line = String::new();
    written(io::stdin().read_line(&mut line).map(drop))?;
    Ok(matches!(line.trim(), "y" | "yes"))
}
