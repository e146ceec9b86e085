//! A person's setup of two other tools: MCP servers, hooks, instructions, commands and a model. It
//! is read and shown first, and then written into the person's own files.
//!
//! No key is copied: a variable of a server that is named as a key becomes a reference to the
//! variable of the same name. Skills, commands of projects and instructions of projects need no
//! import, because they are read in place.

mod claude;
mod codex;
mod servers;

use std::fmt;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use silcrow_environment::Environment;

use crate::error::Error;
use crate::files::{SettingKey, SettingsEditor};
use crate::folders::config_folder;
use crate::mcp::DeclaredServer;
use crate::owned;

/// A tool whose settings can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each of them has files that are known")]
pub enum ForeignTool {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
}

/// Something that a person has set up for another tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ForeignItem {
    /// The kind, in a word, such as `server`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The file that has it.
    pub from: PathBuf,
    /// The plan for the item.
    pub plan: ImportPlan,
}

/// The plan for a foreign item.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ImportPlan {
    /// The MCP server is added to the person's settings.
    Server(Box<DeclaredServer>),
    /// The model is set in the person's settings.
    Model(String),
    /// The text becomes a file of the person, below the folder of their settings.
    File {
        /// The path in that folder.
        path: PathBuf,
        /// The contents.
        text: String,
    },
    /// It is left out, for this reason.
    LeftOut(String),
}

impl ForeignTool {
    /// Lists every tool.
    pub const ALL: [Self; 2] = [Self::Claude, Self::Codex];

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// Reads the setup of the tool in a home folder and in the folder of a project. Missing files
    /// count as empty, and an unreadable file is an item that is left out.
    ///
    /// ```
    /// use silcrow_settings::ForeignTool;
    ///
    /// # let home = tempfile::tempdir().unwrap();
    /// # let home = home.path();
    /// std::fs::create_dir_all(home.join(".codex"))?;
    /// let text = "model = \"gpt-5.1\"\n[mcp_servers.time]\ncommand = \"uvx\"\nargs = [\"mcp-server-time\"]\n";
    /// std::fs::write(home.join(".codex/config.toml"), text)?;
    /// let found = ForeignTool::Codex.read(home, home);
    /// let names: Vec<_> = found.iter().map(|item| (item.kind, &*item.name)).collect();
    /// assert_eq!(names, [("model", "openai:gpt-5.1"), ("server", "time")]);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn read(self, home: &Path, root: &Path) -> Vec<ForeignItem> {
        match self {
            Self::Claude => claude::read(home, root),
            Self::Codex => codex::read(home),
        }
    }
}

impl FromStr for ForeignTool {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|tool| tool.as_str() == name);
        found.ok_or_else(|| format!("`{name}` is not one of claude and codex"))
    }
}

impl fmt::Display for ForeignTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl ForeignItem {
    /// Imports the item into the files of the person, and returns a description. Existing entries
    /// stay.
    ///
    /// # Errors
    ///
    /// Returns an error if the person's file cannot have it, or cannot be written.
    pub fn import(&self, environment: &Environment) -> Result<String, Error> {
        let editor = SettingsEditor::of_person(environment)?;
        match &self.plan {
            ImportPlan::Server(server) => {
                editor.add_server(server)?;
                Ok(format!("in {}", editor.name()))
            }
            ImportPlan::Model(model) => {
                editor.set(None, SettingKey::Model, model)?;
                Ok(format!("in {}", editor.name()))
            }
            ImportPlan::File { path, text } => {
                let none = || Error::invalid("no home folder for settings");
                let file = config_folder(environment).ok_or_else(none)?.join(path);
                let shown = file.display().to_string();
                if file.exists() {
                    return Err(Error::invalid(format!("{shown} is there already")));
                }
                let folder = file.parent().map_or(Ok(()), owned::make_folder);
                let written = folder.and_then(|()| owned::write(&file, text));
                written
                    .map_err(|error| Error::invalid(format!("cannot write {shown}: {error}")))?;
                Ok(format!("in {shown}"))
            }
            ImportPlan::LeftOut(why) => Ok(format!("left out: {why}")),
        }
    }

    fn left_out(kind: &'static str, name: &str, from: &Path, why: impl Into<String>) -> Self {
        let plan = ImportPlan::LeftOut(why.into());
        Self { kind, name: name.to_owned(), from: from.to_owned(), plan }
    }
}

/// Returns the text of a small file, or `None` if there is none.
fn text(path: &Path) -> Option<Result<String, String>> {
    let read = || -> io::Result<String> {
        let mut text = String::new();
        let read = fs::File::open(path)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
        match read as u64 > MOST_BYTES {
            true => Err(io::Error::other(format!("it has more than {} MiB", MOST_BYTES >> 20))),
            false => Ok(text),
        }
    };
    match read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        read => Some(read.map_err(|error| error.to_string())),
    }
}

/// Returns the item of a text that becomes a file of the person.
fn file(kind: &'static str, from: &Path, to: &str) -> Option<ForeignItem> {
    let name = to.to_owned();
    Some(match text(from)? {
        Ok(text) => {
            let plan = ImportPlan::File { path: to.into(), text };
            ForeignItem { kind, name, from: from.to_owned(), plan }
        }
        Err(why) => ForeignItem::left_out(kind, &name, from, why),
    })
}

/// The number of bytes of a file.
const MOST_BYTES: u64 = 8 << 20;

#[cfg(test)]
mod tests;
