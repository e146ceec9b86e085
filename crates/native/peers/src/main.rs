//! The readers of native forms beside other parsers of the same forms.
//!
//! Run `cargo lab peers native`. Each encoding has one form here, which all parsers of its table
//! read: the same messages, cut into the same chunks, with a new stream for each message. A parser
//! whose results change with the place of a cut is not correct, and its row gives the number of
//! such places.
//!
//! - `--messages N`: the number of messages, 400 by default
//! - `--only FAMILY`: one form
//! - `--rounds N`: the number of rounds, 10 by default; 2 for a row that takes longer than a second

mod dynamo;
mod forms;
#[path = "../../../parser/peers/src/measure.rs"]
#[allow(dead_code, reason = "other benches use the rest of it")]
mod measure;
mod ours;
mod read;
mod tool_parser;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use forms::{FORMS, NativeForm};
use measure::{Run, measure};
use read::{Answer, Reader, pieces};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let (messages, rounds) = (option("--messages", 400), option("--rounds", 10));
    let only = word("--only");
    for form in FORMS.iter().filter(|form| only.as_deref().is_none_or(|only| form.family == only)) {
        table(form, messages, rounds);
    }
}

/// Prints the parsers of a form, in chunks of both sizes.
fn table(form: &NativeForm, messages: usize, rounds: usize) {
    let text = form.message();
    let readers = form.readers();
    println!("\n{}, {}", form.encoding, form.family);
    print!("{:<14}{:>12}{:>14}", "", "4 B, ns", "allocations");
    println!("{:>14}{:>14}{:>20}  reads", "64 KiB, GB/s", "allocations", "wrong cuts");
    let rows = [4, 64 << 10].map(|size| {
        let chunks = chunks(&text, size);
        let count = |reader: &Reader| {
            let (read, chunks) = (*reader, chunks.clone());
            Run::new(read.name, move || (0..messages).map(|_| pieces(&read, &chunks)).sum())
        };
        let mut runs: Vec<_> = readers.iter().map(count).collect();
        measure(&mut runs, rounds);
        let all = (chunks.len() * messages) as f64;
        let row = |run: &Run<'_>| (run.seconds() / all, run.allocations as f64 / all);
        runs.iter().map(row).collect::<Vec<_>>()
    });
    let [small, large] = rows;
    for ((reader, small), large) in readers.iter().zip(small).zip(large) {
        let (wrong, cuts) = wrong_cuts(reader, &text);
        print!("{:<14}{:>12.1}{:>14.2}", reader.name, small.0 * 1e9, small.1);
        let rate = text.len() as f64 / large.0 / 1e9;
        print!("{rate:>14.3}{:>14.2}{:>20}", large.1, format!("{wrong} of {cuts}"));
        println!("  {}", Answer::read(reader, &[&text]).summary(form));
    }
}

/// Returns the number of two-way cuts at which a parser's results differ from those for the whole
/// text.
fn wrong_cuts(reader: &Reader, text: &str) -> (usize, usize) {
    let whole = Answer::read(reader, &[text]);
    let cuts = (1..text.len()).filter(|at| text.is_char_boundary(*at));
    let is_wrong = |at: usize| {
        let (before, after) = text.split_at(at);
        usize::from(Answer::read(reader, &[before, after]) != whole)
    };
    cuts.fold((0, 0), |(wrong, cuts), at| (wrong + is_wrong(at), cuts + 1))
}

/// Returns pieces of at most `size` bytes that end between characters.
fn chunks(text: &str, size: usize) -> Vec<&str> {
    let (mut rest, mut chunks) = (text, Vec::new());
    while !rest.is_empty() {
        let (chunk, left) = rest.split_at(rest.ceil_char_boundary(size.min(rest.len())));
        chunks.push(chunk);
        rest = left;
    }
    chunks
}

fn option(name: &str, default: usize) -> usize {
    let number =
        |arg: String| arg.parse().unwrap_or_else(|_| panic!("`{name} {arg}`: give a whole number"));
    word(name).map_or(default, number)
}

/// Returns the argument behind an option.
fn word(name: &str) -> Option<String> {
    std::env::args().skip_while(|arg| arg != name).nth(1)
}
