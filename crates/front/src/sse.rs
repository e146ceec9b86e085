//! Messages of a stream of server-sent events.
//!
//! Lines end with a line feed only, because some clients look for nothing else.

/// Writes a message with this data, which is one line, such as JSON.
pub(crate) fn write_data(out: &mut String, data: &str) {
    out.push_str("data: ");
    out.push_str(data);
    out.push_str("\n\n");
}

/// Writes a message with an id.
pub(crate) fn write_data_with_id(out: &mut String, id: &str, data: &str) {
    out.push_str("id: ");
    out.push_str(id);
    out.push('\n');
    write_data(out, data);
}
