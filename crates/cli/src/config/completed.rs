//! The settings of the commands that run no agent: commands that call one tool, or that use models
//! otherwise.

use std::path::{Path, PathBuf};

use silcrow_console::options::ThemeName;
use silcrow_session::{PolicyOptions, WebOptions};
use silcrow_settings::{DeclaredServer, FileSettings, GivenSettings, ProxySettings, Settings};

use super::agent::{SettingsReader, use_key_command, value, word};
use crate::failure::Failure;
use crate::model;

/// The surroundings of the call of `silcrow tool`.
pub(crate) struct CallOptions {
    pub(crate) store: Option<PathBuf>,
    pub(crate) servers: Vec<DeclaredServer>,
    pub(crate) policy: PolicyOptions,
    pub(crate) web: WebOptions,
    pub(crate) theme: Option<ThemeName>,
}

/// The model that a command asks which runs no agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskedModel {
    /// The name, unless nothing names one.
    pub(crate) model: Option<String>,
    /// The proxies on the way to it.
    pub(crate) proxy: ProxySettings,
}

impl SettingsReader<'_> {
    /// Returns the surroundings of a call in a folder, with the given values.
    pub(crate) fn call_options(
        self,
        root: &Path,
        given: GivenSettings,
    ) -> Result<CallOptions, Failure> {
        let settings = Settings::resolve(given, &self.files(root)?);
        Ok(CallOptions {
            store: value(settings.store),
            servers: settings.servers,
            policy: PolicyOptions::of_settings(settings.policy),
            web: WebOptions::of_settings(settings.search),
            theme: word(settings.theme),
        })
    }
}

impl AskedModel {
    /// Returns the model in force with the given values.
    pub(crate) fn resolve(given: GivenSettings, files: &FileSettings) -> Self {
        let settings = Settings::resolve(given, files);
        let model = value(settings.model);
        use_key_command(settings.key_command, &model::name(model.as_deref()));
        Self { model, proxy: settings.proxy }
    }
}
