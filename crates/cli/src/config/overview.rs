//! What `silcrow doctor` says about the settings, and what it needs of them.

use std::path::{Path, PathBuf};

use super::key::ConfigKey;
use super::settle::settle_proxy;
use super::{Config, file, places};
use crate::args::ProxyArgs;
use crate::failure::Failure;
use crate::mcp::DeclaredServer;

/// The files of settings that exist, and the settings with which a run would begin.
pub(crate) struct ConfigOverview {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) model: Option<String>,
    pub(crate) store: Option<PathBuf>,
    pub(crate) proxy: ProxyArgs,
    pub(crate) servers: Vec<DeclaredServer>,
    /// Whether the person has switched the sandbox off.
    pub(crate) is_sandbox_off: bool,
}

impl ConfigOverview {
    /// Reads the settings of the current folder, and asks nothing.
    pub(crate) fn read(profile: Option<&str>) -> Result<Self, Failure> {
        let here = Path::new(".");
        let config = Config::load(profile, here, false)?;
        let projects = places::project_folders(here).into_iter();
        let files = file::own_path().into_iter();
        let files = files.chain(projects.map(|folder| file::project_path(&folder)));
        let mut proxy = ProxyArgs::default();
        settle_proxy(&mut proxy, &config);
        Ok(Self {
            files: files.filter(|path| path.is_file()).collect(),
            model: config.text(ConfigKey::Model),
            store: config.path(ConfigKey::Store),
            proxy,
            servers: config.servers(),
            is_sandbox_off: config.text(ConfigKey::Sandbox).as_deref() == Some("off"),
        })
    }
}
