//! The functions that JavaScript calls.
//!
//! Numbers are 32 bits wide in WebAssembly, so a handle that is not there is -1. The names are the only
//! thing here that the compiler does not check: no other function of the module has them.
#![expect(
    unsafe_code,
    reason = "an export needs its name, which rustc calls unsafe; nothing else is"
)]

use crate::workbench::with_workbench;

/// Makes room for an input, and returns its address.
#[unsafe(no_mangle)]
extern "C" fn silcrow_input(length: usize) -> usize {
    with_workbench(|bench| bench.input(length))
}

/// Returns the address of the output.
#[unsafe(no_mangle)]
extern "C" fn silcrow_output() -> usize {
    with_workbench(|bench| bench.output().0)
}

/// Returns the length of the output in bytes.
#[unsafe(no_mangle)]
extern "C" fn silcrow_output_length() -> usize {
    with_workbench(|bench| bench.output().1)
}

/// Returns the address of the records.
#[unsafe(no_mangle)]
extern "C" fn silcrow_records() -> usize {
    with_workbench(|bench| bench.records().0)
}

/// Opens a reader.
#[unsafe(no_mangle)]
extern "C" fn silcrow_open_reader(length: usize) -> isize {
    handle(with_workbench(|bench| bench.open_reader(length)))
}

/// Reads a chunk, and returns the number of events.
#[unsafe(no_mangle)]
extern "C" fn silcrow_push(reader: usize, length: usize) -> usize {
    with_workbench(|bench| bench.push(reader, length))
}

/// Ends an answer, and returns the number of events.
#[unsafe(no_mangle)]
extern "C" fn silcrow_finish(reader: usize) -> usize {
    with_workbench(|bench| bench.finish(reader))
}

/// Closes a reader that was not finished.
#[unsafe(no_mangle)]
extern "C" fn silcrow_close_reader(reader: usize) {
    with_workbench(|bench| bench.close_reader(reader));
}

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

/// Lists the families of native forms.
#[unsafe(no_mangle)]
extern "C" fn silcrow_families() {
    with_workbench(|bench| bench.families());
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

fn handle(found: Option<usize>) -> isize {
    found.and_then(|handle| isize::try_from(handle).ok()).unwrap_or(-1)
}
