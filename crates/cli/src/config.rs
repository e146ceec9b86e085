//! The settings of a command, from arguments, the environment and files, and the commands that show
//! and change files.
//!
//! `silcrow_settings` reads files and decides which value counts. This module asks the person about
//! files that they do not trust yet, and prints notices about omitted values.

mod agent;
mod command;
mod completed;
mod first_model;
mod overview;
mod sampling;
mod trust;

pub(crate) use agent::{SettingsReader, telemetry_of};
pub(crate) use command::{command, in_force};
pub(crate) use completed::{AskedModel, CallOptions};
pub(crate) use overview::ConfigOverview;
