//! MCP servers as they are declared: their tables in a file, their programs, headers and secrets, and
//! the names that their tools may have.
//!
//! This module starts no server, and asks none.

mod address;
mod declared;
mod declared_header;
mod declared_program;
mod declared_text;
mod named_files;
mod names;
mod read;
mod secret_value;
mod shell_text;
mod start_place;

pub use declared::{DeclaredPlace, DeclaredServer, is_url};
pub use declared_header::{DeclaredHeader, HeaderText};
pub use declared_program::{DeclaredProgram, ProgramStart, command_files};
pub use declared_text::DeclaredText;
pub use named_files::is_code;
pub use names::{ServerNames, stands_for};
pub(crate) use read::read_servers;
pub use start_place::{made_start_folders, start_folders};
