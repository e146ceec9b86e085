//! The parser beside the lexer, a search for one byte and a copy, and the readers of calls' bodies
//! beside `serde_json`.
//!
//! Run `cargo bench -p silcrow-parser`. `../lex/benches/kit/mod.rs` lists the options, and
//! `docs/records/2026-11-21-parser.md` the figures.

#[path = "../../lex/benches/kit/mod.rs"]
mod kit;

use std::hint::black_box;
use std::io;

use serde_json::value::RawValue;
use silcrow_event::{Call, Fragment};
use silcrow_lex::{Lexer, Token};
use silcrow_parser::{Dialect, Parser};

fn main() -> io::Result<()> {
    let lexer = kit::Machine { name: "lexer", run: lex };
    let parser = kit::Machine { name: "parser", run: parse };
    // The minimal cost of checking that a body is JSON and of finding its members.
    let raw = kit::Machine { name: "serde_json", run: raw };
    let members = kit::Machine { name: "members", run: members };
    kit::run(&[lexer, parser], &[raw, members])
}

fn raw(_: Dialect, bodies: &[&str]) -> u64 {
    let is_json = |body: &&&str| serde_json::from_str::<&RawValue>(body).is_ok();
    bodies.iter().filter(is_json).count() as u64
}

fn members(_: Dialect, bodies: &[&str]) -> u64 {
    bodies.iter().flat_map(|body| Call::members(body)).map(|members| members.len() as u64).sum()
}

fn parse(dialect: Dialect, chunks: &[&str]) -> u64 {
    let mut parser = Parser::new(dialect);
    let mut fragments = 0;
    let mut text = 0;
    let mut take = |fragment: Fragment<'_>| {
        fragments += 1;
        if let Fragment::Text(piece) = fragment {
            text += piece.text.len();
        }
    };
    for chunk in chunks {
        parser.push(chunk, &mut take);
    }
    parser.finish(&mut take);
    black_box(text);
    fragments
}

fn lex(dialect: Dialect, chunks: &[&str]) -> u64 {
    let mut lexer = Lexer::new(dialect);
    let mut tokens = 0;
    let mut text = 0;
    for chunk in chunks {
        let mut rest = *chunk;
        while let Some(token) = lexer.next(&mut rest) {
            tokens += 1;
            if let Token::Text(piece) | Token::Body(piece) = token {
                text += piece.len();
            }
        }
    }
    black_box(text);
    tokens
}
