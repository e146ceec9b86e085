//! MCP servers: how they are declared, which of them a run has, and what their tools may be called.
//!
//! `silcrow_mcp` starts servers and calls their tools. This module knows the settings and the person.

mod chosen;
mod command;
mod declared;
mod declared_header;
mod declared_program;
mod declared_text;
mod editor_servers;
mod elicitor;
mod expanded;
mod form;
mod login;
mod logins;
mod named_files;
mod names;
mod read;
mod report;
mod run_servers;
mod secret_value;
mod session_servers;
mod source;
mod start_place;
pub(crate) mod words;
mod written;

pub(crate) use command::command;
pub(crate) use declared::DeclaredServer;
pub(crate) use declared_program::command_files;
pub(crate) use editor_servers::add_servers_of_editor;
pub(crate) use elicitor::PersonElicitor;
pub(crate) use expanded::expanded;
pub(crate) use logins::login_folder;
pub(crate) use names::{ServerNames, stands_for};
pub(crate) use read::read_servers;
pub(crate) use report::TriedServer;
pub(crate) use run_servers::{RunServers, ServerSurroundings};
pub(crate) use session_servers::SessionServers;
pub(crate) use start_place::{made_start_folders, start_folders};
