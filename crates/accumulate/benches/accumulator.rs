//! All that is pure on the way of a token: lexer, parser and accumulator.
//!
//! `cargo bench -p silcrow-accumulate`; `../lex/benches/kit/mod.rs` names the options,
//! `docs/records/2026-11-21-parser.md` the bars.

#[path = "../../lex/benches/kit/mod.rs"]
mod kit;

use std::hint::black_box;
use std::io;

use silcrow_accumulate::{Accumulator, Step};
use silcrow_event::Fragment;
use silcrow_parser::{Dialect, Parser};
use silcrow_plan::Plan;

fn main() -> io::Result<()> {
    let parser = kit::Machine { name: "parser", run: parse };
    let accumulator = kit::Machine { name: "accumulator", run: accumulate };
    kit::run(&[parser, accumulator], &[])
}

/// A turn for each execution point: there an agent stops reading and asks again.
fn accumulate(dialect: Dialect, chunks: &[&str]) -> u64 {
    let mut parser = Parser::new(dialect);
    let (mut turn, mut plan) = (Accumulator::new(), Plan::new());
    let mut steps = 0;
    let mut text = 0;
    let mut push = |fragment: Fragment<'_>| {
        let mut stop = false;
        turn.push(fragment, &mut plan, &mut |step| {
            steps += 1;
            match step {
                Step::Show(piece) => text += piece.text.len(),
                Step::Stop(_) => stop = true,
                _ => {}
            }
        });
        while plan.decide().is_some() {
            steps += 1;
        }
        if stop {
            (turn, plan) = (Accumulator::new(), Plan::new());
        }
    };
    for chunk in chunks {
        parser.push(chunk, &mut push);
    }
    parser.finish(&mut push);
    black_box(text);
    steps
}

fn parse(dialect: Dialect, chunks: &[&str]) -> u64 {
    let mut parser = Parser::new(dialect);
    let mut fragments = 0;
    let mut take = |_: Fragment<'_>| fragments += 1;
    for chunk in chunks {
        parser.push(chunk, &mut take);
    }
    parser.finish(&mut take);
    fragments
}
