//! Shows a model's output as it arrives: thoughts dim, answers plain, calls while they grow.
//!
//! `cargo run -p silcrow-parser --example answer -- phase < answer.txt`; any bytes will do.
#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

use std::io::{self, Read as _, Write as _};

use silcrow_event::{Fragment, TextKind};
use silcrow_lex::{DecodedText, Utf8Decoder};
use silcrow_parser::{Dialect, Parser};

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1);
    let dialect = name.and_then(|name| name.parse().ok()).unwrap_or(Dialect::Sigil);
    let mut utf8 = Utf8Decoder::new();
    let mut parser = Parser::new(dialect).with_call_text();
    let mut take = |piece: DecodedText<'_>| parser.push(piece.text, &mut show);
    let mut chunk = [0; 64];
    loop {
        match io::stdin().read(&mut chunk)? {
            0 => break,
            len => utf8.push(&chunk[..len], &mut take),
        }
        io::stdout().flush()?;
    }
    utf8.finish(&mut take);
    parser.finish(&mut show);
    io::stdout().flush()
}

fn show(fragment: Fragment<'_>) {
    match fragment {
        Fragment::Text(text) if text.kind == TextKind::Think => {
            print!("{DIM}{}{PLAIN}", text.text)
        }
        Fragment::Text(text) if text.kind.is_respond() => print!("{}", text.text),
        Fragment::CallText(piece) => print!("{DIM}{}{PLAIN}", piece.text),
        Fragment::Call(call) => println!("\n[{} is {}]", call.id(), call.name()),
        Fragment::InvalidCall(bad) => println!("\n[{} is no call: {}]", bad.id, bad.why),
        Fragment::Close { .. } => println!(),
        _ => {}
    }
}

const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";
