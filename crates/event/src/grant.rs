//! Grants: the doors in the walls around a call, each of which a person can open.
//!
//! This module defines the text of a grant, and decides which grant covers which.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::fields::{Fields, ReadEntryError};
use crate::json::Object;

/// A door in the walls around one call, such as the repository's git data or one host.
///
/// Its text is its name, followed by a colon and the thing that it opens: `git`,
/// `network:example.org`, `local:5432`, `listen:8080`, `read:/srv/data`, `write:/srv/data` and
/// `outside`.
///
/// ```
/// use silcrow_event::Grant;
///
/// let host: Grant = "network:*.example.org".parse()?;
/// assert!(host.covers(&Grant::Network("docs.example.org".to_owned())));
/// assert!(!host.covers(&Grant::Network("example.org".to_owned())));
/// assert!("network".parse::<Grant>().is_err());
/// # Ok::<(), silcrow_event::ParseGrantError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "walls and questions name each of them")]
pub enum Grant {
    /// Changes of the repository's git data, except for hooks, settings and attributes.
    Git,
    /// Connections to a host: `example.org` at ports 80 and 443, `example.org:22` at another port,
    /// `*.example.org` for all hosts beneath it, or `*` for all hosts at all ports.
    Network(String),
    /// Connections to this port of this machine.
    Local(u16),
    /// Connections from this machine to this port of the command.
    Listen(u16),
    /// Reading of this file, or of everything beneath this folder: an absolute path.
    Read(String),
    /// Changes of this file, or of everything beneath this folder: an absolute path.
    Write(String),
    /// Everything that the person can do: no sandbox.
    Outside,
}

impl Grant {
    /// Returns whether this grant also gives the other one. [`Outside`](Self::Outside) gives all.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Outside, _) => true,
            (Self::Network(own), Self::Network(other)) => covers_host(own, other),
            (Self::Read(own) | Self::Write(own), Self::Read(other))
            | (Self::Write(own), Self::Write(other)) => covers_path(own, other),
            (own, other) => own == other,
        }
    }
}

/// A set of grants, in a fixed order.
///
/// ```
/// use silcrow_event::{Grant, Grants};
///
/// let mut grants: Grants = [Grant::Outside, Grant::Git].into_iter().collect();
/// grants.add(Grant::Network("example.org".to_owned()));
/// assert_eq!(grants.to_string(), "git, network:example.org, outside");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Grants(BTreeSet<Grant>);

impl Grants {
    /// Creates the set without a grant.
    pub const fn none() -> Self {
        Self(BTreeSet::new())
    }

    /// Adds a grant.
    pub fn add(&mut self, grant: Grant) {
        self.0.insert(grant);
    }

    /// Returns whether no door opens.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the grants.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.0.iter()
    }

    /// Returns whether one of the grants gives this one.
    pub fn covers(&self, wanted: &Grant) -> bool {
        self.0.iter().any(|own| own.covers(wanted))
    }

    /// Returns whether these grants give all of the others.
    pub fn cover_all(&self, wanted: &Self) -> bool {
        wanted.iter().all(|grant| self.covers(grant))
    }

    /// Returns the grants of both sets.
    #[must_use]
    pub fn union(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Returns the wanted grants that these do not give.
    #[must_use]
    pub fn missing(&self, wanted: &Self) -> Self {
        wanted.iter().filter(|grant| !self.covers(grant)).cloned().collect()
    }
}

impl Grants {
    /// Writes the member `grants`, unless no door opens.
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        if !self.is_empty() {
            let texts: Vec<_> = self.iter().map(Grant::to_string).collect();
            to.strings("grants", texts.iter().map(String::as_str));
        }
    }

    /// Reads the member `grants`; without it no door opens.
    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, ReadEntryError> {
        let texts = fields.strings("grants");
        let grants = texts.iter().map(|text| text.parse()).collect::<Result<_, ParseGrantError>>();
        grants.map_err(|why| ReadEntryError::new(format!("`grants`: {why}")))
    }
}

impl FromIterator<Grant> for Grants {
    fn from_iter<I: IntoIterator<Item = Grant>>(grants: I) -> Self {
        Self(grants.into_iter().collect())
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Git => f.write_str("git"),
            Self::Network(host) => write!(f, "network:{host}"),
            Self::Local(port) => write!(f, "local:{port}"),
            Self::Listen(port) => write!(f, "listen:{port}"),
            Self::Read(path) => write!(f, "read:{path}"),
            Self::Write(path) => write!(f, "write:{path}"),
            Self::Outside => f.write_str("outside"),
        }
    }
}

impl fmt::Display for Grants {
    /// Writes the grants with commas between them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, grant) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{grant}")?;
        }
        Ok(())
    }
}

impl FromStr for Grant {
    type Err = ParseGrantError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || ParseGrantError { text: text.to_owned() };
        let port = |text: &str| text.parse().ok().filter(|port| *port > 0).ok_or_else(wrong);
        let path = |text: &str| match text.starts_with('/') {
            true => Ok(text.to_owned()),
            false => Err(wrong()),
        };
        match text.split_once(':') {
            None if text == "git" => Ok(Self::Git),
            None if text == "outside" => Ok(Self::Outside),
            Some(("network", host)) if is_host_pattern(host) => {
                Ok(Self::Network(host.to_ascii_lowercase()))
            }
            Some(("local", text)) => Ok(Self::Local(port(text)?)),
            Some(("listen", text)) => Ok(Self::Listen(port(text)?)),
            Some(("read", text)) => Ok(Self::Read(path(text)?)),
            Some(("write", text)) => Ok(Self::Write(path(text)?)),
            _ => Err(wrong()),
        }
    }
}

/// A text that names no grant.
///
/// ```
/// use silcrow_event::{Grant, ParseGrantError};
///
/// // A path is absolute, so that it means the same in every folder.
/// let wrong: Result<Grant, ParseGrantError> = "read:notes".parse();
/// let message = wrong.unwrap_err().to_string();
/// assert!(message.starts_with(r#"unknown grant "read:notes"; write `git`"#), "{message}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseGrantError {
    text: String,
}

impl fmt::Display for ParseGrantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown grant {:?}; write `git`, `network:HOST`, `local:PORT`, `listen:PORT`, \
             `read:/PATH`, `write:/PATH` or `outside`",
            self.text
        )
    }
}

impl std::error::Error for ParseGrantError {}

fn covers_host(own: &str, other: &str) -> bool {
    if own == "*" {
        return true;
    }
    let (own, own_port) = split_port(own);
    let (other, other_port) = split_port(other);
    let is_same_port =
        own_port == other_port || own_port.is_none() && matches!(other_port, Some("80" | "443"));
    let is_same_host = own == other
        || own.strip_prefix('*').is_some_and(|end| end.starts_with('.') && other.ends_with(end));
    is_same_port && is_same_host
}

/// Splits a port off a host. An IPv6 address has a port only after its bracket.
fn split_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    }
}

fn covers_path(own: &str, other: &str) -> bool {
    std::path::Path::new(other).starts_with(own)
}

fn is_host_pattern(text: &str) -> bool {
    if text == "*" {
        return true;
    }
    let (host, port) = split_port(text);
    let host = host.strip_prefix("*.").unwrap_or(host);
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    is_port && !host.is_empty() && host.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(text: &str) -> Grant {
        text.parse().unwrap()
    }

    #[test]
    fn grants_round_trip() {
        for text in [
            "git",
            "network:example.org",
            "network:*.example.org",
            "network:*",
            "network:example.org:22",
            "network:[2001:db8::1]:8443",
            "local:5432",
            "listen:8080",
            "read:/srv/data",
            "write:/srv/data",
            "outside",
        ] {
            assert_eq!(grant(text).to_string(), text);
        }
        for text in
            ["", "network", "network:", "network:a b", "network:a:0", "local:0", "read:a", "gits"]
        {
            assert!(text.parse::<Grant>().is_err(), "{text}");
        }
    }

    #[test]
    fn grant_covers_narrower_grants() {
        for (own, other, is_covered) in [
            ("git", "git", true),
            ("git", "outside", false),
            ("outside", "write:/", true),
            ("network:*", "network:example.org:22", true),
            ("network:example.org", "network:example.org:443", true),
            ("network:example.org", "network:example.org:22", false),
            ("network:example.org:22", "network:example.org", false),
            ("network:*.example.org", "network:a.b.example.org", true),
            ("network:*.example.org", "network:badexample.org", false),
            ("local:5432", "local:5433", false),
            ("write:/srv", "read:/srv/data", true),
            ("read:/srv", "write:/srv/data", false),
            ("read:/srv", "read:/srv2", false),
        ] {
            assert_eq!(grant(own).covers(&grant(other)), is_covered, "{own} {other}");
        }
    }
}
