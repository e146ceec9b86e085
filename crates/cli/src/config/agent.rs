//! The options of a run by the settings.

use std::path::Path;
use std::str::FromStr;

use silcrow_console::options::{ShownParts, StatusParts};
use silcrow_interactive::AskOptions;
use silcrow_session::{SessionOptions, TelemetrySettings};
use silcrow_settings::{FileSettings, GivenSettings, Settings, Sourced, project_folders};

use super::first_model::first_model;
use super::sampling::sampling;
use super::trust::{load, notify};
use crate::failure::Failure;
use crate::instructions;
use crate::model;

/// The way in which settings are read: the profile, and whether the person can be asked about
/// files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettingsReader<'a> {
    /// The profile that was typed.
    pub(crate) profile: Option<&'a str>,
    /// Whether a person at the terminal is asked about files that are not trusted yet.
    pub(crate) asks: bool,
    /// Whether notices about omitted values are not shown.
    pub(crate) is_quiet: bool,
}

impl SettingsReader<'_> {
    /// Reads the files for a command whose tools see `root`, and prints notices about omitted
    /// values.
    pub(crate) fn files(self, root: &Path) -> Result<FileSettings, Failure> {
        let files = load(self.profile, root, self.asks)?;
        if !self.is_quiet {
            notify(&files);
        }
        Ok(files)
    }

    /// Returns the options of a run in a folder, from the given values and the settings. A person
    /// at the terminal is asked for a model, if there is a key and no model, and about instructions
    /// that are not trusted yet.
    pub(crate) fn options(self, root: &Path, given: GivenSettings) -> Result<AskOptions, Failure> {
        let mut settings = Settings::resolve(given, &self.files(root)?);
        let model = match value(settings.model.take()) {
            Some(model) => Some(model),
            None => first_model()?,
        };
        let name = model::name(model.as_deref());
        use_key_command(settings.key_command.take(), &name);
        let on_question = word(settings.on_question.clone());
        let show = ShownParts {
            thoughts: word(settings.thoughts.clone()),
            diff: word(settings.diff.clone()),
            theme: word(settings.theme.clone()),
            notify: word(settings.notify.clone()),
            status: settings.status.as_ref().map(|parts| {
                let parts = parts.value.iter().filter_map(|part| part.parse().ok());
                StatusParts::new(parts)
            }),
            has_vi_keys: settings.keys.as_ref().is_some_and(|keys| keys.value == "vi"),
            ..ShownParts::default()
        };
        let values = settings.sampling.clone();
        let mut session = SessionOptions::of_settings(root, settings);
        if session.instructions.reads_files && session.instructions.reads_project {
            instructions::ask(&project_folders(root))?;
        }
        session.model = model;
        session.sampling = sampling(values, &name)?;
        Ok(AskOptions { on_question, show, ..AskOptions::new(session) })
    }
}

/// Uses the person's command for the key of the chosen model.
pub(super) fn use_key_command(command: Option<Sourced<Vec<String>>>, model: &str) {
    model::set_key_command(model, value(command).unwrap_or_default());
}

/// Returns a value without its source.
pub(super) fn value<T>(found: Option<Sourced<T>>) -> Option<T> {
    found.map(|found| found.value)
}

/// Returns the value that a word stands for.
pub(super) fn word<T: FromStr>(found: Option<Sourced<String>>) -> Option<T> {
    found?.value.parse().ok()
}

/// Returns the destination of traces from the files alone.
pub(crate) fn telemetry_of(files: &FileSettings) -> TelemetrySettings {
    let settings = Settings::resolve(GivenSettings::default(), files);
    SessionOptions::of_settings(".", settings).telemetry
}
