use silcrow_provider::sse::{SseDecoder, SseTooLong};

use crate::reference;

/// The properties of the decoder for all bytes: called with generated streams, by the fuzz target,
/// and with the corpus and every input that once failed.
///
/// The first byte sets the length of the pieces; the rest is decoded whole, in pieces and byte by
/// byte, with the same result, which is also the reference's.
pub(crate) fn sse(bytes: &[u8]) {
    let Some((&len, stream)) = bytes.split_first() else { return };
    let whole = decode([stream]);
    assert_eq!(decode(stream.chunks(1)), whole, "byte by byte");
    assert_eq!(decode(stream.chunks(usize::from(len).max(1))), whole, "by {len}");
    // The reference holds events of any length.
    if let Ok(whole) = whole {
        assert_eq!(whole, reference::decode(stream), "the reference");
    }
}

/// All output of a stream: type, data and id of each event, then the unfinished part at its end.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) events: Vec<(String, String, String)>,
    pub(crate) pending: Option<(String, String)>,
}

pub(crate) fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Seen, SseTooLong> {
    let mut decoder = SseDecoder::new();
    let mut seen = Seen::default();
    for piece in pieces {
        decoder.push(piece, &mut |event| {
            seen.events.push((event.event.into(), event.data.into(), event.id.into()));
        })?;
    }
    seen.pending = decoder.finish()?.map(|pending| (pending.event, pending.data));
    Ok(seen)
}
