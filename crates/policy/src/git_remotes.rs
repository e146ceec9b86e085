//! The remotes of a repository, as its settings name them.
//!
//! This module reads a text. It finds no repository and runs no program.

use std::collections::BTreeMap;

use crate::named_host::NamedHost;

/// The hosts of a repository's remotes and submodules, which a command such as `git push` connects to.
///
/// ```
/// use silcrow_policy::GitRemotes;
///
/// let config = "[remote \"origin\"]\n\turl = git@example.org:a/b.git\n";
/// assert_eq!(GitRemotes::parse(config).hosts("origin"), ["network:example.org:22"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitRemotes {
    remotes: BTreeMap<String, Vec<NamedHost>>,
    /// Hosts in settings other than remotes.
    others: Vec<NamedHost>,
}

impl GitRemotes {
    /// Returns the remotes of no repository.
    pub const fn none() -> Self {
        Self { remotes: BTreeMap::new(), others: Vec::new() }
    }

    /// Reads the text of a repository's file `config`. Includes are not followed, and an address
    /// that cannot be read has no host.
    pub fn parse(config: &str) -> Self {
        let (mut urls, mut short) = (Vec::new(), Vec::new());
        let (mut section, mut name) = (String::new(), String::new());
        for line in config.lines().take(MAX_LINES).map(str::trim) {
            if let Some(header) = line.strip_prefix('[') {
                let header = header.split(']').next().unwrap_or_default();
                let (kind, rest) = header.split_once([' ', '\t']).unwrap_or((header, ""));
                section = kind.to_ascii_lowercase();
                name = unquoted(rest.trim());
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), unquoted(value.trim()));
            match (&*section, &*key) {
                ("remote", "url" | "pushurl") => urls.push((Some(name.clone()), value)),
                ("submodule", "url") => urls.push((None, value)),
                ("url", "insteadof" | "pushinsteadof") => short.push((value, name.clone())),
                _ => {}
            }
        }
        let mut read = Self::default();
        for (remote, url) in urls {
            let long = short.iter().filter(|(start, _)| url.starts_with(&**start));
            let long = long.max_by_key(|(start, _)| start.len());
            let url = long.map_or_else(
                || url.clone(),
                |(start, whole)| format!("{whole}{}", &url[start.len()..]),
            );
            let host = match url.contains("://") {
                true => NamedHost::of_url(&url),
                false => NamedHost::of_scp(&url),
            };
            match remote {
                Some(remote) => read.remotes.entry(remote).or_default().extend(host),
                None => read.others.extend(host),
            }
        }
        read
    }

    /// Returns the hosts of a remote, as texts of doors.
    pub fn hosts(&self, remote: &str) -> Vec<String> {
        let text = |host: &NamedHost| match host {
            NamedHost::Loopback(port) => format!("local:{port}"),
            NamedHost::Far(door) => door.to_string(),
        };
        self.named_hosts(remote).iter().map(text).collect()
    }

    pub(crate) fn named_hosts(&self, remote: &str) -> &[NamedHost] {
        self.remotes.get(remote).map_or(&[], Vec::as_slice)
    }

    /// Returns the hosts that a command without the name of a remote connects to.
    pub(crate) fn usual(&self) -> &[NamedHost] {
        match (self.remotes.get(USUAL), self.remotes.len()) {
            (Some(hosts), _) => hosts,
            (None, 1) => self.remotes.values().next().map_or(&[], Vec::as_slice),
            (None, _) => &[],
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &NamedHost> {
        self.remotes.values().flatten().chain(&self.others)
    }
}

/// Returns a value without its quotes and without a comment after it.
fn unquoted(value: &str) -> String {
    let (mut out, mut is_quoted) = (String::new(), false);
    let mut rest = value.chars();
    while let Some(char) = rest.next() {
        match char {
            '"' => is_quoted = !is_quoted,
            '\\' => out.extend(rest.next()),
            '#' | ';' if !is_quoted => break,
            char => out.push(char),
        }
    }
    out.trim_end().to_owned()
}

/// The remote of a repository that was cloned.
const USUAL: &str = "origin";

/// The number of lines that are read.
const MAX_LINES: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_name_the_hosts_of_remotes() {
        let remotes = GitRemotes::parse(
            "[core]\n\turl = https://not.a.remote/\n[remote \"origin\"] # the usual one\n\
             \turl = \"gh:a/b\"; short\n\tpushurl=ssh://git@push.example:2222/x\n\
             \tfetch = +refs/heads/*:refs/remotes/origin/*\n[Remote \"disk\"]\nurl = /srv/git/x\n\
             [remote \"here\"]\nurl = http://127.0.0.1:8080/x\n\
             [url \"https://example.org/\"]\n\tinsteadOf = gh:\n\
             [submodule \"lib\"]\n\turl = https://sub.example/lib\n[remote]\nurl = x\n[broken",
        );
        assert_eq!(remotes.hosts("origin"), ["network:example.org", "network:push.example:2222"]);
        assert_eq!(remotes.hosts("disk"), [""; 0]);
        assert_eq!(remotes.hosts("here"), ["local:8080"]);
        assert_eq!(remotes.usual().len(), 2);
        assert_eq!(remotes.all().count(), 4);
        assert!(GitRemotes::parse("").usual().is_empty());
    }
}
