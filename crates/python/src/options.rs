//! The options of an agent, as Python writes them.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use silcrow_agent::ConnectionMode;
use silcrow_session::SessionOptions;
use silcrow_settings::ToolChoice;

use crate::tool::FunctionFacts;

/// The options of an agent, as JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentSettings {
    pub(crate) model: Option<String>,
    /// The name of a model that Python generates.
    pub(crate) generator: Option<String>,
    pub(crate) functions: Vec<FunctionFacts>,
    /// The built-in tools by name; `None` for all.
    tools: Option<Vec<String>>,
    allow: Vec<String>,
    permissions: Option<String>,
    store: Option<PathBuf>,
    root: PathBuf,
    user: Option<String>,
    dialect: Option<String>,
    instructions: Option<String>,
    agents_md: bool,
    profile: bool,
    mode: Option<String>,
    max_steps: Option<NonZeroU32>,
    rate: Option<NonZeroU32>,
    manifest: Option<PathBuf>,
    window: Option<u64>,
    title_model: Option<String>,
    /// The program that confines commands.
    helper: Option<PathBuf>,
    /// The approver of calls that need a yes: `function`, `later` or `nobody`.
    pub(crate) decides: String,
}

impl AgentSettings {
    pub(crate) fn read(json: &str) -> PyResult<Self> {
        serde_json::from_str(json).map_err(|why| wrong("the options", &why.to_string()))
    }

    /// Returns the options of a session.
    pub(crate) fn session(&self) -> PyResult<SessionOptions> {
        let mut options = SessionOptions::new(&self.root);
        // A generator takes the place of the model, which needs a name that requires no key.
        let generated = self.generator.as_ref().map(|_| "rehearsal".to_owned());
        options.model = generated.or_else(|| self.model.clone());
        options.store.clone_from(&self.store);
        options.user.clone_from(&self.user);
        options.allow.clone_from(&self.allow);
        options.manifest.clone_from(&self.manifest);
        options.title_model.clone_from(&self.title_model);
        options.learn_profile = self.profile;
        options.instructions.given.clone_from(&self.instructions);
        options.instructions.reads_files = self.agents_md;
        options.teaches_coding = false;
        options.window.window = self.window;
        // Python itself cannot confine a command, because it is not a helper of the sandbox.
        options.sandbox_helper = Some(self.helper.clone().unwrap_or_else(|| "silcrow".into()));
        if let Some(names) = &self.tools {
            // Without a built-in tool there is nothing to confine, and no trial to run beforehand.
            options.policy.is_sandbox_off = names.is_empty() && self.manifest.is_none();
            options.offered.push("tools", ToolChoice::Only(names.clone()));
        }
        if let Some(mode) = &self.permissions {
            options.policy.permissions = Some(named("permissions", mode)?);
        }
        if let Some(dialect) = &self.dialect {
            options.dialect = named("dialect", dialect)?;
        }
        if let Some(mode) = &self.mode {
            options.mode = match &**mode {
                "auto" => ConnectionMode::Auto,
                "replay" => ConnectionMode::Replay,
                "resume" => ConnectionMode::Resume,
                _ => return Err(wrong("mode", "use auto, replay or resume")),
            };
        }
        options.max_steps = self.max_steps.unwrap_or(options.max_steps);
        options.rate = self.rate.unwrap_or(options.rate);
        Ok(options)
    }
}

/// Reads a word that has a few values.
fn named<T: FromStr>(option: &str, word: &str) -> PyResult<T>
where
    T::Err: std::fmt::Display,
{
    word.parse().map_err(|why: T::Err| wrong(option, &why.to_string()))
}

fn wrong(option: &str, why: &str) -> PyErr {
    PyValueError::new_err(format!("{option}: {why}"))
}
