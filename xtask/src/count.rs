//! `cargo xtask count`, which counts the instructions of the pure layers with callgrind.
//!
//! Times on a shared machine vary by a third; instruction counts repeat exactly on one kind of
//! processor.

mod baseline;
mod callgrind;

use baseline::Baseline;
use callgrind::{Bench, Corpus};

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
            "{above} of {} rows are more than {} % above {}; make them cheaper, or accept them \
             with `--save` and say why in the commit",
            rows.len(),
            baseline::TOLERANCE,
            baseline.path().display()
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
    fn count(&self, baseline: &Baseline) -> Result<Vec<InstructionCount>, String> {
        println!("{:<32}{:>12}{:>10}{:>12}", "instructions", "a chunk", "a byte", "baseline");
        let mut rows = Vec::new();
        for bench in &self.benches {
            let program = bench.build()?;
            for dialect in DIALECTS {
                for text in [Corpus::All, Corpus::Prose] {
                    for row in bench.count(&program, dialect, text)? {
                        let change = match baseline.change(&row) {
                            Some(change) => format!("{change:+.2} %"),
                            None => "new".to_owned(),
                        };
                        let InstructionCount { name, a_chunk, a_byte } = &row;
                        println!("{name:<32}{a_chunk:>12.1}{a_byte:>10.3}{change:>12}");
                        rows.push(row);
                    }
                }
            }
        }
        Ok(rows)
    }
}

/// The instructions that one state machine executes for one text in chunks of one size.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InstructionCount {
    /// The name, such as `lexer, sigil, 4 B, all`.
    name: String,
    /// The number of instructions for each chunk.
    a_chunk: f64,
    /// The number of instructions for each byte.
    a_byte: f64,
}

const BENCHES: &[Bench] = &[
    Bench { name: "lexer", package: "silcrow-lex" },
    Bench { name: "parser", package: "silcrow-parser" },
    Bench { name: "accumulator", package: "silcrow-accumulate" },
];

const DIALECTS: [&str; 3] = ["sigil", "phase", "action"];

#[cfg(test)]
mod tests;
