//! Messages of a stream of server-sent events.
//!
//! Lines end with a line feed only, because some clients look for nothing else.

use silcrow_event::Json;

/// Writes a message with this data, which is one line, such as JSON.
pub(crate) fn write_data(out: &mut String, data: &str) {
    out.push_str("data: ");
    out.push_str(data);
    out.push_str("\n\n");
}

/// Writes a message whose id is a position, with the data that `write` appends.
pub(crate) fn write_data_with_id(
    out: &mut String,
    (seq, n): (u64, u64),
    write: impl FnOnce(&mut String),
) {
    out.push_str("id: ");
    Json::write_integer(out, seq);
    out.push('.');
    Json::write_integer(out, n);
    out.push_str("\ndata: ");
    write(out);
    out.push_str("\n\n");
}
