//! Addresses of this machine, which need no encryption.

use std::net::IpAddr;

/// Returns whether a URL leads to this machine, however names are resolved.
pub(crate) fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
