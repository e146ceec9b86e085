//! What each target calls. The tests of the parser call the same, with the corpus and with every
//! input that once failed.

#[path = "../../crates/parser/tests/it/parse.rs"]
mod parse;
#[path = "../../crates/parser/tests/it/surface.rs"]
mod surface;

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
