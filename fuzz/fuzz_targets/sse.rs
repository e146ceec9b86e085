//! However the bytes of an event stream are cut, the same events come out.
//!
//! The first byte of the input says how long the pieces are.
#![no_main]

use libfuzzer_sys::fuzz_target;
use silcrow_provider::sse::{Decoder, Pending, TooLong};

fuzz_target!(|input: &[u8]| {
    let Some((&len, bytes)) = input.split_first() else { return };
    let whole = decode([bytes]);
    assert_eq!(decode(bytes.chunks(1)), whole, "byte by byte");
    assert_eq!(decode(bytes.chunks(usize::from(len).max(1))), whole, "in pieces");
});

/// All events, and how the stream ended.
fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<[String; 3]>, End) {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    for piece in pieces {
        let pushed = decoder.push(piece, &mut |event| {
            events.push([event.event, event.data, event.id].map(str::to_owned));
        });
        if let Err(why) = pushed {
            return (events, Err(why));
        }
    }
    (events, decoder.finish())
}

type End = Result<Option<Pending>, TooLong>;
