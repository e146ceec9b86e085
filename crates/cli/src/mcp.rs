//! MCP servers: which of them a run has, how the person is asked for them, and the commands that list,
//! try and change them.
//!
//! `silcrow_settings` reads declarations, and `silcrow_mcp` starts servers and calls their tools. This
//! module knows both, and the person.

mod chosen;
mod command;
mod editor_servers;
mod elicitor;
mod form;
mod launch;
mod login;
mod logins;
mod report;
mod run_servers;
mod sent_headers;
mod session_servers;
mod source;
mod written;

pub(crate) use command::command;
pub(crate) use editor_servers::add_servers_of_editor;
pub(crate) use elicitor::PersonElicitor;
pub(crate) use logins::login_folder;
pub(crate) use report::TriedServer;
pub(crate) use run_servers::{RunServers, ServerSurroundings};
pub(crate) use session_servers::SessionServers;
pub(crate) use silcrow_settings::{
    DeclaredServer, ServerNames, command_files, made_start_folders, start_folders, words,
};
