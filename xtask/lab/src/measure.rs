//! `cargo lab measure`, which makes one table of the costs of the layers and the command.
//!
//! Counts repeat exactly on one kind of processor, and are compared with the committed table. Times
//! on a shared machine vary by a third, and are only kept. A source is one place that rows come from:
//! a bench that callgrind counts, the program, or its server.

mod bench;
mod callgrind;
mod program;
mod table;

use std::fmt;

use bench::BENCHES;
pub(crate) use callgrind::count_running;
use program::{NAMED_SOURCES, PROGRAM_SOURCES};
use table::MeasureTable;

/// Measures the named sources, or all but those that build the command anew, and compares their counts with the table; with `--save`, the
/// rows become a part of the table.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let is_saved = args.contains(&"--save");
    let names: Vec<_> = args.iter().copied().filter(|arg| *arg != "--save").collect();
    let sources = sources(&names)?;
    let root = crate::root();
    let mut table = MeasureTable::open(&root)?;
    let machine = table::machine(&root)?;
    println!("{:<36}{:>14} {:<14}{:>10}{:>10}", "row", "value", "unit", "missed", "change");
    let mut rows = Vec::new();
    for source in sources {
        let measured = match source {
            MeasureSource::Bench(bench) => match callgrind::probe() {
                Ok(()) => bench.rows()?,
                Err(why) => {
                    println!("{} is left out: {why}", bench.name);
                    continue;
                }
            },
            MeasureSource::Program(_, measure) => measure()?,
        };
        for row in measured {
            let change = table.change(&row);
            let change = change.map_or_else(|| "new".to_owned(), |by| format!("{by:+.2} %"));
            println!("{row}{change:>10}");
            rows.push(row);
        }
    }
    if is_saved {
        table.take(&rows, &machine, &table::date_and_commit(&root)?);
        return table.write(&root);
    }
    let is_same = table.is_of(&machine);
    if !is_same {
        println!("\ninstructions were not compared: the table is of another kind of processor");
    }
    let above = rows.iter().filter(|row| is_same || !row.depends_on_processor());
    let above: Vec<_> = above.filter(|row| table.is_exceeded_by(row)).collect();
    if above.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = above.iter().map(|row| format!("`{}`", row.name)).collect();
    Err(format!(
        "{} grew by more than {} %; make them cheaper, or renew {} with `--save` and say why in the \
         commit",
        names.join(", "),
        table::TOLERANCE,
        table::FILE
    ))
}

/// The source of rows.
enum MeasureSource {
    Bench(&'static bench::Bench),
    Program(&'static str, fn() -> Result<Vec<MeasuredRow>, String>),
}

impl MeasureSource {
    const fn name(&self) -> &'static str {
        match self {
            Self::Bench(bench) => bench.name,
            Self::Program(name, _) => name,
        }
    }
}

/// Returns the named sources, or all.
fn sources(names: &[&str]) -> Result<Vec<MeasureSource>, String> {
    let benches = BENCHES.iter().map(MeasureSource::Bench);
    let named = NAMED_SOURCES.iter().filter(|(name, _)| names.contains(name));
    let programs = PROGRAM_SOURCES.iter().chain(named);
    let programs = programs.map(|(name, rows)| MeasureSource::Program(name, *rows));
    let all: Vec<_> = benches.chain(programs).collect();
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|one| one.name() != **name)) {
        let known = all.iter().map(MeasureSource::name);
        let known: Vec<_> = known.chain(NAMED_SOURCES.iter().map(|(name, _)| *name)).collect();
        return Err(format!("`{unknown}` is not measured; there are {}", known.join(", ")));
    }
    Ok(all.into_iter().filter(|one| names.is_empty() || names.contains(&one.name())).collect())
}

/// A figure. The name of its source comes first, before a comma.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeasuredRow {
    name: String,
    value: f64,
    unit: MeasureUnit,
    /// The number of branches that a simple processor predicts wrongly, if instructions are counted
    /// for each chunk.
    missed: Option<f64>,
}

/// The unit of a figure. Milliseconds and microseconds are processor or wall time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeasureUnit {
    Instructions,
    Bytes,
    Crates,
    Milliseconds,
    Microseconds,
}

impl MeasureUnit {
    const ALL: [Self; 5] =
        [Self::Instructions, Self::Bytes, Self::Crates, Self::Milliseconds, Self::Microseconds];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Bytes => "bytes",
            Self::Crates => "crates",
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
        }
    }

    const fn is_count(self) -> bool {
        !matches!(self, Self::Milliseconds | Self::Microseconds)
    }
}

impl MeasuredRow {
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: MeasureUnit) -> Self {
        Self { name: name.into(), value, unit, missed: None }
    }

    /// Returns whether the same program gives another figure on another kind of processor.
    fn depends_on_processor(&self) -> bool {
        self.unit == MeasureUnit::Instructions
    }
}

impl fmt::Display for MeasuredRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, unit, missed } = self;
        let missed = missed.map_or_else(|| "-".to_owned(), |missed| format!("{missed:.3}"));
        write!(f, "{name:<36}{value:>14.1} {:<14}{missed:>10}", unit.as_str())
    }
}

#[cfg(test)]
mod tests;
