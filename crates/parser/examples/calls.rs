//! Prints the calls of standard input, batch by batch: a line with id, name and arguments for each.
//!
//! `cargo run -p silcrow-parser --example calls -- phase < answer.txt`
#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

use std::io;

use silcrow_event::Fragment;
use silcrow_parser::{Dialect, Parser};

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1);
    let dialect = name.and_then(|name| name.parse().ok()).unwrap_or(Dialect::Sigil);
    let mut batch = Vec::new();
    let mut take = |fragment: Fragment<'_>| match fragment {
        Fragment::Call(call) => batch.push(call),
        Fragment::InvalidCall(bad) => println!("{}\tno call: {}", bad.id, bad.why),
        Fragment::Execute => {
            println!("{} calls", batch.len());
            for call in batch.drain(..) {
                println!("{}\t{}\t{}", call.id(), call.name(), call.args());
            }
        }
        _ => {}
    };
    let mut parser = Parser::new(dialect);
    parser.push(&io::read_to_string(io::stdin())?, &mut take);
    parser.finish(&mut take);
    Ok(())
}
