//! The findings of `silcrow doctor` about the settings, and the settings that it needs.

use std::path::{Path, PathBuf};

use silcrow_settings::{
    DeclaredServer, Environment, FileSettings, GivenSettings, ProxySettings, Settings,
};

use super::trust;
use crate::failure::Failure;

/// The files of settings that exist, and the settings with which a run would begin.
pub(crate) struct ConfigOverview {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) model: Option<String>,
    pub(crate) store: Option<PathBuf>,
    pub(crate) proxy: ProxySettings,
    pub(crate) servers: Vec<DeclaredServer>,
    /// Whether the person has switched the sandbox off.
    pub(crate) is_sandbox_off: bool,
}

impl ConfigOverview {
    /// Reads the settings of the current folder, and asks nothing.
    pub(crate) fn read(profile: Option<&str>) -> Result<Self, Failure> {
        let here = Path::new(".");
        let files = trust::load(profile, here, false)?;
        let servers = files.servers();
        let settings = Settings::resolve(GivenSettings::default(), &files);
        let paths = FileSettings::paths(&Environment::process(), here).into_iter();
        Ok(Self {
            files: paths.filter(|path| path.is_file()).collect(),
            model: settings.model.map(|model| model.value),
            store: settings.store.map(|store| store.value),
            proxy: settings.proxy,
            servers,
            is_sandbox_off: settings.policy.sandbox.is_some_and(|is_on| !is_on.value),
        })
    }
}
