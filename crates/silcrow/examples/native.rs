//! Reads a model's output in its native form, from standard input.
//!
//! `cargo run -p silcrow --features native --example native -- Qwen/Qwen3-Coder-30B < answer.txt`
#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

use std::error::Error;
use std::io::{BufRead as _, stdin};

use silcrow::native::{Fragment, NativeFamily, NativeParser, TextKind};

fn main() -> Result<(), Box<dyn Error>> {
    let model = std::env::args().nth(1).unwrap_or_else(|| "Qwen/Qwen3-8B".to_owned());
    let known = NativeFamily::of_model(&model);
    let family = known.ok_or_else(|| format!("no form is known of {model}"))?;
    let mut parser = NativeParser::new(family);
    let mut show = |fragment: Fragment<'_>| match fragment {
        Fragment::Text(text) if text.kind == TextKind::Think => println!("thought {:?}", text.text),
        Fragment::Text(text) => println!("answer  {:?}", text.text),
        Fragment::Call(call) => println!("call    {} {}", call.name(), call.args()),
        Fragment::InvalidCall(call) => println!("invalid {}: {}", call.why, call.text),
        _ => {}
    };
    let mut input = stdin().lock();
    let mut line = String::new();
    // Any pieces do: a call may be cut anywhere.
    while input.read_line(&mut line)? > 0 {
        parser.push(&line, &mut show);
        line.clear();
    }
    parser.finish(&mut show);
    Ok(())
}
