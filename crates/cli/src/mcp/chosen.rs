//! The server that a command of `silcrow mcp` is about, and the common parts of these commands.

use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use silcrow_settings::DeclaredServer;

use crate::failure::{self, Failure};

/// The servers of the settings, for a command about them.
#[derive(Clone, Copy)]
pub(super) struct ServerList<'a> {
    /// The folder of the project.
    pub(super) root: &'a Path,
    /// Whether JSON is printed.
    pub(super) json: bool,
    pub(super) servers: &'a [DeclaredServer],
}

/// Returns the server of a name: one that was typed, or one of the settings.
pub(super) fn found<'a>(
    about: ServerList<'a>,
    name: &str,
    typed: &'a [DeclaredServer],
) -> Result<&'a DeclaredServer, Failure> {
    let mut all = typed.iter().chain(about.servers);
    all.find(|server| server.name == name).ok_or_else(|| {
        let names: Vec<_> = about.servers.iter().map(|server| &*server.name).collect();
        Failure::given(match &names[..] {
            [] => format!("unknown server `{name}`; none is declared"),
            names => format!("unknown server `{name}`; there are: {}", names.join(", ")),
        })
    })
}

pub(super) fn print(text: &str) -> Result<(), Failure> {
    failure::written(io::stdout().write_all(text.as_bytes()))
}

/// Returns the longest time that a test waits for a server, without the time of a login: a bit more
/// than its start may take.
pub(super) fn patience(server: &DeclaredServer) -> Duration {
    server.start_timeout.unwrap_or(USUAL_START) + Duration::from_secs(10)
}

/// The time limit of a start for which none is declared.
const USUAL_START: Duration = Duration::from_secs(60);
