//! The addresses that a declared server may have.
//!
//! `silcrow_mcp` checks them again when the server starts. A file is checked here, so that the message
//! names its line.

use std::net::IpAddr;

use url::Url;

/// Checks an address. The error names the correction.
pub(crate) fn check_address(url: &str) -> Result<(), &'static str> {
    match Url::parse(url) {
        Ok(url) if url.password().is_some() || !url.username().is_empty() => {
            Err("the address contains a password; give the server a token instead")
        }
        Ok(url) if url.scheme() == "https" && url.has_host() => Ok(()),
        Ok(url) if url.scheme() == "http" && is_loopback(&url) => Ok(()),
        Ok(url) if url.scheme() == "http" => {
            Err("a server on another machine is reached by https://, because everybody on the way \
                 reads and changes what is sent by http://")
        }
        _ => Err("the address is not an https:// or http:// URL"),
    }
}

/// Returns whether a URL leads to this machine, however names are resolved.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
