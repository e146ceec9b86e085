//! The lexer beside a search for one byte and a copy.
//!
//! Run `cargo bench -p silcrow-lex`. `benches/kit/mod.rs` lists the options, and
//! `docs/records/2026-11-21-parser.md` the figures.

mod kit;

use std::hint::black_box;
use std::io;

use silcrow_lex::{Dialect, Lexer, Token};

fn main() -> io::Result<()> {
    kit::run(&[kit::Machine { name: "lexer", run: lex }], &[])
}

fn lex(dialect: Dialect, chunks: &[&str]) -> u64 {
    let mut lexer = Lexer::new(dialect);
    let mut tokens = 0;
    let mut text = 0;
    let mut take = |token: Token<'_>| {
        tokens += 1;
        match token {
            Token::Text(piece) | Token::Body(piece) => text += piece.len(),
            _ => {}
        }
    };
    for chunk in chunks {
        let mut rest = *chunk;
        while let Some(token) = lexer.next(&mut rest) {
            take(token);
        }
    }
    while let Some(token) = lexer.finish() {
        take(token);
    }
    black_box(text);
    tokens
}
