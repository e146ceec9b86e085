//! The common parts of the programs that build and check the workspace: files, other programs,
//! packages from npm and PyPI, and the workspace itself.
#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

pub mod disk;
pub mod installed;
pub mod process;
mod workspace;

pub use workspace::{build_all, cargo, has_target, lints_builds, root, target, workspace_cargo};
