//! Reading a line of an event log never panics, and what was read is written and read again
//! unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use silcrow_event::read_entry;

fuzz_target!(|input: &[u8]| {
    let Ok(line) = std::str::from_utf8(input) else { return };
    let Ok(entry) = read_entry(line) else { return };
    let written = entry.to_json();
    assert!(!written.contains('\n'), "one line: {written}");
    let again = read_entry(&written).unwrap_or_else(|why| panic!("{why}: {written}"));
    assert_eq!(again, entry, "{written}");
});
