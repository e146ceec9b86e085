//! Links silcrow-lex into a program that has neither `std` nor an allocator, and runs it.
//!
//! `cargo xtask ci alone` builds and runs it. It exits with 0 if the tokens are as expected. Of
//! Rust it links only `core`; C's runtime starts it.
#![no_std]
#![no_main]

use core::ffi::c_int;
use core::hint::black_box;
use core::panic::PanicInfo;

use silcrow_lex::{BodyEnd, Delimiter, Dialect, Lexer, Token, Utf8Decoder};

#[link(name = "c")]
unsafe extern "C" {
    safe fn abort() -> !;
}

#[unsafe(no_mangle)]
extern "C" fn main() -> c_int {
    if reads_a_call() && decodes() { 0 } else { 1 }
}

/// A delimiter that is spread over three chunks, and the body of a call.
fn reads_a_call() -> bool {
    let mut lexer = Lexer::new(Dialect::Sigil);
    let (mut calls, mut body, mut closed, mut ended) = (0, 0, 0, 0);
    for mut chunk in black_box(["§c", "all", ": {\"name\": \"a}\"", "}\n§en", "d"]) {
        while let Some(token) = lexer.next(&mut chunk) {
            match token {
                Token::Delimiter(Delimiter::Call, _) => calls += 1,
                Token::Body(text) => body += text.len(),
                Token::Close(BodyEnd::Complete) => closed += 1,
                _ => {}
            }
        }
    }
    while let Some(token) = lexer.finish() {
        ended += usize::from(matches!(token, Token::Delimiter(Delimiter::End, _)));
    }
    (calls, body, closed, ended) == (1, r#"{"name": "a}"}"#.len(), 1, 1)
}

/// A character that is spread over two chunks.
fn decodes() -> bool {
    let mut utf8 = Utf8Decoder::new();
    let mut chars = 0;
    for chunk in black_box([b"caf\xc3".as_slice(), b"\xa9"]) {
        utf8.push(chunk, &mut |piece| chars += piece.text.chars().count());
    }
    chars == 4
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}
