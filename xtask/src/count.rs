//! `cargo xtask count`, which counts with callgrind what the layers below a run execute.
//!
//! Times on a shared machine vary by a third; counts repeat exactly on one kind of processor.

mod baseline;
mod bench;
mod callgrind;

use std::fmt;

use baseline::Baseline;
use bench::{BENCHES, Bench};

/// Counts the named benches, or all of them, and compares them with the baseline; with `--save`,
/// the counts become the baseline.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let options = CountOptions::read(args)?;
    callgrind::probe()?;
    let mut baseline = Baseline::open(&crate::root())?;
    let rows = options.count(&baseline)?;
    if options.save {
        baseline.take(&rows);
        baseline.write()?;
        println!("\nsaved in {}", baseline.path().display());
        return Ok(());
    }
    if baseline.is_empty() {
        println!(
            "\nnothing was compared: there is no baseline for this kind of processor and compiler, \
             {}; `cargo xtask count --save` keeps these rows as one",
            baseline.key()
        );
        return Ok(());
    }
    match rows.iter().filter(|row| baseline.is_exceeded_by(row)).count() {
        0 => Ok(()),
        above => Err(format!(
            "{above} of {} rows are above {}, by more than {} % of the instructions or {} branches \
             that are predicted wrongly; make them cheaper, or accept them with `--save` and say why \
             in the commit",
            rows.len(),
            baseline.path().display(),
            baseline::TOLERANCE,
            baseline::MISSED_TOLERANCE
        )),
    }
}

/// The benches that the command line names, and whether their counts are saved.
struct CountOptions {
    benches: Vec<&'static Bench>,
    save: bool,
}

impl CountOptions {
    fn read(args: &[&str]) -> Result<Self, String> {
        let save = args.contains(&"--save");
        let names = args.iter().filter(|arg| **arg != "--save");
        let find = |name: &&str| {
            let found = BENCHES.iter().find(|bench| bench.name == *name);
            let all = || BENCHES.iter().map(|bench| bench.name).collect::<Vec<_>>().join(", ");
            found.ok_or_else(|| format!("there is no bench `{name}`; there are {}", all()))
        };
        let mut benches = names.map(find).collect::<Result<Vec<_>, _>>()?;
        if benches.is_empty() {
            benches.extend(BENCHES);
        }
        Ok(Self { benches, save })
    }

    /// Counts and prints each row as soon as it is counted.
    fn count(&self, baseline: &Baseline) -> Result<Vec<RowCount>, String> {
        println!(
            "{:<32}{:>12}{:>10}{:>10}{:>12}",
            "instructions", "a chunk", "a byte", "missed", "baseline"
        );
        let mut rows = Vec::new();
        for bench in &self.benches {
            let program = bench.build()?;
            for start in bench.starts() {
                for row in bench.count(&program, start)? {
                    let change = match baseline.change(&row) {
                        Some(change) => format!("{change:+.2} %"),
                        None => "new".to_owned(),
                    };
                    println!("{row}{change:>12}");
                    rows.push(row);
                }
            }
        }
        Ok(rows)
    }
}

/// What is executed for each chunk of a text, for each piece that is encoded, or for each step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowCount {
    /// The name, such as `lexer, sigil, 4 B, all`.
    name: String,
    /// The number of instructions for each chunk, piece or step.
    a_chunk: f64,
    /// The number of instructions for each byte.
    a_byte: f64,
    /// The number of branches for each chunk that a simple processor predicts wrongly.
    missed: f64,
}

impl fmt::Display for RowCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, a_chunk, a_byte, missed } = self;
        write!(f, "{name:<32}{a_chunk:>12.1}{a_byte:>10.3}{missed:>10.3}")
    }
}

#[cfg(test)]
mod tests;
