//! Parses whole texts, and joins the fragments.

use silcrow_lex::Utf8Decoder;
use silcrow_parser::{Options, Parser};
use silcrow_testkit::Joined;

/// Parses the pieces of a text.
pub(crate) fn parse<'a>(
    pieces: impl IntoIterator<Item = &'a str>,
    options: impl Into<Options>,
) -> Joined {
    let mut joined = Joined::default();
    let mut parser = Parser::new(options).with_call_text();
    for piece in pieces {
        parser.push(piece, &mut |fragment| joined.push(fragment));
    }
    parser.finish(&mut |fragment| joined.push(fragment));
    joined.finish()
}

/// Parses a stream of bytes, through the decoder.
pub(crate) fn parse_bytes<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    options: impl Into<Options>,
) -> Joined {
    let mut joined = Joined::default();
    let mut parser = Parser::new(options).with_call_text();
    let mut utf8 = Utf8Decoder::new();
    for piece in pieces {
        utf8.push(piece, &mut |text| parser.push(text.text, &mut |fragment| joined.push(fragment)));
    }
    utf8.finish(&mut |text| parser.push(text.text, &mut |fragment| joined.push(fragment)));
    parser.finish(&mut |fragment| joined.push(fragment));
    joined.finish()
}
