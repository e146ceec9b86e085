//! The doors that the words of a command ask for.
//!
//! A door that the words do not show is not among these: it is requested when the command meets it.

use silcrow_event::{Grant, Grants};

use super::program_grants::ListedCommand;
use super::script::SimpleCommand;
use super::{harmless, script::ShellWord};
use crate::git_remotes::GitRemotes;
use crate::named_host::NamedHost;

/// The doors that commands need.
#[derive(Debug, Default)]
pub(crate) struct WordDoors {
    /// Those without which they fail.
    pub(crate) needed: Grants,
    /// The ports of this machine that they name. The words do not show whether a server of the run
    /// or one outside of it listens there.
    pub(crate) ports: Grants,
    /// Whether one of them does something outside that cannot be undone.
    pub(crate) sends: bool,
}

impl WordDoors {
    /// Returns the doors of all commands that a text reaches.
    pub(crate) fn for_commands<'a>(
        commands: impl IntoIterator<Item = &'a SimpleCommand>,
        remotes: &GitRemotes,
    ) -> Self {
        let mut doors = Self::default();
        for command in commands {
            if harmless::find(command).is_err()
                && let Some(listed) = ListedCommand::find(command)
            {
                doors.add(&listed, remotes);
            }
        }
        doors
    }

    fn add(&mut self, listed: &ListedCommand<'_>, remotes: &GitRemotes) {
        let entry = listed.entry;
        self.sends |= entry.sends;
        if entry.git {
            self.needed.add(Grant::Git);
        }
        if !listed.shows_hosts() {
            return;
        }
        for host in &entry.hosts {
            self.needed.add(Grant::Network(host.clone()));
        }
        let (operands, is_certain) = listed.operands();
        if entry.remote {
            let of_remote = remote_hosts(listed, &operands, is_certain, remotes);
            of_remote.into_iter().for_each(|host| self.connect(host));
        }
        if entry.urls {
            let named = operands.iter().filter_map(|word| address(word, is_certain));
            let named = named.chain(listed.values_of("--url").filter_map(NamedHost::of_url));
            named.for_each(|host| self.connect(host));
        }
    }

    fn connect(&mut self, host: NamedHost) {
        match host {
            NamedHost::Loopback(port) => self.ports.add(Grant::Local(port)),
            NamedHost::Far(door) => self.needed.add(door),
        }
    }
}

/// Returns the host of a word that is an address.
fn address(word: &ShellWord, is_certain: bool) -> Option<NamedHost> {
    NamedHost::of_url(&word.text)
        .or_else(|| NamedHost::of_bare(&word.text).filter(|_| is_certain && !is_url(&word.text)))
}

fn is_url(word: &str) -> bool {
    word.contains("://")
}

/// Returns the hosts that a command of git connects to.
fn remote_hosts(
    listed: &ListedCommand<'_>,
    operands: &[&ShellWord],
    is_certain: bool,
    remotes: &GitRemotes,
) -> Vec<NamedHost> {
    if listed.has_any(&listed.entry.every) {
        return remotes.all().cloned().collect();
    }
    let mut named: Vec<_> =
        operands.iter().filter_map(|word| NamedHost::of_url(&word.text)).collect();
    match operands.first() {
        Some(first) if is_certain => {
            let scp = NamedHost::of_scp(&first.text).filter(|_| !is_url(&first.text));
            named.extend(scp);
            named.extend(remotes.named_hosts(&first.text).iter().cloned());
        }
        Some(_) => {
            let names = operands.iter().flat_map(|word| remotes.named_hosts(&word.text));
            named.extend(names.cloned());
        }
        None if is_certain => named.extend(remotes.usual().iter().cloned()),
        None => {}
    }
    named
}
