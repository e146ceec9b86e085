//! The functions that JavaScript calls in the full module alone.
#![expect(
    unsafe_code,
    reason = "an export needs its name, which rustc calls unsafe; nothing else is"
)]

use crate::exports::handle;
use crate::workbench::with_workbench;

/// Writes events, and returns whether all are events.
#[unsafe(no_mangle)]
extern "C" fn silcrow_write(length: usize) -> bool {
    with_workbench(|bench| bench.write(length))
}

/// Writes a grammar, and returns whether there is one.
#[unsafe(no_mangle)]
extern "C" fn silcrow_grammar(length: usize) -> bool {
    with_workbench(|bench| bench.grammar(length))
}

/// Opens an encoder, and writes its beginning.
#[unsafe(no_mangle)]
extern "C" fn silcrow_open_encoder(length: usize) -> isize {
    handle(with_workbench(|bench| bench.open_encoder(length)))
}

/// Encodes an event, and returns whether it is one.
#[unsafe(no_mangle)]
extern "C" fn silcrow_encode(encoder: usize, length: usize, is_known: bool) -> bool {
    with_workbench(|bench| bench.encode(encoder, length, is_known))
}

/// Writes the end of a run, and returns whether it is one.
#[unsafe(no_mangle)]
extern "C" fn silcrow_end_encoder(encoder: usize, length: usize) -> bool {
    with_workbench(|bench| bench.end_encoder(encoder, length))
}

/// Closes an encoder that was not ended.
#[unsafe(no_mangle)]
extern "C" fn silcrow_close_encoder(encoder: usize) {
    with_workbench(|bench| bench.close_encoder(encoder));
}
