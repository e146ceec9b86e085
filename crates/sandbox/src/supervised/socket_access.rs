//! The sockets that a command can make.

use serde::{Deserialize, Serialize};

use crate::command::{ConfinedCommand, SecretAccess};

/// The sockets that a command can make, of the narrowest kind first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SocketAccess {
    /// Pairs that are connected to each other and cannot send elsewhere.
    Pairs,
    /// Such pairs, and network sockets, which belong to a namespace.
    Network,
    /// Pairs of all kinds, sockets of the network, and local sockets.
    Local,
}

impl SocketAccess {
    /// Returns the sockets that a command with a network namespace can make. One that opens files
    /// which others cannot open has no local sockets: it could pass open files to a command that
    /// stays.
    pub(crate) fn for_command(command: &ConfinedCommand) -> Self {
        let sees_named_secret =
            matches!(&command.secrets, SecretAccess::Named(named) if !named.is_empty());
        match sees_named_secret || command.doors.opens_files() {
            true => Self::Network,
            false => Self::Local,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_reading_named_secrets_lack_local_sockets() {
        let command = || ConfinedCommand::shell("true");
        assert_eq!(SocketAccess::for_command(&command()), SocketAccess::Local);
        assert_eq!(SocketAccess::for_command(&command().with_all_secrets()), SocketAccess::Local);
        let named = command().with_secrets(vec!["/root/.env".into()]);
        assert_eq!(SocketAccess::for_command(&named), SocketAccess::Network);
    }
}
