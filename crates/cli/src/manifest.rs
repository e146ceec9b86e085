//! Manifests: the command that shows them, and the question whether one is trusted.
//!
//! `silcrow_manifest` reads and checks a manifest, and a session opens it.

mod command;
mod summary;
mod trust;

pub(crate) use command::manifest;
pub(crate) use trust::ask;
