//! The functions that JavaScript calls.
//!
//! Numbers are 32 bits wide in WebAssembly, so a missing handle is -1. Only the names are not
//! checked by the compiler: no other function of the module has them.
#![expect(
    unsafe_code,
    reason = "an export needs its name, which rustc calls unsafe; nothing else is"
)]

use crate::workbench::with_workbench;

/// Reserves space for an input, and returns its address.
#[unsafe(no_mangle)]
extern "C" fn silcrow_input(length: usize) -> usize {
    with_workbench(|bench| bench.input(length))
}

/// Returns the address of three numbers that locate the output of the last call: the address of its
/// text, the length of that in bytes, and the address of the records.
#[unsafe(no_mangle)]
extern "C" fn silcrow_board() -> usize {
    with_workbench(|bench| bench.board())
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

/// Lists the families of native forms.
#[unsafe(no_mangle)]
extern "C" fn silcrow_families() {
    with_workbench(|bench| bench.families());
}

/// Returns a handle as JavaScript reads it.
pub(crate) fn handle(found: Option<usize>) -> isize {
    found.and_then(|handle| isize::try_from(handle).ok()).unwrap_or(-1)
}
