//! The benches that are counted, and their rows.
//!
//! This module passes options to the benches and reads their output.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::callgrind::{CallgrindTotal, count_measured, count_whole};
use super::{MeasureUnit, MeasuredRow};

/// A bench that is counted.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    pub(crate) kind: BenchKind,
}

/// The kinds of benches, with their options and their rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BenchKind {
    /// It reads the corpus of the lexer in each dialect, in chunks of every size, with and without
    /// calls.
    Corpus,
    /// It encodes pieces of text in each of these protocols.
    Pieces(&'static [&'static str]),
    /// It makes a run of a number of steps.
    Steps,
}

/// One start of a bench, or a few that belong together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BenchStart {
    Corpus { dialect: &'static str, has_calls: bool },
    Pieces(&'static str),
    Steps { from: u32, to: u32 },
}

pub(crate) const BENCHES: &[Bench] = &[
    Bench { name: "lexer", package: "silcrow-lex", kind: BenchKind::Corpus },
    Bench { name: "parser", package: "silcrow-parser", kind: BenchKind::Corpus },
    Bench { name: "accumulator", package: "silcrow-accumulate", kind: BenchKind::Corpus },
    Bench { name: "encoders", package: "silcrow-front", kind: BenchKind::Pieces(ENCODERS) },
    Bench { name: "steps", package: "silcrow-agent", kind: BenchKind::Steps },
];

impl Bench {
    /// Builds the bench, and returns the path of its program.
    pub(crate) fn build(&self) -> Result<PathBuf, String> {
        let mut cargo = crate::cargo();
        cargo.args(["bench", "--no-run", "--locked", "--message-format=json-render-diagnostics"]);
        cargo.args(["--package", self.package, "--bench", self.name]);
        let output = cargo.stderr(std::process::Stdio::inherit()).output();
        let output = output.map_err(|why| format!("cargo did not start: {why}"))?;
        let messages = String::from_utf8_lossy(&output.stdout);
        let program = messages.lines().find_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let is_it =
                message["target"]["name"] == self.name && message["target"]["kind"][0] == "bench";
            is_it.then(|| message["executable"].as_str().map(PathBuf::from))?
        });
        let program = program.filter(|_| output.status.success());
        program.ok_or_else(|| format!("the bench `{}` does not build", self.name))
    }

    /// Builds the bench, and counts its rows.
    pub(crate) fn rows(&self) -> Result<Vec<MeasuredRow>, String> {
        let program = self.build()?;
        let rows = self.starts().into_iter().map(|start| self.count(&program, start));
        Ok(rows.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Returns how it is started, one after the other.
    pub(crate) fn starts(&self) -> Vec<BenchStart> {
        match self.kind {
            BenchKind::Corpus => {
                let texts = |dialect| {
                    [true, false].map(|has_calls| BenchStart::Corpus { dialect, has_calls })
                };
                DIALECTS.into_iter().flat_map(texts).collect()
            }
            BenchKind::Pieces(names) => names.iter().copied().map(BenchStart::Pieces).collect(),
            BenchKind::Steps => {
                STEPS.into_iter().map(|[from, to]| BenchStart::Steps { from, to }).collect()
            }
        }
    }

    /// Counts the rows of a start.
    pub(crate) fn count(
        &self,
        program: &Path,
        start: BenchStart,
    ) -> Result<Vec<MeasuredRow>, String> {
        match start {
            BenchStart::Corpus { dialect, has_calls } => {
                self.count_corpus(program, dialect, has_calls)
            }
            BenchStart::Pieces(name) => {
                let args = ["--bench", "--rounds", "1", "--only", name];
                let counted = count_measured(program, &args)?;
                let pieces = counted.printed.rsplit_once(", ").and_then(|(_, rest)| {
                    rest.trim_end().strip_suffix(" pieces")?.parse::<f64>().ok()
                });
                let (Some(pieces), [total]) = (pieces, &counted.totals[..]) else {
                    return Err(format!("{} did not encode pieces once", program.display()));
                };
                Ok(vec![row(format!("{}, {name}", self.name), *total, pieces)])
            }
            BenchStart::Steps { from, to } => {
                let of =
                    |steps: u32| count_whole(program, &["--bench", "--steps", &steps.to_string()]);
                let (before, after) = (of(from)?, of(to)?);
                let total = CallgrindTotal {
                    instructions: after.instructions - before.instructions,
                    missed: after.missed - before.missed,
                };
                let steps = f64::from(to - from);
                Ok(vec![row(format!("{}, {from} to {to}", self.name), total, steps)])
            }
        }
    }

    fn count_corpus(
        &self,
        program: &Path,
        dialect: &str,
        has_calls: bool,
    ) -> Result<Vec<MeasuredRow>, String> {
        let (text, calls) = if has_calls { ("all", "2") } else { ("prose", "0") };
        let only = format!("{dialect}, chunks of");
        let args =
            ["--bench", "--rounds", "1", "--bytes", BYTES, "--calls", calls, "--only", &only];
        let counted = count_measured(program, &args)?;
        let tables = BenchTable::read_all(&counted.printed);
        let names = tables.iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
        let names: Vec<_> = names.collect();
        if names.len() != counted.totals.len() {
            return Err(format!(
                "callgrind counted {} rows, and {} printed {}",
                counted.totals.len(),
                program.display(),
                names.len()
            ));
        }
        let own = names.into_iter().zip(counted.totals).filter(|((_, name), _)| *name == self.name);
        let rows: Vec<_> = own
            .map(|((table, name), total)| {
                let name = format!("{name}, {dialect}, {}, {text}", table.chunk);
                row(name, total, table.chunks)
            })
            .collect();
        match rows.is_empty() {
            true => Err(format!("{} printed no row of the {}", program.display(), self.name)),
            false => Ok(rows),
        }
    }
}

fn row(name: String, total: CallgrindTotal, chunks: f64) -> MeasuredRow {
    let CallgrindTotal { instructions, missed } = total;
    let missed = Some(missed / chunks);
    MeasuredRow {
        missed,
        ..MeasuredRow::new(name, instructions / chunks, MeasureUnit::Instructions)
    }
}

/// A table that a bench printed.
#[derive(Debug, PartialEq)]
pub(crate) struct BenchTable {
    /// The size of a chunk, such as `4 B`.
    pub(crate) chunk: String,
    pub(crate) chunks: f64,
    /// The names of its rows, in the order in which they were measured.
    pub(crate) rows: Vec<String>,
}

impl BenchTable {
    pub(crate) fn read_all(printed: &str) -> Vec<Self> {
        printed.split("\n\n").filter_map(Self::read).collect()
    }

    fn read(printed: &str) -> Option<Self> {
        let mut lines = printed.trim_start().lines();
        let (title, rest) = lines.next()?.split_once(": ")?;
        let (_, chunks) = rest.split_once(" bytes, ")?;
        let rows = lines.skip(1).filter_map(|line| line.split_whitespace().next());
        Some(Self {
            chunk: title.split_once("chunks of ")?.1.to_owned(),
            chunks: chunks.strip_suffix(" chunks")?.parse().ok()?,
            rows: rows.map(str::to_owned).collect(),
        })
    }
}

const DIALECTS: [&str; 3] = ["sigil", "phase", "action"];

/// The rows of the bench of `silcrow-front`.
const ENCODERS: &[&str] = &["json", "native", "chat-completions", "responses", "ag-ui", "ai-sdk"];

/// The steps whose cost is counted, early in a run and late: the cost of a step must not grow.
const STEPS: [[u32; 2]; 3] = [[100, 200], [900, 1_000], [9_900, 10_000]];

/// The number of bytes to read: enough for stable rows, and few enough to be counted in seconds.
const BYTES: &str = "1000000";
