//! The headers that a proxy does not pass on, because they concern one connection only.

use hyper::HeaderMap;
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, HeaderName, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};

/// Removes the headers of one connection, and those that `Connection` names. The length of the body
/// is then in `Content-Length` alone, or nowhere. Returns whether the body came in chunks.
pub(crate) fn remove_hop_by_hop(headers: &mut HeaderMap) -> bool {
    let is_chunked = headers.contains_key(TRANSFER_ENCODING);
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .filter(|name| *name != CONTENT_LENGTH)
        .collect();
    let known = [
        CONNECTION,
        PROXY_AUTHENTICATE,
        PROXY_AUTHORIZATION,
        TE,
        TRAILER,
        TRANSFER_ENCODING,
        UPGRADE,
        HeaderName::from_static("keep-alive"),
        HeaderName::from_static("proxy-connection"),
    ];
    for name in known.into_iter().chain(named) {
        headers.remove(name);
    }
    match headers.get(CONTENT_LENGTH).cloned() {
        _ if is_chunked => {
            headers.remove(CONTENT_LENGTH);
        }
        // Several that are equal become one.
        Some(length) => {
            headers.insert(CONTENT_LENGTH, length);
        }
        None => {}
    }
    is_chunked
}
