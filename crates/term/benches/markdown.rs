//! The renderer beside one pass of pulldown-cmark over the whole text, and beside a renderer that
//! parses the whole text again at each line break.
//!
//! Run `cargo bench -p silcrow-term`, and with `--features syntax` for code with colours. Times are
//! the best of several rounds, and a round runs every row once, so that a busy neighbour disturbs all
//! alike. `docs/records/2026-11-23-markdown.md` has the figures.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use pulldown_cmark::{Options as ParserOptions, Parser};
use silcrow_term::{MarkdownStream, Options};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// Counting needs an allocator, and writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// A way to read a text that is cut into deltas.
struct Row {
    name: &'static str,
    run: fn(&[&str]) -> usize,
    best: Duration,
    allocations: usize,
}

fn main() -> io::Result<()> {
    // Test runners start and list benches, too.
    if !std::env::args().any(|arg| arg == "--bench") {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    let begin = Instant::now();
    let first = stream("```rust\nfn main() {}\n```\n", 4, false);
    writeln!(out, "the first block of code, with its grammar: {:?}", begin.elapsed())?;
    black_box(first);

    let text = answer();
    for size in [4, 16] {
        let chunks = chunks(&text, size);
        let mut rows = [
            row("parsed once", parse_once),
            row("parsed at each line", parse_each_line),
            row("push, take_done", |chunks| run(chunks, false)),
            row("push, take_done, open", |chunks| run(chunks, true)),
        ];
        measure(&mut rows, &chunks);
        writeln!(out, "\n{} bytes in deltas of {size}: {} deltas", text.len(), chunks.len())?;
        writeln!(out, "{:<24}{:>12}{:>14}{:>8}", "", "µs a delta", "allocations", "ratio")?;
        let base = rows[0].best;
        for row in &rows {
            let a_delta = row.best.as_secs_f64() * 1e6 / chunks.len() as f64;
            let allocations = row.allocations as f64 / chunks.len() as f64;
            let ratio = row.best.as_secs_f64() / base.as_secs_f64();
            writeln!(out, "{:<24}{a_delta:>12.3}{allocations:>14.3}{ratio:>8.1}", row.name)?;
        }
    }

    writeln!(out, "\nhostile text, in deltas of 64 bytes: ns a byte")?;
    writeln!(out, "{:<24}{:>10}{:>10}{:>10}", "", "64 KiB", "1 MiB", "growth")?;
    for (name, unit) in HOSTILE {
        let [short, long] = [64 << 10, 1 << 20].map(|len: usize| {
            let text = unit.repeat(len / unit.len());
            let times = (0..3).map(|_| {
                let begin = Instant::now();
                black_box(stream(&text, 64, false));
                begin.elapsed()
            });
            times.min().unwrap_or_default().as_secs_f64() * 1e9 / text.len() as f64
        });
        writeln!(out, "{name:<24}{short:>10.1}{long:>10.1}{:>10.2}", long / short)?;
    }
    Ok(())
}

const HOSTILE: [(&str, &str); 10] = [
    ("`*`", "*"),
    ("`**a `", "**a "),
    ("`[`", "["),
    ("backticks", "`"),
    ("`> `", "> "),
    ("`- a`, a line each", "- a\n"),
    ("one word", "a"),
    ("words in one line", "word "),
    ("rows of a table", "| a | b |\n|---|---|\n| c | d |\n"),
    ("empty lines", "\n"),
];

fn row(name: &'static str, run: fn(&[&str]) -> usize) -> Row {
    Row { name, run, best: Duration::MAX, allocations: 0 }
}

fn measure(rows: &mut [Row], chunks: &[&str]) {
    for _ in 0..ROUNDS {
        for row in &mut *rows {
            let region = Region::new(ALLOCATOR);
            let begin = Instant::now();
            black_box((row.run)(chunks));
            row.best = row.best.min(begin.elapsed());
            let heap = region.change();
            row.allocations = heap.allocations + heap.reallocations;
        }
    }
}

const ROUNDS: usize = 60;

fn run(chunks: &[&str], asks_open: bool) -> usize {
    let mut stream = MarkdownStream::new(&Options::new(80));
    let mut lines = 0;
    for chunk in chunks {
        stream.push(chunk);
        lines += stream.take_done().len();
        if asks_open {
            black_box(stream.open());
        }
    }
    lines + stream.finish().len()
}

fn stream(text: &str, size: usize, asks_open: bool) -> usize {
    run(&chunks(text, size), asks_open)
}

fn parse_once(chunks: &[&str]) -> usize {
    Parser::new_ext(&chunks.concat(), ParserOptions::all()).count()
}

fn parse_each_line(chunks: &[&str]) -> usize {
    let mut text = String::new();
    let mut events = 0;
    for chunk in chunks {
        text.push_str(chunk);
        if chunk.contains('\n') {
            events = Parser::new_ext(&text, ParserOptions::all()).count();
        }
    }
    events
}

/// Returns about 20 KiB of a model's typical answers: one document after the other, each with
/// paragraphs twice as long.
fn answer() -> String {
    let document = include_str!("../tests/documents/answer.md");
    let mut text = String::new();
    for round in 0.. {
        text.push_str(document);
        for _ in 0..=round % 4 {
            text.push_str(SENTENCES);
        }
        text.push_str("\n\n");
        if text.len() > 20 << 10 {
            break;
        }
    }
    text
}

const SENTENCES: &str = "The parser reads each line once, and `take_done` returns what is **final**. \
    Nothing before it is read again, so the time for a delta does not depend on the length of the \
    answer; a word that is *emphasized* or a [link](https://example.org/a) is settled with the word \
    that follows it. ";

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
