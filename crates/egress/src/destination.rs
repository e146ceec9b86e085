//! The destination of a connection: a host in one spelling, and a port.

use silcrow_event::{Grant, Grants};
use silcrow_resolve::HostName;

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) host: HostName,
    pub(crate) port: u16,
}

impl Destination {
    /// Reads `HOST:PORT`, or `HOST` if there is a usual port; `None` if a part of it has several
    /// meanings or none.
    pub(crate) fn parse(authority: &str, usual: Option<u16>) -> Option<Self> {
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
            _ => (authority, None),
        };
        let port = match port {
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().ok()?,
            Some(_) => return None,
            None => usual?,
        };
        let host = HostName::parse(host).ok()?;
        (port > 0).then_some(Self { host, port })
    }

    /// Returns the host and the port as text.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Returns the narrowest door that leads there, as a question names it: a host alone means the
    /// ports of the web.
    pub(crate) fn wanted(&self) -> Grant {
        match USUAL_PORTS.contains(&self.port) {
            true => Grant::Network(self.host.to_string()),
            false => Grant::Network(self.authority()),
        }
    }

    /// Returns whether the grants lead there.
    pub(crate) fn is_granted(&self, grants: &Grants) -> bool {
        grants.covers(&Grant::Network(self.authority()))
    }
}

/// Returns the grants of hosts, each in the one spelling of its host. A pattern that cannot be read
/// opens nothing.
pub(crate) fn in_one_spelling(grants: &Grants) -> Grants {
    let hosts = grants.iter().filter_map(|grant| match grant {
        Grant::Network(pattern) => pattern_in_one_spelling(pattern),
        _ => None,
    });
    hosts.map(Grant::Network).collect()
}

/// Reads the grant of a host as a person or a model writes it, such as `example.org`,
/// `*.example.org`, `example.org:22` or `*`, in the one spelling of the host.
///
/// ```
/// use silcrow_egress::{WrongHost, host_grant};
/// use silcrow_event::Grant;
///
/// assert_eq!(host_grant("Example.ORG.:22"), Ok(Grant::Network("example.org:22".to_owned())));
/// assert_eq!(host_grant("https://example.org/"), Err(WrongHost::Unreadable));
/// assert_eq!(host_grant("localhost:5432"), Err(WrongHost::NotPublic));
/// ```
///
/// # Errors
///
/// Returns an error for a pattern that cannot be read as a host, and for a host that no grant
/// opens.
pub fn host_grant(pattern: &str) -> Result<Grant, WrongHost> {
    let pattern = pattern_in_one_spelling(pattern).ok_or(WrongHost::Unreadable)?;
    let host = pattern.strip_prefix("*.").unwrap_or(&pattern);
    let is_private = |to: Destination| {
        // A whole domain is one word below its star.
        to.host.is_private() && (to.host.address().is_some() || host == pattern)
    };
    match Destination::parse(host, Some(USUAL_PORTS[0])).is_some_and(is_private) {
        true => Err(WrongHost::NotPublic),
        false => Ok(Grant::Network(pattern)),
    }
}

/// The reason why a text is not the grant of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrongHost {
    /// It cannot be read as a host, such as a URL.
    Unreadable,
    /// The host belongs to this machine or to a private network, which no grant opens.
    NotPublic,
}

fn pattern_in_one_spelling(pattern: &str) -> Option<String> {
    if pattern == "*" {
        return Some(pattern.to_owned());
    }
    // An IPv6 address without brackets has no port.
    if let Ok(address) = pattern.parse::<std::net::Ipv6Addr>() {
        return Some(HostName::from(std::net::IpAddr::from(address)).to_string());
    }
    let (prefix, rest) = match pattern.strip_prefix("*.") {
        Some(rest) => ("*.", rest),
        None => ("", pattern),
    };
    let has_port =
        rest.rsplit_once(':').is_some_and(|(host, _)| !host.contains(':') || host.ends_with(']'));
    let destination = Destination::parse(rest, Some(USUAL_PORTS[0]))?;
    if !prefix.is_empty() && destination.host.address().is_some() {
        return None;
    }
    Some(match has_port {
        true => format!("{prefix}{}", destination.authority()),
        false => format!("{prefix}{}", destination.host),
    })
}

/// The ports of the web, which a host alone means.
const USUAL_PORTS: [u16; 2] = [80, 443];

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(text: &str) -> Option<String> {
        Destination::parse(text, None).map(|destination| destination.authority())
    }

    #[test]
    fn authorities_are_unambiguous_or_rejected() {
        for (text, expected) in [
            ("Example.org.:443", Some("example.org:443")),
            ("0x7f.1:80", Some("127.0.0.1:80")),
            ("[::1]:8080", Some("[::1]:8080")),
            ("[fe80::1%25eth0]:80", None),
            ("::1:80", None),
            ("example.org", None),
            ("example.org:", None),
            ("example.org:0", None),
            ("example.org:+80", None),
            ("example.org:65536", None),
            ("example.org:80:443", None),
            ("granted.example@evil.example:443", None),
            ("granted.example:443@evil.example:443", None),
            ("example.org:443/path", None),
            ("", None),
            (":443", None),
        ] {
            assert_eq!(destination(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn grants_match_every_spelling_of_hosts() {
        for (grant, authority, is_granted) in [
            ("example.org", "EXAMPLE.org.:443", true),
            ("example.org.", "example.org:80", true),
            ("example.org", "example.org:8080", false),
            ("example.org", "example.org:22", false),
            ("example.org:22", "example.org:22", true),
            ("example.org:22", "example.org:443", false),
            ("example.org:443", "example.org:443", true),
            ("example.org:443", "example.org:80", false),
            ("example.org", "www.example.org:443", false),
            ("*.example.org", "a.b.example.org:443", true),
            ("*.example.org", "example.org:443", false),
            ("*.example.org", "badexample.org:443", false),
            ("*.example.org", "www.example.org:22", false),
            ("*.example.org:22", "www.example.org:22", true),
            ("xn--bcher-kva.example", "bücher.example:443", true),
            ("93.184.215.14", "0x5d.0xb8.215.14:443", true),
            ("2606:4700::1", "[2606:4700:0::1]:443", true),
            ("[2606:4700:0:0::1]:8443", "[2606:4700::1]:8443", true),
            ("*", "example.org:25", true),
            ("*.1.2.3.4", "1.2.3.4:80", false),
            ("*.*", "example.org:80", false),
        ] {
            let grants = Grants::from_iter([Grant::Network(grant.to_owned())]);
            let destination = Destination::parse(authority, None).unwrap();
            let given = destination.is_granted(&in_one_spelling(&grants));
            assert_eq!(given, is_granted, "{grant} {authority}");
        }
    }

    #[test]
    fn requested_destination_is_what_opens() {
        for authority in ["example.org:80", "example.org:443", "example.org:22", "[2606::1]:443"] {
            let destination = Destination::parse(authority, None).unwrap();
            let grants = in_one_spelling(&Grants::from_iter([destination.wanted()]));
            assert!(destination.is_granted(&grants), "{authority}");
            assert!(destination.wanted().to_string().parse::<Grant>().is_ok(), "{authority}");
        }
    }
}
