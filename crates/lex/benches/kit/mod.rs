//! The shared part of the benches of the crates that read wire text: the same texts and rows.
//!
//! A bench names its machines and calls [`run`]. Every machine is measured beside a search for the
//! dialect's first byte and a copy, over the same chunks in the same run; times are the best of
//! several rounds, and a round runs every row once, so that a busy neighbour disturbs all alike.
//!
//! - `--calls N`: the greatest number of calls in a message, 2 by default; 0 for prose alone
//! - `--bytes N`: the length of the text, 8 MB by default
//! - `--rounds N`: the number of rounds, 40 by default; fewer if a table takes longer than 10 s
//! - `--only TEXT`: only the rows with this text in `TABLE / ROW`, and none to compare with

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

/// A machine that is measured.
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    /// Reads the chunks of one text from start to end, and returns the number of tokens, fragments
    /// or steps.
    pub(crate) run: fn(Dialect, &[&str]) -> u64,
}

/// Measures the machines and prints the figures. Later machines use earlier ones. `readers` are
/// measured over the bodies of calls alone, with each body as a chunk.
pub(crate) fn run(machines: &[Machine], readers: &[Machine]) -> io::Result<()> {
    let Some(options) = Options::read() else { return Ok(()) };
    for dialect in Dialect::ALL {
        let text = corpus::corpus(dialect, options.bytes, options.calls);
        for (size, unit) in [(4, "4 B"), (16, "16 B"), (64 << 10, "64 KiB")] {
            let title = format!("{}, chunks of {unit}", dialect.as_str());
            corpus_table(&options, machines, dialect, &title, &chunks(&text, size))?;
        }
    }
    if !readers.is_empty() {
        let bodies = corpus::bodies(options.bytes);
        let bodies: Vec<_> = bodies.iter().map(String::as_str).collect();
        corpus_table(&options, readers, Dialect::Sigil, "bodies of calls", &bodies)?;
    }
    for (size, unit) in [(usize::MAX, "one chunk"), (4, "chunks of 4 B")] {
        let title = format!("hostile text, {unit}");
        hostile_table(&options, machines, &title, size)?;
    }
    for (size, unit) in [(usize::MAX, "one chunk"), (4, "chunks of 4 B")] {
        let title = format!("one argument, {unit}");
        argument_table(&options, machines, &title, size)?;
    }
    Ok(())
}

/// Prints a row for each machine.
fn corpus_table(
    options: &Options,
    machines: &[Machine],
    dialect: Dialect,
    title: &str,
    chunks: &[&str],
) -> io::Result<()> {
    let first = dialect.first_char().as_bytes()[0];
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

/// Prints a row for each pattern, in nanoseconds a byte.
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
                write!(out, "{:<40}{:>8}{:>8}{:>8}", "", "8 KiB", "64 KiB", "1 MiB")?;
                writeln!(out, "{:>8}{:>9}{:>9}", "growth", "memchr", "memcpy")?;
            }
            let dialect = pattern.dialect;
            let texts = HOSTILE.map(|len| pattern.text(len));
            let cut = texts.each_ref().map(|text| chunks(text, size));
            let long = &cut[HOSTILE.len() - 1];
            let mut runs: Vec<_> = cut.iter().map(|cut| again(machine, dialect, cut)).collect();
            runs.push(Run::new("memchr", || find(dialect.first_char().as_bytes()[0], long)));
            runs.push(Run::new("memcpy", || copy(long)));
            measure(&mut runs, options.rounds);
            let ns: Vec<_> = runs.iter().map(|run| run.seconds() * 1e9 / LONG as f64).collect();
            write!(out, "{:<40}{:>8.2}{:>8.2}{:>8.2}", pattern.name, ns[0], ns[1], ns[2])?;
            writeln!(out, "{:>8.2}{:>9.2}{:>9.2}", ns[2] / ns[0], ns[3], ns[4])?;
        }
    }
    Ok(())
}

/// Prints rows for a call with one long argument, in nanoseconds a byte.
fn argument_table(
    options: &Options,
    machines: &[Machine],
    title: &str,
    size: usize,
) -> io::Result<()> {
    if !machines.iter().any(|machine| options.wants(title, machine.name)) {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    writeln!(out, "\n{title}: ns a byte")?;
    write!(out, "{:<12}{:<12}{:>8}{:>8}", "", "", "1 KiB", "8 KiB")?;
    writeln!(out, "{:>8}{:>8}{:>8}", "64 KiB", "1 MiB", "growth")?;
    for dialect in Dialect::ALL {
        let texts = ARGUMENTS.map(|len| corpus::call(dialect, len));
        let cut = texts.each_ref().map(|text| chunks(text, size));
        for machine in machines.iter().filter(|machine| options.wants(title, machine.name)) {
            let mut runs = cut.each_ref().map(|cut| again(machine, dialect, cut));
            measure(&mut runs, options.rounds);
            let [a, b, c, d] = runs.map(|run| run.seconds() * 1e9 / LONG as f64);
            write!(out, "{:<12}{:<12}{a:>8.2}{b:>8.2}", machine.name, dialect.as_str())?;
            writeln!(out, "{c:>8.2}{d:>8.2}{:>8.2}", d / b)?;
        }
    }
    Ok(())
}

/// Returns a row that reads a text so often that it is about [`LONG`] bytes, so that short texts
/// can be timed.
fn again<'a>(machine: &'a Machine, dialect: Dialect, chunks: &'a [&str]) -> Run<'a> {
    let bytes: usize = chunks.iter().map(|chunk| chunk.len()).sum();
    let times = (LONG + bytes / 2) / bytes;
    Run::new(machine.name, move || (0..times).map(|_| (machine.run)(dialect, chunks)).sum())
}

const LONG: usize = 1 << 20;
const HOSTILE: [usize; 3] = [8 << 10, 64 << 10, LONG];

/// The longest body that is still read as a call is a little shorter than 1 MiB.
const ARGUMENTS: [usize; 4] = [1 << 10, 8 << 10, 64 << 10, LONG - (1 << 10)];

/// Walks over the chunks, which is part of every row.
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

/// Counts each `first`, as any search for delimiters must.
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

/// Returns pieces of at most `size` bytes that end between characters.
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
