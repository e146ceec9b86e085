//! Shows the text of a model as it arrives: thoughts dim, answers plain, and of calls the
//! delimiter.
//!
//! `cargo run -p silcrow-lex --example typewriter -- phase < answer.txt`; any bytes will do.
#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

use std::io::{self, Read as _, Write as _};

use silcrow_lex::{DecodedText, Delimiter, Dialect, Lexer, Token, Utf8Decoder};

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1);
    let dialect = name.and_then(|name| name.parse().ok()).unwrap_or(Dialect::Sigil);
    let mut utf8 = Utf8Decoder::new();
    let mut lexer = Lexer::new(dialect);
    let mut take = |piece: DecodedText<'_>| {
        let mut text = piece.text;
        while let Some(token) = lexer.next(&mut text) {
            show(token);
        }
    };
    let mut chunk = [0; 64];
    loop {
        match io::stdin().read(&mut chunk)? {
            0 => break,
            len => utf8.push(&chunk[..len], &mut take),
        }
        io::stdout().flush()?;
    }
    utf8.finish(&mut take);
    while let Some(token) = lexer.finish() {
        show(token);
    }
    io::stdout().flush()
}

fn show(token: Token<'_>) {
    match token {
        Token::Text(text) => print!("{text}"),
        Token::Delimiter(Delimiter::Think, _) => print!("{DIM}"),
        Token::Delimiter(Delimiter::Call | Delimiter::Calls, _) => print!("{PLAIN}[a call]"),
        Token::Delimiter(..) => print!("{PLAIN}"),
        _ => {}
    }
}

const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";
