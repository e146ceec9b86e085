//! The file of settings that a project has, which may come from anybody, and whether the person
//! trusts it.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use silcrow_sanitize::sanitize_line;

use super::file::{ConfigFile, Setting, project_path};
use super::key::ConfigKey;
use crate::columns::shortened;
use crate::failure::Failure;
use crate::trust_record::{self, TrustRecord, TrustStatus};
use crate::typed::says_yes;

/// The file of a project without what does not count.
pub(super) struct ProjectFile {
    pub(super) file: ConfigFile,
    /// The folder of the project.
    pub(super) folder: PathBuf,
    /// The settings that count only once the person trusts the file.
    pub(super) left_out: BTreeMap<ConfigKey, Setting>,
}

impl ProjectFile {
    /// Reads the file of the project in this folder, or returns `None` for a folder without one. If the
    /// file is not trusted, and `asks` is set, a person at the terminal is asked.
    pub(super) fn read(folder: &Path, asks: bool) -> Result<Option<Self>, Failure> {
        let path = project_path(folder);
        let Some(mut file) = ConfigFile::read_project(&path)? else { return Ok(None) };
        let settings = file.table.settings.clone();
        let mut left_out = file.take_untrusted();
        if !left_out.is_empty() && is_trusted(&path, &file, &left_out, asks)? {
            file.table.settings = settings;
            left_out.clear();
        }
        Ok(Some(Self { file, folder: folder.to_owned(), left_out }))
    }

    /// Returns the line about the settings that do not count.
    pub(super) fn notice(&self) -> String {
        let line = |(key, setting): (&ConfigKey, &Setting)| {
            format!("`{}` (line {})", key.as_str(), setting.line)
        };
        let keys: Vec<_> = self.left_out.iter().map(line).collect();
        format!(
            "{} is not trusted, so its {} is left out; read the file, then run silcrow config \
             trust --root {}",
            self.file.name,
            keys.join(", "),
            self.folder.display(),
        )
    }
}

/// Trusts the contents that the file of a project has now.
pub(super) fn trust(path: &Path, text: &str) -> Result<(), Failure> {
    TrustRecord::find()?.trust(path, &trust_record::hash(text.as_bytes()))
}

/// Returns whether the person trusts the contents of a file.
pub(super) fn is_recorded(path: &Path, text: &str) -> Result<bool, Failure> {
    let hash = trust_record::hash(text.as_bytes());
    // Without a data folder nothing is trusted.
    let Ok(record) = TrustRecord::find() else { return Ok(false) };
    Ok(record.standing(path, &hash)? == TrustStatus::Trusted)
}

fn is_trusted(
    path: &Path,
    file: &ConfigFile,
    wanted: &BTreeMap<ConfigKey, Setting>,
    asks: bool,
) -> Result<bool, Failure> {
    if is_recorded(path, &file.text)? {
        return Ok(true);
    }
    if !asks || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    let name = shortened(&file.name, WIDE);
    let rows = wanted.iter().flat_map(|(key, setting)| {
        let rows = setting.value.rows(key.as_str()).into_iter();
        rows.map(|(key, value)| format!("  {key:<8} │ {}\n", shortened(&value, WIDE)))
    });
    let question = format!(
        "\nThe settings of this project in {name} are not trusted yet:\n{}\
         They decide where your words and your files are sent, kept or read from{}.\n\
         Trust this file?\n\
         y  yes, until it changes    else no, and they are left out\n[N] ",
        rows.collect::<String>(),
        if wanted.contains_key(&ConfigKey::Mcp) { ", and which programs run as you" } else { "" },
    );
    let yes = says_yes(&question)
        .map_err(|error| Failure::running(format!("cannot ask about {name}: {error}")))?;
    if yes {
        trust(path, &file.text)?;
    }
    Ok(yes)
}

/// Says on stderr what is left out.
pub(super) fn notify<'a>(files: impl Iterator<Item = &'a ProjectFile>) {
    for file in files {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "silcrow: {}", sanitize_line(&file.notice()));
    }
}

/// The number of characters of a value that are shown, which is more than any address has.
const WIDE: usize = 4096;
