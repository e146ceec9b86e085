//! The patterns of rules: names, paths and hosts. `command_pattern` has the patterns of commands.
//!
//! This module decides what a pattern matches. Its callers decide what a match means.

use globset::{GlobBuilder, GlobMatcher};

/// A pattern of a text, where `*` stands for any characters.
#[derive(Clone, Debug)]
pub(crate) struct TextPattern(GlobMatcher);

impl TextPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Ok(Self(glob(text, false)?))
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Returns the text of the pattern.
    pub(crate) fn as_str(&self) -> &str {
        self.0.glob().glob()
    }
}

/// A pattern of paths in the root: `*` stays within one folder, and `**` does not.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern(GlobMatcher);

impl PathPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with('/') || text.split('/').any(|part| part == "..") {
            return Err(format!("`{text}` is not below the root; write the path from there"));
        }
        let text = text.strip_prefix("./").unwrap_or(text);
        Ok(Self(glob(text.trim_end_matches('/'), true)?))
    }

    /// Returns whether the pattern matches a path, or a folder on the way to it.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let path = path.strip_prefix("./").unwrap_or(path);
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.into_iter().any(|end| self.0.is_match(&path[..end]))
    }
}

/// A pattern of hosts, such as `example.org`, or `*.example.org` for the names below it.
#[derive(Clone, Debug)]
pub(crate) struct HostPattern(String);

impl HostPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let name = text.strip_prefix("*.").unwrap_or(text);
        let is_host = !name.is_empty()
            && name.chars().all(|char| char.is_alphanumeric() || "-.:[]".contains(char));
        if text != "*" && !is_host {
            return Err(format!(
                "`{text}` is not a host; write a name such as `example.org` or `*.example.org`"
            ));
        }
        Ok(Self(text.to_lowercase()))
    }

    pub(crate) fn matches(&self, host: &str) -> bool {
        match self.0.strip_prefix('*') {
            Some(end) => host.len() > end.len() && host.ends_with(end),
            None => host == self.0,
        }
    }
}

/// Returns the host of a URL in lower case.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let end = match host.starts_with('[') {
        true => host.find(']')? + 1,
        false => host.find(':').unwrap_or(host.len()),
    };
    let host = host[..end].trim_end_matches('.');
    (!host.is_empty()).then(|| host.to_lowercase())
}

fn glob(text: &str, is_path: bool) -> Result<GlobMatcher, String> {
    let mut builder = GlobBuilder::new(text);
    let glob = builder.literal_separator(is_path).backslash_escape(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| format!("`{text}` is not a pattern: {}", error.kind()))
}
