//! Lexer and parser compared with other parsers of models' output.
//!
//! Run `cargo lab peers`. `docs/records/2026-11-21-other-parsers.md` shows the figures, and
//! which of them can be compared. The messages are the corpus of the other benches, each written
//! in the form that a parser reads.
//!
//! - `--bytes N`: the length of the text, 1 MB by default
//! - `--rounds N`: the number of rounds, 20 by default; 2 for a row that takes longer than a second

#[path = "../../../lex/benches/kit/corpus.rs"]
#[allow(dead_code, reason = "other benches use the rest of it")]
mod corpus;
mod cuts;
mod dynamo;
mod measure;
mod message;
mod ours;
mod peer;
mod smg;

use silcrow_parser::Dialect;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use measure::{Run, measure};
use message::Message;
use peer::Machine;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let messages = message::messages(option("--bytes", 1_000_000));
    let rounds = option("--rounds", 20);
    for (size, unit) in [(4, "4 B"), (64 << 10, "64 KiB")] {
        table(&format!("one stream, chunks of {unit}"), &messages, size, false, rounds);
        table(&format!("a stream a message, chunks of {unit}"), &messages, size, true, rounds);
    }
    cuts::table(&messages);
}

/// Prints a row for each parser. All of them run in the same rounds.
fn table(title: &str, messages: &[Message], size: usize, alone: bool, rounds: usize) {
    let machines: Vec<_> = MACHINES.iter().filter(|one| alone || one.endless).collect();
    let texts: Vec<Vec<String>> = machines.iter().map(|one| texts(one, messages, alone)).collect();
    let streams: Vec<Vec<Vec<&str>>> =
        texts.iter().map(|texts| texts.iter().map(|text| chunks(text, size)).collect()).collect();
    let mut runs = Vec::new();
    for (machine, streams) in machines.iter().zip(&streams) {
        runs.push(Run::new(machine.name, || (machine.count)(streams)));
    }
    measure(&mut runs, rounds);

    println!("\n{title}");
    print!("{:<18}{:>12}{:>8}{:>12}", "", "MB", "GB/s", "ns/chunk");
    println!("{:>14}{:>12}{:>12}", "allocs/chunk", "pieces", "/memchr");
    let first = runs[0].seconds() / all_chunks(&streams[0]);
    for (run, streams) in runs.iter().zip(&streams) {
        let bytes: usize = streams.iter().flatten().map(|chunk| chunk.len()).sum();
        let a_chunk = run.seconds() / all_chunks(streams);
        print!("{:<18}{:>12.2}", run.name, bytes as f64 / 1e6);
        print!("{:>8.3}{:>12.1}", bytes as f64 / run.seconds() / 1e9, a_chunk * 1e9);
        print!("{:>14.2}{:>12}", run.allocations as f64 / all_chunks(streams), run.out);
        println!("{:>12.1}", a_chunk / first);
    }
}

fn texts(machine: &Machine, messages: &[Message], alone: bool) -> Vec<String> {
    let texts = messages.iter().map(machine.wire);
    if alone { texts.collect() } else { vec![texts.collect()] }
}

fn all_chunks(streams: &[Vec<&str>]) -> f64 {
    streams.iter().map(Vec::len).sum::<usize>() as f64
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

fn option(name: &str, default: usize) -> usize {
    let mut args = std::env::args().skip_while(|arg| arg != name).skip(1);
    let number =
        |arg: String| arg.parse().unwrap_or_else(|_| panic!("`{name} {arg}`: give a whole number"));
    args.next().map_or(default, number)
}

/// The parsers. The others are compared with the first.
const MACHINES: [Machine; 9] = [
    Machine::for_peer::<ours::Memchr>(),
    Machine::for_peer::<ours::SigilLexer>(),
    Machine::for_peer::<ours::PhaseLexer>(),
    Machine::for_peer::<ours::SigilParser>(),
    Machine::for_peer::<ours::PhaseParser>(),
    Machine::for_peer::<dynamo::KimiK2>(),
    Machine::for_peer::<dynamo::Qwen3>(),
    Machine::for_peer::<smg::Reasoning>(),
    Machine::for_peer::<smg::Tools>(),
];
