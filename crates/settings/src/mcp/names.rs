//! The names of tools that servers may have, before a server was asked.

use super::declared::DeclaredServer;

/// The prefixes of the names of servers' tools.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "the servers of a run are known or not")]
pub enum ServerNames<'a> {
    /// The names of declared servers.
    Declared(&'a [DeclaredServer]),
    /// Any, if the settings of a run are not known.
    Any,
}

impl ServerNames<'_> {
    /// Returns whether a name, or a pattern such as `files.*`, belongs to a tool of a declared
    /// server. The names of a server's tools are known only once it runs.
    pub fn has(self, tool: &str) -> bool {
        let Some((server, _)) = tool.split_once('.').filter(|(_, own)| !own.is_empty()) else {
            return false;
        };
        match self {
            Self::Declared(servers) => servers.iter().any(|one| one.name == server),
            Self::Any => true,
        }
    }

    /// Returns the end of an error message about a name with a dot whose server is not declared.
    pub fn hint(self, tool: &str) -> Option<String> {
        let (server, _) = tool.split_once('.')?;
        let Self::Declared(servers) = self else { return None };
        let names: Vec<_> = servers.iter().map(|one| &*one.name).collect();
        Some(match &names[..] {
            [] => format!("no server `{server}` is declared; see silcrow help mcp"),
            names => format!("unknown server `{server}`; there are: {}", names.join(", ")),
        })
    }
}

/// Returns whether a name that a person wrote stands for a tool: the name itself, or `files.*` for all
/// tools of a server.
///
/// ```
/// use silcrow_settings::stands_for;
///
/// assert!(stands_for("files.*", "files.read"));
/// assert!(!stands_for("files.*", "files_extra.read"));
/// // A pattern stands for the tools of a server only.
/// assert!(!stands_for("file_*", "file_read"));
/// ```
pub fn stands_for(written: &str, tool: &str) -> bool {
    let of_server = written.strip_suffix('*').filter(|start| start.ends_with('.'));
    written == tool || of_server.is_some_and(|start| tool.starts_with(start))
}
