//! The options of a run from its arguments and the settings.

use std::path::Path;
use std::str::FromStr;

use clap::ValueEnum as _;
use silcrow_console::options::ShownParts;
use silcrow_interactive::AskOptions;
use silcrow_session::{PolicyOptions, SessionOptions, TelemetrySettings, WebOptions};
use silcrow_settings::{
    FileSettings, GivenSettings, PolicySettings, Settings, Sourced, project_folders,
};

use super::first_model::first_model;
use super::sampling::sampling;
use super::trust::{load, notify};
use crate::args::{AgentArgs, OnQuestion, PolicyArgs, Stream, WebArgs};
use crate::failure::Failure;
use crate::instructions;
use crate::model;

/// Who reads the settings, and whether the person can be asked about them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettingsReader<'a> {
    /// The profile that was typed.
    pub(crate) profile: Option<&'a str>,
    /// Whether a person at the terminal is asked about files that are not trusted yet.
    pub(crate) asks: bool,
    /// Whether notices about what is left out are not shown.
    pub(crate) is_quiet: bool,
}

impl SettingsReader<'_> {
    /// Reads the files for a command whose tools see `root`, and says what is left out.
    pub(crate) fn files(self, root: &Path) -> Result<FileSettings, Failure> {
        let files = load(self.profile, root, self.asks)?;
        if !self.is_quiet {
            notify(&files);
        }
        Ok(files)
    }

    /// Returns the options of a run. A person at the terminal is asked for a model, if there is a key
    /// and no model, and about instructions that are not trusted yet.
    pub(crate) fn options(self, args: &AgentArgs) -> Result<AskOptions, Failure> {
        let mut settings = Settings::resolve(args.into(), &self.files(&args.root)?);
        let model = match value(settings.model.take()) {
            Some(model) => Some(model),
            None => first_model()?,
        };
        let name = model::name(model.as_deref());
        use_key_command(settings.key_command.take(), &name);
        let on_question = value(settings.on_question.clone());
        let (thoughts, diff, theme) =
            (settings.thoughts.clone(), settings.diff.clone(), settings.theme.clone());
        let values = settings.sampling.clone();
        let mut session = SessionOptions::of_settings(&args.root, settings);
        if session.instructions.reads_files && session.instructions.reads_project {
            instructions::ask(&project_folders(&args.root))?;
        }
        session.model = model;
        session.sampling = sampling(values, &name)?;
        session.inline = args.inline;
        session.vars.clone_from(&args.vars);
        session.max_parallel = args.max_parallel;
        session.streams = args.stream != Some(Stream::None);
        session.user.clone_from(&args.user);
        session.allow.clone_from(&args.allow);
        session.policy.permissions = args.policy.permissions;
        session.eager = args.eager;
        session.manifest.clone_from(&args.manifest);
        session.grammar = args.grammar.map(Into::into);
        session.instructions.given.clone_from(&args.instructions);
        session.tells_title_failures = args.show.verbose;
        session.guide = args.guide;
        session.has_data_marks = !args.no_data_marks;
        session.examples.clone_from(&args.examples);
        session.max_steps = args.max_steps;
        session.rate = args.rate;
        session.web.allow_host.clone_from(&args.web.allow_host);
        session.web.web_proxy.clone_from(&args.web.web_proxy);
        session.changes = args.changes.limits();
        session.budget = args.budget.limits(args.max_steps);
        Ok(AskOptions {
            session,
            stream: args.stream.map(Into::into),
            json: args.json,
            call_text: args.call_text,
            on_question: on_question
                .and_then(|word| OnQuestion::from_str(&word, false).ok())
                .map(Into::into),
            strict: args.questions.strict,
            wait: args.wait,
            show: ShownParts {
                thoughts: word(thoughts),
                diff: word(diff),
                theme: word(theme),
                ..args.show.into()
            },
        })
    }
}

/// Returns what runs without a question.
pub(super) fn policy(args: &PolicyArgs, settings: PolicySettings) -> PolicyOptions {
    PolicyOptions { permissions: args.permissions, ..PolicyOptions::of_settings(settings) }
}

/// Returns how the web tools work. The environment is read where they are made.
pub(super) fn web(args: &WebArgs, search: Option<Sourced<String>>) -> WebOptions {
    WebOptions {
        allow_host: args.allow_host.clone(),
        web_proxy: args.web_proxy.clone(),
        ..WebOptions::of_settings(search)
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

/// Returns where traces are sent by the files alone.
pub(crate) fn telemetry_of(files: &FileSettings) -> TelemetrySettings {
    let settings = Settings::resolve(GivenSettings::default(), files);
    SessionOptions::of_settings(".", settings).telemetry
}
