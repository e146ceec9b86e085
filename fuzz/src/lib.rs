//! What each target calls. Tests call the same, with generated input, the corpus and every input
//! that once failed.

#[path = "../../crates/provider/tests/it/decoded.rs"]
mod decoded;
#[path = "../../crates/event/tests/it/line.rs"]
mod line;
#[path = "../../crates/parser/tests/it/parse.rs"]
mod parse;
#[path = "../../crates/parser/tests/it/prompt.rs"]
mod prompt;
#[path = "../../crates/provider/tests/it/reference.rs"]
mod reference;
#[path = "../../crates/parser/tests/it/surface.rs"]
mod surface;
#[path = "../../crates/parser/tests/it/tokens.rs"]
mod tokens;

/// The lexer gives the same tokens however the text is cut, and loses nothing.
pub fn lex(bytes: &[u8]) {
    surface::lex(bytes);
}

/// The decoder gives the text that the standard library gives, however the bytes are cut.
pub fn bytes(bytes: &[u8]) {
    surface::bytes(bytes);
}

/// The parser reads `sigil` as the oracle does, with `inline` and without, however it is cut.
pub fn parse_sigil(bytes: &[u8]) {
    surface::parse_sigil(bytes);
}

/// The parser reads `phase` as the oracle does, however it is cut.
pub fn parse_phase(bytes: &[u8]) {
    surface::parse_phase(bytes);
}

/// The parser reads `action` as the oracle does, however it is cut.
pub fn parse_action(bytes: &[u8]) {
    surface::parse_action(bytes);
}

/// A turn that is written is read again as itself.
pub fn round_trip(bytes: &[u8]) {
    surface::round_trip(bytes);
}

/// What is read as a call is one to any reader of JSON.
pub fn call_json(bytes: &[u8]) {
    surface::call_json(bytes);
}

/// What is read of a line of an event log is written and read again unchanged.
pub fn event_json(bytes: &[u8]) {
    line::event_json(bytes);
}

/// An event stream gives what a slow reading of the standard gives, however its bytes are cut.
pub fn sse(bytes: &[u8]) {
    decoded::sse(bytes);
}
