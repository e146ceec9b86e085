//! The name or the address of a host, in one spelling.
//!
//! This module parses the text of a host as browsers do, and has the private names. It resolves
//! nothing.

use std::fmt;
use std::net::IpAddr;

use url::Host;

use crate::address::is_public;

/// The name or the address of a host, in one spelling.
///
/// It is read as browsers do: letters become lower case, other scripts become Punycode, all
/// spellings of an IPv4 address become one, and a final dot is removed. An IPv6 address is in
/// brackets, and has no zone.
///
/// ```
/// use silcrow_resolve::HostName;
///
/// assert_eq!(HostName::parse("BÜCHER.example").unwrap().as_str(), "xn--bcher-kva.example");
/// assert_eq!(HostName::parse("0177.0.0.1").unwrap().as_str(), "127.0.0.1");
/// assert_eq!(HostName::parse("[2001:DB8::0:1]").unwrap().as_str(), "[2001:db8::1]");
/// assert!(HostName::parse("user@example.org").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostName {
    text: String,
    address: Option<IpAddr>,
}

impl HostName {
    /// Reads the text of a host, without a port.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is neither an address nor a resolvable name, and for spellings
    /// that programs read differently, such as `%`.
    pub fn parse(text: &str) -> Result<Self, ParseHostError> {
        // Percent signs would be decoded, and the decoded text could be anything.
        if text.len() > LONGEST_TEXT || text.contains('%') {
            return Err(ParseHostError);
        }
        match Host::parse(text).map_err(|_| ParseHostError)? {
            Host::Ipv4(address) => Ok(IpAddr::from(address).into()),
            Host::Ipv6(address) => Ok(IpAddr::from(address).into()),
            Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(&name);
                match is_name(name) {
                    true => Ok(Self { text: name.to_owned(), address: None }),
                    false => Err(ParseHostError),
                }
            }
        }
    }

    /// Returns the text: a name, an IPv4 address, or an IPv6 address in brackets.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the address, if the host is one and not a name.
    pub const fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// Returns whether the host belongs to this machine or to a private network by its text: by an
    /// address that is not [public](is_public), or by a [private name](is_private_name). The
    /// addresses of any other name are known only when it is resolved.
    pub fn is_private(&self) -> bool {
        match self.address {
            Some(address) => !is_public(address),
            None => is_private_name(&self.text),
        }
    }
}

impl From<IpAddr> for HostName {
    fn from(address: IpAddr) -> Self {
        let text = match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => Host::<String>::Ipv6(address).to_string(),
        };
        Self { text, address: Some(address) }
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// A text that is not an address or the name of a host.
///
/// ```
/// use silcrow_resolve::{HostName, ParseHostError};
///
/// let parsed: Result<HostName, ParseHostError> = HostName::parse("example.org/docs");
/// assert!(parsed.unwrap_err().to_string().contains("neither an address nor a name"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseHostError;

impl fmt::Display for ParseHostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host is neither an address nor a name that can be resolved")
    }
}

impl std::error::Error for ParseHostError {}

/// Returns whether the name of a host belongs to this machine or to a private network: one word, or
/// a name below `localhost`, `local`, `internal`, `lan`, `localdomain` or `home.arpa`.
///
/// ```
/// use silcrow_resolve::is_private_name;
///
/// assert!(is_private_name("localhost") && is_private_name("wiki.internal"));
/// assert!(!is_private_name("internal.example"));
/// ```
pub fn is_private_name(name: &str) -> bool {
    let is_below = |domain: &&str| {
        name.strip_suffix(*domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || PRIVATE_DOMAINS.iter().any(is_below)
}

/// Returns whether a text can be the name of a host, without the dot at its end.
fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=63).contains(&label.len()) && label.bytes().all(is_letter)
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

/// The domains that are never public. Words without a dot are not, either.
const PRIVATE_DOMAINS: [&str; 6] =
    ["home.arpa", "internal", "lan", "local", "localdomain", "localhost"];

/// The length of the longest text that is read, in bytes: a name in another script is shorter than
/// its Punycode.
const LONGEST_TEXT: usize = 1024;
