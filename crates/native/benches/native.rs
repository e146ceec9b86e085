//! The parser beside a search for one byte and a copy, for a family of each encoding.
//!
//! Run `cargo bench -p silcrow-native`. Every row reads the same chunks in the same run, and a time
//! is the best of several rounds.
#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

use std::alloc::System;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use silcrow_native::{Fragment, NativeFamily, NativeParser, ToolSchemas};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// An allocator that counts. Writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    // `cargo test --benches` only checks that it runs.
    let bytes = if std::env::args().any(|arg| arg == "--bench") { 4 << 20 } else { 4 << 10 };
    for (family, call) in CALLS {
        let Ok(family) = family.parse() else { continue };
        for (size, unit) in [(4, "4 B"), (64 << 10, "64 KiB")] {
            let text = corpus(call, bytes);
            table(family, &text, size, &format!("{family}, chunks of {unit}"));
        }
    }
}

fn table(family: NativeFamily, text: &str, size: usize, title: &str) {
    let chunks = chunks(text, size);
    println!("\n{title}: {} bytes, {} chunks", text.len(), chunks.len());
    println!("{:<10}{:>12}{:>10}{:>14}", "", "ns/chunk", "GB/s", "allocs/chunk");
    row("memcpy", text, &chunks, || {
        let mut copy = String::with_capacity(text.len());
        chunks.iter().for_each(|chunk| copy.push_str(chunk));
        copy.len()
    });
    row("memchr", text, &chunks, || {
        let count = |chunk: &&str| memchr::memchr_iter(b'<', chunk.as_bytes()).count();
        chunks.iter().map(count).sum()
    });
    let tools = tools();
    row("native", text, &chunks, || {
        let mut parser = NativeParser::new(family).with_tools(Arc::clone(&tools));
        let mut length = 0;
        let mut take = |fragment: Fragment<'_>| match fragment {
            Fragment::Text(text) => length += text.text.len(),
            Fragment::Call(call) => length += call.args().len(),
            _ => {}
        };
        for chunk in &chunks {
            parser.push(chunk, &mut take);
        }
        parser.finish(&mut take);
        length
    });
}

fn row(name: &str, text: &str, chunks: &[&str], run: impl Fn() -> usize) {
    let (mut best, mut allocations) = (Duration::MAX, 0);
    for _ in 0..ROUNDS {
        let region = Region::new(ALLOCATOR);
        let start = Instant::now();
        black_box(run());
        best = best.min(start.elapsed());
        let change = region.change();
        allocations = change.allocations + change.reallocations;
    }
    let seconds = best.as_secs_f64();
    let a_chunk = |of: f64| of / chunks.len() as f64;
    print!("{name:<10}{:>12.2}{:>10.3}", a_chunk(seconds * 1e9), text.len() as f64 / seconds / 1e9);
    println!("{:>14.4}", a_chunk(allocations as f64));
}

/// Returns prose with a call after each kilobyte of it.
fn corpus(call: &str, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 4096);
    while text.len() < bytes {
        for _ in 0..8 {
            text.push_str(PROSE);
        }
        text.push('\n');
        text.push_str(call);
        text.push('\n');
    }
    text
}

fn chunks(text: &str, size: usize) -> Vec<&str> {
    let (mut rest, mut chunks) = (text, Vec::new());
    while !rest.is_empty() {
        let (chunk, left) = rest.split_at(rest.ceil_char_boundary(size.min(rest.len())));
        chunks.push(chunk);
        rest = left;
    }
    chunks
}

fn tools() -> Arc<ToolSchemas> {
    let schema = json!({"properties": {"path": {"type": "string"}, "n": {"type": "integer"}}});
    Arc::new(ToolSchemas::new().with_tool("file_write", schema))
}

const ROUNDS: usize = 7;

const PROSE: &str = "The file has 3 parts, and 1 < 2 holds in each. Next I look at what `main` does \
    with the arguments: it reads them, and writes what it finds.\n";

const CALLS: &[(&str, &str)] = &[
    (
        "hermes",
        "<tool_call>\n{\"name\": \"file_write\", \"arguments\": {\"path\": \"src/main.rs\", \"text\": \"fn main() {\\n    println!(\\\"Hello, world\\\");\\n}\\n\", \"n\": 12}}\n</tool_call>",
    ),
    (
        "mistral_json",
        "[TOOL_CALLS][{\"name\": \"file_write\", \"arguments\": {\"path\": \"src/main.rs\", \"text\": \"fn main() {\\n    println!(\\\"Hello, world\\\");\\n}\\n\", \"n\": 12}}]",
    ),
    (
        "kimi_k2",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.file_write:0<|tool_call_argument_begin|>{\"path\": \"src/main.rs\", \"text\": \"fn main() {\\n    println!(\\\"Hello, world\\\");\\n}\\n\", \"n\": 12}<|tool_call_end|><|tool_calls_section_end|>",
    ),
    (
        "qwen3_coder",
        "<tool_call>\n<function=file_write>\n<parameter=path>\nsrc/main.rs\n</parameter>\n<parameter=text>\nfn main() {\n    println!(\"Hello, world\");\n}\n\n</parameter>\n<parameter=n>\n12\n</parameter>\n</function>\n</tool_call>",
    ),
    (
        "minimax_m3",
        "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"file_write\">]<]minimax[>[<path>src/main.rs]<]minimax[>[</path>]<]minimax[>[<text>fn main() {\n    println!(\"Hello, world\");\n}\n]<]minimax[>[</text>]<]minimax[>[<n>12]<]minimax[>[</n>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>",
    ),
    (
        "lfm2",
        "<|tool_call_start|>[file_write(path=\"src/main.rs\", text=\"fn main() {\\n    println!(\\\"Hello, world\\\");\\n}\\n\", n=12)]<|tool_call_end|>",
    ),
    (
        "gemma4",
        "<|tool_call>call:file_write{path:<|\"|>src/main.rs<|\"|>,text:<|\"|>fn main() {\n    println!(\"Hello, world\");\n}\n<|\"|>,n:12}<tool_call|>",
    ),
    (
        "harmony",
        "<|start|>assistant<|channel|>commentary to=functions.file_write <|constrain|>json<|message|>{\"path\": \"src/main.rs\", \"text\": \"fn main() {\\n    println!(\\\"Hello, world\\\");\\n}\\n\", \"n\": 12}<|call|><|start|>assistant<|channel|>final<|message|>",
    ),
];
