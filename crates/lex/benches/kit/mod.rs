//! What the benches of the crates that read wire text share: the same texts and the same rows.
//!
//! A bench names its machines and calls [`run`]. Every machine is measured beside a search for the
//! dialect's first byte and a copy, over the same chunks in the same run; times are the best of
//! several rounds, and a round runs every row once, so that a busy neighbour disturbs all alike.
//!
//! - `--calls N`: at most so many calls a message, 2 by default; 0 for prose alone
//! - `--bytes N`: how much text, 8 MB by default
//! - `--rounds N`: best of how many, 40 by default; fewer where a table takes longer than 10 s
//! - `--only TEXT`: the rows that hold the text in `TABLE / ROW`, and none to compare with

mod corpus;
mod hostile;
mod measure;
mod options;

use std::hint::black_box;
use std::io::{self, Write as _};

use memchr::memchr;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use crate::Dialect;
use hostile::PATTERNS;
use measure::{Run, measure};
use options::Options;

/// Counting needs an allocator, and writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// What is measured.
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    /// Takes the chunks of one text from start to end; says how many tokens, fragments or steps
    /// came out.
    pub(crate) run: fn(Dialect, &[&str]) -> u64,
}

/// Measures the machines and prints what came of it. Later machines rest on earlier ones.
pub(crate) fn run(machines: &[Machine]) -> io::Result<()> {
    let Some(options) = Options::read() else { return Ok(()) };
    for dialect in Dialect::ALL {
        let text = corpus::corpus(dialect, options.bytes, options.calls);
        for (size, unit) in [(4, "4 B"), (16, "16 B"), (64 << 10, "64 KiB")] {
            let title = format!("{}, chunks of {unit}", dialect.as_str());
            corpus_table(&options, machines, dialect, &title, &chunks(&text, size))?;
        }
    }
    for (size, unit) in [(usize::MAX, "one chunk"), (4, "chunks of 4 B")] {
        let title = format!("hostile text, {unit}");
        hostile_table(&options, machines, &title, size)?;
    }
    argument_table(&options, machines)
}

/// One row for each machine.
fn corpus_table(
    options: &Options,
    machines: &[Machine],
    dialect: Dialect,
    title: &str,
    chunks: &[&str],
) -> io::Result<()> {
    let first = dialect.first().as_bytes()[0];
    let mut runs = vec![
        Run::new("nothing", || walk(chunks)),
        Run::new("memcpy", || copy(chunks)),
        Run::new("memchr", || find(first, chunks)),
    ];
    for machine in machines {
        runs.push(Run::new(machine.name, || (machine.run)(dialect, chunks)));
    }
    runs.retain(|run| options.wants(title, run.name));
    if runs.is_empty() {
        return Ok(());
    }
    measure(&mut runs, options.rounds);

    let bytes: usize = chunks.iter().map(|chunk| chunk.len()).sum();
    let mut out = io::stdout().lock();
    writeln!(out, "\n{title}: {bytes} bytes, {} chunks", chunks.len())?;
    write!(out, "{:<12}{:>12}{:>10}{:>12}", "", "ns/chunk", "GB/s", "M out/s")?;
    writeln!(out, "{:>14}{:>10}{:>10}", "allocs/chunk", "/memchr", "/first")?;
    let seconds = |name| runs.iter().find(|run| run.name == name).map(Run::seconds);
    let memchr = seconds("memchr");
    let first = machines.first().and_then(|machine| seconds(machine.name));
    for run in &runs {
        let time = run.seconds();
        let a_chunk = |of: f64| of / chunks.len() as f64;
        write!(out, "{:<12}{:>12.2}", run.name, a_chunk(time * 1e9))?;
        write!(out, "{:>10.3}{:>12.2}", bytes as f64 / time / 1e9, run.out as f64 / time / 1e6)?;
        write!(out, "{:>14.4}", a_chunk(run.allocations as f64))?;
        writeln!(out, "{:>10}{:>10}", ratio(time, memchr), ratio(time, first))?;
    }
    Ok(())
}

/// One row for each pattern: nanoseconds a byte, in texts of 8 KiB and of 1 MiB.
fn hostile_table(
    options: &Options,
    machines: &[Machine],
    title: &str,
    size: usize,
) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for machine in machines {
        let title = format!("{title}, {}", machine.name);
        let mut head = Some(());
        for pattern in PATTERNS.iter().filter(|pattern| options.wants(&title, pattern.name)) {
            if head.take().is_some() {
                writeln!(out, "\n{title}: ns a byte")?;
                write!(out, "{:<40}{:>8}{:>8}", "", "8 KiB", "1 MiB")?;
                writeln!(out, "{:>8}{:>9}{:>9}", "growth", "memchr", "memcpy")?;
            }
            let (short, long) = (pattern.text(SHORT), pattern.text(LONG));
            let (short, long) = (chunks(&short, size), chunks(&long, size));
            let dialect = pattern.dialect;
            let again = || (0..LONG / SHORT).map(|_| (machine.run)(dialect, &short)).sum();
            let mut runs = [
                Run::new("short", again),
                Run::new("long", || (machine.run)(dialect, &long)),
                Run::new("memchr", || find(dialect.first().as_bytes()[0], &long)),
                Run::new("memcpy", || copy(&long)),
            ];
            measure(&mut runs, options.rounds);
            let [short, long, memchr, memcpy] = runs.map(|run| run.seconds() * 1e9 / LONG as f64);
            write!(out, "{:<40}{short:>8.2}{long:>8.2}", pattern.name)?;
            writeln!(out, "{:>8.2}{memchr:>9.2}{memcpy:>9.2}", long / short)?;
        }
    }
    Ok(())
}

/// A call with one long argument, in chunks of 4 bytes: nanoseconds a chunk.
fn argument_table(options: &Options, machines: &[Machine]) -> io::Result<()> {
    let title = "one argument, chunks of 4 B";
    if !machines.iter().any(|machine| options.wants(title, machine.name)) {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    writeln!(out, "\n{title}: ns a chunk")?;
    writeln!(out, "{:<12}{:<12}{:>8}{:>8}{:>8}", "", "", "1 KiB", "64 KiB", "growth")?;
    for dialect in Dialect::ALL {
        let [short, long] = [1 << 10, 64 << 10].map(|len| corpus::call(dialect, len));
        let (short, long) = (chunks(&short, 4), chunks(&long, 4));
        for machine in machines.iter().filter(|machine| options.wants(title, machine.name)) {
            let runs = [&short, &long].map(|chunks| {
                // Both see the same number of bytes, enough of them to be timed.
                let times = (1 << 18) / chunks.len();
                let run = move || (0..times).map(|_| (machine.run)(dialect, chunks)).sum();
                (times * chunks.len(), run)
            });
            let units = [runs[0].0, runs[1].0];
            let mut runs = runs.map(|(_, run)| Run::new(machine.name, run));
            measure(&mut runs, options.rounds);
            let short = runs[0].seconds() * 1e9 / units[0] as f64;
            let long = runs[1].seconds() * 1e9 / units[1] as f64;
            write!(out, "{:<12}{:<12}", machine.name, dialect.as_str())?;
            writeln!(out, "{short:>8.2}{long:>8.2}{:>8.2}", long / short)?;
        }
    }
    Ok(())
}

const SHORT: usize = 8 << 10;
const LONG: usize = 1 << 20;

/// What walking over the chunks costs: it is part of every row.
fn walk(chunks: &[&str]) -> u64 {
    for chunk in chunks {
        black_box(*chunk);
    }
    0
}

fn copy(chunks: &[&str]) -> u64 {
    let longest = chunks.iter().map(|chunk| chunk.len()).max();
    let mut room = vec![0; longest.unwrap_or(0)];
    for chunk in chunks {
        room[..chunk.len()].copy_from_slice(chunk.as_bytes());
        black_box(&room);
    }
    0
}

/// Stops at each `first`, as who looks for markers must.
fn find(first: u8, chunks: &[&str]) -> u64 {
    let mut found = 0;
    for chunk in chunks {
        let mut rest = chunk.as_bytes();
        while let Some(at) = memchr(first, rest) {
            rest = &rest[at + 1..];
            found += 1;
        }
    }
    found
}

/// Pieces of at most `size` bytes that end at characters.
fn chunks(text: &str, size: usize) -> Vec<&str> {
    let mut chunks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (chunk, more) = rest.split_at(rest.floor_char_boundary(size));
        chunks.push(chunk);
        rest = more;
    }
    chunks
}

fn ratio(time: f64, base: Option<f64>) -> String {
    base.map_or_else(String::new, |base| format!("{:.2}", time / base))
}
