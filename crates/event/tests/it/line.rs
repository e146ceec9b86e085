//! The property of every line of an event log. The fuzz target includes this file, and other tests
//! call it with generated text, with the corpus and with every input that once failed.

use silcrow_event::read_entry;

/// Checks that reading any bytes as a line of an event log does not panic, and that an entry that
/// was read is written and read again unchanged.
pub(crate) fn event_json(bytes: &[u8]) {
    let Ok(line) = std::str::from_utf8(bytes) else { return };
    let Ok(entry) = read_entry(line) else { return };
    let written = entry.to_json();
    assert!(!written.contains('\n'), "one line: {written}");
    let again = read_entry(&written).unwrap_or_else(|why| panic!("{why}: {written}"));
    assert_eq!(again, entry, "{written}");
}
