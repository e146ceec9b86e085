//! MCP servers for a person: how they are asked by them, and the commands that list, try and change
//! them.
//!
//! `silcrow_settings` reads declarations, and `silcrow_session` starts servers for agents.

mod chosen;
mod command;
mod editor_servers;
mod form_schema;
mod login;
mod logins;
mod written;

pub(crate) use command::command;
pub(crate) use editor_servers::add_servers_of_editor;
pub(crate) use form_schema::form_schema;
