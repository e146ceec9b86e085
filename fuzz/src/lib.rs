//! The checks that the fuzz targets call. Tests call the same ones, with generated input, with the
//! corpus, and with every input that once failed.

#[path = "../../crates/front/tests/it/body.rs"]
mod body;
#[path = "../../crates/provider/tests/it/decoded.rs"]
mod decoded;
#[path = "../../crates/expression/tests/it/surface.rs"]
mod expression_source;
#[path = "../../crates/event/tests/it/line.rs"]
mod line;
#[path = "../../crates/native/tests/it/surface.rs"]
mod native;
#[path = "../../crates/parser/tests/it/parse.rs"]
mod parse;
#[path = "../../crates/plan/tests/it/surface.rs"]
mod plan;
#[path = "../../crates/parser/tests/it/prompt.rs"]
mod prompt;
#[path = "../../crates/native/tests/it/reading.rs"]
mod reading;
#[path = "../../crates/provider/tests/it/reference.rs"]
mod reference;
#[path = "../../crates/term/tests/it/surface.rs"]
mod rendered;
#[path = "../../crates/parser/tests/it/surface.rs"]
mod surface;
#[path = "../../crates/parser/tests/it/tokens.rs"]
mod tokens;

/// L-3 is checked for one text in this many. It takes most of the time of a text.
const PROMPT_SHARE: u64 = 16;

/// Checks that the lexer emits the same tokens however the text is cut, and loses nothing.
pub fn lex(bytes: &[u8]) {
    surface::lex(bytes);
}

/// Checks that the decoder returns the text of the standard library, however the bytes are cut.
pub fn bytes(bytes: &[u8]) {
    surface::bytes(bytes);
}

/// Checks that the parser reads `sigil` as the oracle does, with and without `inline`, however it
/// is cut.
pub fn parse_sigil(bytes: &[u8]) {
    surface::parse_sigil(bytes);
}

/// Checks that the parser reads `phase` as the oracle does, however it is cut.
pub fn parse_phase(bytes: &[u8]) {
    surface::parse_phase(bytes);
}

/// Checks that the parser reads `action` as the oracle does, however it is cut.
pub fn parse_action(bytes: &[u8]) {
    surface::parse_action(bytes);
}

/// Checks that everything in a plan ends once, however it is written and driven.
pub fn plan(bytes: &[u8]) {
    plan::plan(bytes);
}

/// Checks that a turn that is written and read again is the same.
pub fn round_trip(bytes: &[u8]) {
    surface::round_trip(bytes);
}

/// Checks that a body that is read as a call is the same for another reader of JSON.
pub fn call_json(bytes: &[u8]) {
    surface::call_json(bytes);
}

/// Checks that a line of an event log that was read can be written and read again unchanged.
pub fn event_json(bytes: &[u8]) {
    line::event_json(bytes);
}

/// Checks that an expression is read or rejected, and evaluated within its limits.
pub fn expression(bytes: &[u8]) {
    expression_source::expression(bytes);
}

/// Checks that Markdown is rendered as the same safe lines, however it is cut.
pub fn markdown(bytes: &[u8]) {
    rendered::markdown(bytes);
}

/// Checks that an event stream is decoded as by a slow reading of the standard, however it is cut.
pub fn sse(bytes: &[u8]) {
    decoded::sse(bytes);
}

/// Checks that a body of a client's request is read or rejected by every protocol of front ends.
pub fn request_body(bytes: &[u8]) {
    body::request_body(bytes);
}

/// Checks that calls in JSON are the same however they are cut.
pub fn native_json(bytes: &[u8]) {
    native::json(bytes);
}

/// Checks that calls with parameters are the same however they are cut.
pub fn native_parameters(bytes: &[u8]) {
    native::parameters(bytes);
}

/// Checks that calls in elements are the same however they are cut.
pub fn native_elements(bytes: &[u8]) {
    native::elements(bytes);
}

/// Checks that calls in expressions are the same however they are cut.
pub fn native_expression(bytes: &[u8]) {
    native::expression(bytes);
}

/// Checks that calls with bare keys are the same however they are cut.
pub fn native_loose(bytes: &[u8]) {
    native::loose(bytes);
}

/// Checks that messages are the same however they are cut.
pub fn native_messages(bytes: &[u8]) {
    native::messages(bytes);
}
