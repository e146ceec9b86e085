//! The names of headers that a declaration may set.
//!
//! `silcrow_mcp` checks names again before it sends them. A file is checked here, so that the message
//! names its line.

/// Checks that a declaration may set the header of this name.
pub(crate) fn check_header_name(name: &str) -> Result<(), String> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!("`{name}` cannot be the name of a header"));
    }
    let low = name.to_ascii_lowercase();
    match RESERVED.contains(&&*low) || low.starts_with("mcp-") {
        true => Err(format!("the header {name} is set by the request itself")),
        false => Ok(()),
    }
}

/// The headers of framing, and of the types of body and answer.
const RESERVED: [&str; 11] = [
    "accept",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "last-event-id",
    "te",
    "transfer-encoding",
    "upgrade",
];
