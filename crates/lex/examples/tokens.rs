//! Prints every token of standard input, and the byte at which it begins.
//!
//! `printf '§think: so\n§end' | cargo run -p silcrow-lex --example tokens`
#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

use std::io;

use silcrow_lex::{Dialect, Lexer, Token};

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1);
    let dialect = name.and_then(|name| name.parse().ok()).unwrap_or(Dialect::Sigil);
    let text = io::read_to_string(io::stdin())?;
    let mut at = 0;
    let mut show = |token: Token<'_>| {
        println!("{at:>6}  {token:?}");
        at += token.text().len();
    };
    let mut lexer = Lexer::new(dialect);
    let mut rest = text.as_str();
    while let Some(token) = lexer.next(&mut rest) {
        show(token);
    }
    while let Some(token) = lexer.finish() {
        show(token);
    }
    Ok(())
}
