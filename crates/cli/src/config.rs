//! The settings of a command: what was typed, what the environment and the files say, and the commands
//! that show and change files.
//!
//! `silcrow_settings` reads files and knows which value counts. This module asks the person about files
//! that they do not trust yet, and says what is left out.

use std::path::{Path, PathBuf};

use silcrow_settings::{EnvironmentVariables, PROJECT_FOLDER, own_path};

mod agent;
mod command;
mod completed;
mod first_model;
mod given;
mod overview;
mod sampling;
mod trust;

pub(crate) use agent::{SettingsReader, telemetry_of};
pub(crate) use command::{command, in_force};
pub(crate) use completed::{AskedModel, CallOptions};
pub(crate) use overview::ConfigOverview;

/// Returns the paths that tools do not change: the folder of the project's settings in this root,
/// and the person's own file. They may not exist.
pub(crate) fn protected_paths(root: &Path) -> impl Iterator<Item = (PathBuf, &'static str)> {
    let project = (root.join(PROJECT_FOLDER), "the settings of this root");
    let own = own_path(&EnvironmentVariables::of_process());
    [project].into_iter().chain(own.map(|path| (path, "your settings")))
}
