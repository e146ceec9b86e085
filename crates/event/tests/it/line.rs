use silcrow_event::read_entry;

/// What must hold of a line of an event log, whatever the bytes: called with generated text, by the
/// fuzz target, and with the corpus and every input that once failed.
///
/// Reading it does not panic, and what was read is written and read again unchanged.
pub(crate) fn event_json(bytes: &[u8]) {
    let Ok(line) = std::str::from_utf8(bytes) else { return };
    let Ok(entry) = read_entry(line) else { return };
    let written = entry.to_json();
    assert!(!written.contains('\n'), "one line: {written}");
    let again = read_entry(&written).unwrap_or_else(|why| panic!("{why}: {written}"));
    assert_eq!(again, entry, "{written}");
}
