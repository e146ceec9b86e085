//! The hosts that addresses name, as doors.
//!
//! This module reads addresses as `curl` and git do. It returns no host that it cannot read for
//! certain.

use std::net::{Ipv4Addr, Ipv6Addr};

use silcrow_event::Grant;

/// A host that an address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NamedHost {
    /// This port of this machine, where a server inside or outside the sandbox may listen.
    Loopback(u16),
    /// Another machine.
    Far(Grant),
}

impl NamedHost {
    /// Returns the host of an address with a scheme, such as `https://example.org/x`.
    pub(crate) fn of_url(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let (_, port) =
            SCHEMES.iter().find(|(known, _)| scheme.eq_ignore_ascii_case(known)).copied()?;
        let authority = rest.split(['/', '?', '#', '\\']).next()?;
        Self::of_authority(authority.rsplit('@').next()?, port)
    }

    /// Returns the host of an address of git as scp writes it, such as `git@example.org:a/b`.
    pub(crate) fn of_scp(text: &str) -> Option<Self> {
        let (authority, path) = text.split_once(':')?;
        if authority.contains('/') || path.starts_with("//") || path.starts_with(':') {
            return None;
        }
        let host = authority.rsplit('@').next()?;
        // `C:` is a drive elsewhere, and a branch in `HEAD:main`.
        let is_host = host.contains('.') || host.len() < authority.len();
        Self::of_host(host, SSH).filter(|_| is_host)
    }

    /// Returns the host of an address without a scheme, such as `localhost:8080/x`.
    pub(crate) fn of_bare(text: &str) -> Option<Self> {
        let authority = text.split(['/', '?', '#']).next()?;
        let host = Self::of_authority(authority.rsplit('@').next()?, HTTP)?;
        match &host {
            Self::Far(Grant::Network(name)) if !name.contains('.') => None,
            _ => Some(host),
        }
    }

    fn of_authority(authority: &str, usual: u16) -> Option<Self> {
        let end = match authority.starts_with('[') {
            true => authority.find(']')? + 1,
            false => authority.find(':').unwrap_or(authority.len()),
        };
        let (host, port) = authority.split_at(end);
        let port = match port.strip_prefix(':') {
            Some(port) if !port.is_empty() => port.parse().ok().filter(|port| *port > 0)?,
            _ if port.len() <= 1 => usual,
            _ => return None,
        };
        Self::of_host(host, port)
    }

    fn of_host(host: &str, port: u16) -> Option<Self> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if is_loopback(&host) {
            return Some(Self::Loopback(port));
        }
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let is_host = match address {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => !host.is_empty() && host.bytes().all(is_name) && !host.starts_with('-'),
        };
        let host = match port {
            HTTP | HTTPS => host,
            port => format!("{host}:{port}"),
        };
        is_host.then_some(Self::Far(Grant::Network(host)))
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || bare.parse::<Ipv4Addr>().is_ok_and(|host| host.is_loopback() || host.is_unspecified())
        || bare.parse::<Ipv6Addr>().is_ok_and(|host| host.is_loopback() || host.is_unspecified())
}

const HTTP: u16 = 80;
const HTTPS: u16 = 443;
const SSH: u16 = 22;

/// The schemes of addresses, and the port of each.
const SCHEMES: [(&str, u16); 11] = [
    ("http", HTTP),
    ("https", HTTPS),
    ("ws", HTTP),
    ("wss", HTTPS),
    ("ssh", SSH),
    ("git+ssh", SSH),
    ("ssh+git", SSH),
    ("git", 9418),
    ("ftp", 21),
    ("ftps", 990),
    ("sftp", SSH),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_their_hosts() {
        let far = |text: &str| Some(NamedHost::Far(Grant::Network(text.to_owned())));
        let local = |port| Some(NamedHost::Loopback(port));
        for (url, expected) in [
            ("https://example.org/a?b@c", far("example.org")),
            ("HTTP://Example.ORG.:8080", far("example.org:8080")),
            ("https://good.org@evil.org/", far("evil.org")),
            (r"https://evil.org\@good.org/", far("evil.org")),
            ("ssh://git@example.org/a", far("example.org:22")),
            ("git://example.org/a", far("example.org:9418")),
            ("http://[2001:db8::1]:81/", far("[2001:db8::1]:81")),
            ("http://127.8.9.1:3000/x", local(3000)),
            ("http://localhost", local(80)),
            ("https://[::1]/", local(443)),
            ("http://0.0.0.0:5000", local(5000)),
            ("https://*/", None),
            ("https://*.example.org/", None),
            ("https://{a,b}.org/", None),
            ("https://$HOST/", None),
            ("https://example.org:$PORT/", None),
            ("https://example.org:0/", None),
            ("ext::sh -c x", None),
            ("file:///etc", None),
            ("https://", None),
        ] {
            assert_eq!(NamedHost::of_url(url), expected, "{url}");
        }
        for (text, expected) in [
            ("git@github.com:a/b.git", far("github.com:22")),
            ("host.example:a", far("host.example:22")),
            ("HEAD:main", None),
            ("C:\\x", None),
            ("./a:b", None),
            ("https://a.b", None),
            ("a.b::c", None),
        ] {
            assert_eq!(NamedHost::of_scp(text), expected, "{text}");
        }
        for (text, expected) in [
            ("localhost:8080/x", local(8080)),
            ("example.org/x", far("example.org")),
            ("word", None),
            ("", None),
        ] {
            assert_eq!(NamedHost::of_bare(text), expected, "{text}");
        }
    }
}
