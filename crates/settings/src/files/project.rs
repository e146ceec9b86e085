//! The settings file of a project, which anybody may have written, and whether the person trusts
//! it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::document::{SettingsDocument, WrittenSetting, project_path};
use super::key::SettingKey;
use crate::error::Error;
use crate::trust_record::{TrustRecord, TrustStatus, hash};
use silcrow_environment::Environment;

/// The file of a project without the entries that do not count.
#[derive(Clone, Debug)]
pub(crate) struct ProjectSettings {
    pub(crate) file: SettingsDocument,
    /// The folder of the project.
    pub(crate) folder: PathBuf,
    /// The settings that count only once the person trusts the file.
    pub(crate) left_out: BTreeMap<SettingKey, WrittenSetting>,
}

/// The file of a project whose settings do not all count, because the person does not trust it.
#[derive(Debug)]
pub struct UntrustedFile<'a> {
    name: &'a str,
    folder: &'a Path,
    settings: &'a BTreeMap<SettingKey, WrittenSetting>,
}

impl UntrustedFile<'_> {
    /// Returns the path of the file.
    pub const fn name(&self) -> &str {
        self.name
    }

    /// Returns the folder of the project.
    pub const fn folder(&self) -> &Path {
        self.folder
    }

    /// Returns the keys that do not count, each with its line.
    pub fn keys(&self) -> impl Iterator<Item = (SettingKey, usize)> {
        self.settings.iter().map(|(key, setting)| (*key, setting.line))
    }

    /// Returns the rows that a person reads before trusting the file: a label and its value.
    pub fn rows(&self) -> Vec<(String, String)> {
        let rows =
            |(key, setting): (&SettingKey, &WrittenSetting)| setting.value.rows(key.as_str());
        self.settings.iter().flat_map(rows).collect()
    }
}

impl ProjectSettings {
    /// Reads the file of the project in this folder, or returns `None` for a folder without one. If
    /// the file is not trusted, `ask` decides whether it is from now on.
    pub(crate) fn read(
        folder: &Path,
        environment: &Environment,
        ask: AskTrust<'_>,
    ) -> Result<Option<Self>, Error> {
        let path = project_path(folder);
        let Some(mut file) = SettingsDocument::read_project(&path, environment)? else {
            return Ok(None);
        };
        let settings = file.table.settings.clone();
        let mut left_out = file.take_untrusted();
        if !left_out.is_empty() {
            let asked = UntrustedFile { name: &file.name, folder, settings: &left_out };
            if is_trusted(&path, &file.text, &asked, environment, ask)? {
                file.table.settings = settings;
                left_out.clear();
            }
        }
        Ok(Some(Self { file, folder: folder.to_owned(), left_out }))
    }

    /// Returns the entries that do not count, if there are any.
    pub(crate) fn untrusted(&self) -> Option<UntrustedFile<'_>> {
        let Self { file, folder, left_out } = self;
        let is_any = !left_out.is_empty();
        is_any.then_some(UntrustedFile { name: &file.name, folder, settings: left_out })
    }
}

/// Asks the person whether they trust a file.
pub(crate) type AskTrust<'a> = &'a dyn Fn(&UntrustedFile<'_>) -> io::Result<bool>;

/// Trusts the present contents of a project's file, and returns the rows that count because of
/// that.
pub(crate) fn trust_project(
    folder: &Path,
    environment: &Environment,
) -> Result<Option<TrustedFile>, Error> {
    let path = project_path(folder);
    let Some(mut file) = SettingsDocument::read_project(&path, environment)? else {
        return Ok(None);
    };
    trust(&path, &file.text, environment)?;
    let settings = file.take_untrusted();
    let rows = UntrustedFile { name: &file.name, folder, settings: &settings }.rows();
    Ok(Some(TrustedFile { name: file.name, rows }))
}

/// A file of a project that was trusted just now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TrustedFile {
    /// The path.
    pub name: String,
    /// The rows of settings that count because of that: a label and its value.
    pub rows: Vec<(String, String)>,
}

/// Trusts these contents of a path.
pub(crate) fn trust(path: &Path, text: &str, environment: &Environment) -> Result<(), Error> {
    TrustRecord::for_environment(environment)?.trust(path, &hash(text.as_bytes()))
}

/// Returns whether the person trusts the contents of a file.
pub(crate) fn is_recorded(
    path: &Path,
    text: &str,
    environment: &Environment,
) -> Result<bool, Error> {
    // Without a data folder nothing is trusted.
    let Ok(record) = TrustRecord::for_environment(environment) else { return Ok(false) };
    Ok(record.standing(path, &hash(text.as_bytes()))? == TrustStatus::Trusted)
}

fn is_trusted(
    path: &Path,
    text: &str,
    asked: &UntrustedFile<'_>,
    environment: &Environment,
    ask: AskTrust<'_>,
) -> Result<bool, Error> {
    if is_recorded(path, text, environment)? {
        return Ok(true);
    }
    let failed = |error| Error::failed(format!("cannot ask about {}: {error}", asked.name));
    let yes = ask(asked).map_err(failed)?;
    if yes {
        trust(path, text, environment)?;
    }
    Ok(yes)
}
