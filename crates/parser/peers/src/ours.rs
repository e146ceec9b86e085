use silcrow_event::{Fragment, TextKind};
use silcrow_lex::{Lexer, Token};
use silcrow_parser::{Dialect, Parser};

use crate::message::Message;
use crate::peer::{Peer, Piece};

/// The lower bound: a search that stops at each `<` and does nothing else.
#[derive(Default)]
pub(crate) struct Memchr;

impl Peer for Memchr {
    const NAME: &'static str = "memchr";
    const ENDLESS: bool = true;
    const THOUGHTS: bool = false;
    const CALLS: bool = false;

    fn wire(message: &Message) -> String {
        phase(message)
    }

    fn read(&mut self, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
        for chunk in chunks {
            let mut rest = chunk.as_bytes();
            while let Some(at) = memchr::memchr(b'<', rest) {
                sink(Piece::Other);
                rest = &rest[at + 1..];
            }
        }
    }
}

#[derive(Default)]
pub(crate) struct SigilLexer;

impl Peer for SigilLexer {
    const NAME: &'static str = "lexer, sigil";
    const ENDLESS: bool = true;
    const THOUGHTS: bool = false;
    const CALLS: bool = false;

    fn wire(message: &Message) -> String {
        sigil(message)
    }

    fn read(&mut self, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
        lex(Dialect::Sigil, chunks, sink);
    }
}

#[derive(Default)]
pub(crate) struct PhaseLexer;

impl Peer for PhaseLexer {
    const NAME: &'static str = "lexer, phase";
    const ENDLESS: bool = true;
    const THOUGHTS: bool = false;
    const CALLS: bool = false;

    fn wire(message: &Message) -> String {
        phase(message)
    }

    fn read(&mut self, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
        lex(Dialect::Phase, chunks, sink);
    }
}

#[derive(Default)]
pub(crate) struct SigilParser;

impl Peer for SigilParser {
    const NAME: &'static str = "parser, sigil";
    const ENDLESS: bool = true;
    const THOUGHTS: bool = true;
    const CALLS: bool = true;

    fn wire(message: &Message) -> String {
        sigil(message)
    }

    fn read(&mut self, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
        parse(Dialect::Sigil, chunks, sink);
    }
}

#[derive(Default)]
pub(crate) struct PhaseParser;

impl Peer for PhaseParser {
    const NAME: &'static str = "parser, phase";
    const ENDLESS: bool = true;
    const THOUGHTS: bool = true;
    const CALLS: bool = true;

    fn wire(message: &Message) -> String {
        phase(message)
    }

    fn read(&mut self, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
        parse(Dialect::Phase, chunks, sink);
    }
}

fn lex(dialect: Dialect, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
    let mut lexer = Lexer::new(dialect);
    let mut take = |token: Token<'_>| match token {
        Token::Text(text) => sink(Piece::Say(text)),
        Token::Body(text) => sink(Piece::Args(0, text)),
        _ => sink(Piece::Other),
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
}

fn parse(dialect: Dialect, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
    let mut parser = Parser::new(dialect);
    let mut calls = 0;
    let mut take = |fragment: Fragment<'_>| match fragment {
        Fragment::Text(text) => match text.kind {
            TextKind::Think => sink(Piece::Think(text.text)),
            TextKind::Respond { .. } | TextKind::Malformed => sink(Piece::Say(text.text)),
        },
        Fragment::Call(call) => {
            sink(Piece::Name(calls, call.name()));
            sink(Piece::Args(calls, call.args()));
            calls += 1;
        }
        _ => sink(Piece::Other),
    };
    for chunk in chunks {
        parser.push(chunk, &mut take);
    }
    parser.finish(&mut take);
}

fn sigil(message: &Message) -> String {
    let Message { thought, calls, answer } = message;
    let mut out = format!("§think: {thought}\n");
    for call in calls {
        out += &format!("§call: {{\"name\": \"{}\", \"args\": {}}}\n", call.name, call.args);
    }
    out += if calls.is_empty() { "" } else { "§execute\n" };
    out + "§respond: " + answer + "\n"
}

fn phase(message: &Message) -> String {
    let Message { thought, calls, answer } = message;
    let mut out = format!("<think>{thought}\n</think>\n");
    for (index, call) in calls.iter().enumerate() {
        out += if index == 0 { "<execute>\n[" } else { "," };
        out += &format!("\n  {{\"name\": \"{}\", \"args\": {}}}", call.name, call.args);
    }
    out += if calls.is_empty() { "" } else { "\n]\n</execute>\n" };
    out + answer + "\n"
}
