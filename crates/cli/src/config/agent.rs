//! The options of a run from its arguments and the settings.

use std::path::Path;
use std::str::FromStr;

use clap::ValueEnum as _;
use silcrow_parser::Dialect;
use silcrow_settings::{
    FileSettings, GivenSettings, PolicySettings, Settings, Sourced, project_folders,
};

use super::first_model::first_model;
use super::sampling::sampling;
use super::trust::{load, notify};
use crate::args::{AgentArgs, OnQuestion, PolicyArgs, ShowArgs, WebArgs};
use crate::failure::Failure;
use crate::instructions;
use crate::model;
use crate::options::{AskOptions, InstructionOptions, PolicyOptions, WebOptions, WindowOptions};
use crate::telemetry::TelemetrySettings;

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
        let settings = Settings::resolve(args.into(), &self.files(&args.root)?);
        let telemetry = telemetry(&settings);
        let model = match value(settings.model) {
            Some(model) => Some(model),
            None => first_model()?,
        };
        let name = model::name(model.as_deref());
        use_key_command(settings.key_command, &name);
        let instructions = InstructionOptions {
            given: args.instructions.clone(),
            reads_files: settings.instructions.all.value,
            reads_project: settings.instructions.project.value,
        };
        if instructions.reads_files && instructions.reads_project {
            instructions::ask(&project_folders(&args.root))?;
        }
        Ok(AskOptions {
            model,
            dialect: value(settings.dialect).unwrap_or(Dialect::Sigil),
            inline: args.inline,
            vars: args.vars.clone(),
            max_parallel: args.max_parallel,
            mode: value(settings.mode).unwrap_or_default(),
            stream: args.stream,
            json: args.json,
            call_text: args.call_text,
            on_question: value(settings.on_question)
                .and_then(|word| OnQuestion::from_str(&word, false).ok()),
            strict: args.questions.strict,
            wait: args.wait,
            user: args.user.clone(),
            store: value(settings.store),
            root: args.root.clone(),
            offered: settings.tools,
            allow: args.allow.clone(),
            servers: settings.servers,
            policy: policy(&args.policy, settings.policy),
            eager: args.eager,
            manifest: args.manifest.clone(),
            grammar: args.grammar,
            instructions,
            teaches_coding: settings.coding.value,
            window: WindowOptions {
                window: value(settings.window),
                compact_at: value(settings.compact_at),
            },
            learn_profile: settings.learn_profile.value,
            title_model: value(settings.title_model),
            telemetry,
            show: ShowArgs {
                thoughts: word(settings.thoughts),
                diff: word(settings.diff),
                theme: word(settings.theme),
                ..args.show
            },
            guide: args.guide,
            has_data_marks: !args.no_data_marks,
            examples: args.examples.clone(),
            max_steps: args.max_steps,
            rate: args.rate,
            proxy: settings.proxy,
            sampling: sampling(settings.sampling, &name)?,
            web: web(&args.web, settings.search),
            changes: args.changes.limits(),
            budget: args.budget.limits(args.max_steps),
            prices: value(settings.prices),
        })
    }
}

/// Returns where traces are sent by the settings. The exporter reads the environment itself.
fn telemetry(settings: &Settings) -> TelemetrySettings {
    TelemetrySettings {
        endpoint: outside_environment(settings.otlp_endpoint.clone()),
        has_contents: settings.otlp_contents.value,
    }
}

/// Returns what runs without a question.
pub(super) fn policy(args: &PolicyArgs, settings: PolicySettings) -> PolicyOptions {
    PolicyOptions {
        permissions: args.permissions,
        file: value(settings.file),
        own: settings.own,
        project: settings.project,
        is_sandbox_off: settings.sandbox.is_some_and(|is_on| !is_on.value),
    }
}

/// Returns how the web tools work. The environment is read where they are made.
pub(super) fn web(args: &WebArgs, search: Option<Sourced<String>>) -> WebOptions {
    WebOptions {
        search: outside_environment(search),
        allow_host: args.allow_host.clone(),
        web_proxy: args.web_proxy.clone(),
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

/// Returns a value, unless it is the environment's.
fn outside_environment<T>(found: Option<Sourced<T>>) -> Option<T> {
    value(found.filter(|found| !found.source.is_environment()))
}

/// Returns where traces are sent by the files alone.
pub(crate) fn telemetry_of(files: &FileSettings) -> TelemetrySettings {
    telemetry(&Settings::resolve(GivenSettings::default(), files))
}
