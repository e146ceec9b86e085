//! The models that a manifest names, and the servers and files that it may name.

use std::path::{Path, PathBuf};

use url::{Host, Url};

use crate::error::Error;
use crate::toml_text::TomlText;
use crate::written::WrittenManifest;

/// A model that an agent or an `llm` names.
pub(crate) struct NamedModel {
    /// The table that names it: `agents` or `llm`.
    pub(crate) table: &'static str,
    pub(crate) owner: String,
    /// The name by which a call of an `llm` chooses it, if calls may choose.
    pub(crate) choice: Option<String>,
    /// The model as `--model` takes it, with the absolute path of a file.
    pub(crate) model: String,
    pub(crate) place: ModelLocation,
}

/// The source of a model's answers.
pub(crate) enum ModelLocation {
    /// A vendor's own server, or the rehearsal model.
    Known,
    /// A file beneath the manifest's folder.
    File(PathBuf),
    Server(Url),
}

impl NamedModel {
    /// Returns all models that a manifest in `folder` names. Files outside that folder are
    /// rejected.
    pub(crate) fn all(
        source: &TomlText<'_>,
        written: &WrittenManifest,
        folder: &Path,
    ) -> Result<Vec<Self>, Error> {
        let agents = written.agents.iter();
        let agents = agents.map(|(name, agent)| ("agents", name, None, agent.model.as_ref()));
        let llm = written.llm.iter().map(|(name, llm)| ("llm", name, None, llm.model.as_ref()));
        let choices = written.llm.iter().flat_map(|(name, llm)| {
            let models = llm.models.iter();
            models.map(move |(choice, model)| ("llm", name, Some(choice), Some(model)))
        });
        let mut all = Vec::new();
        for (table, owner, choice, model) in agents.chain(llm).chain(choices) {
            let Some(model) = model else { continue };
            let mut named = Self {
                table,
                owner: owner.clone(),
                choice: choice.cloned(),
                model: model.clone(),
                place: ModelLocation::Known,
            };
            if let Some((word @ ("script" | "replay"), file)) = model.split_once(':') {
                let path =
                    beneath(folder, file).map_err(|why| source.wrong(&named.field(), why))?;
                named.model = format!("{word}:{}", path.display());
                named.place = ModelLocation::File(path);
            } else if let Some(url) = silcrow_models::server(model) {
                let wrong = |error| {
                    let why = format!("the server's address cannot be read: {error}");
                    source.wrong(&named.field(), why)
                };
                named.place = ModelLocation::Server(Url::parse(url).map_err(wrong)?);
            }
            all.push(named);
        }
        Ok(all)
    }

    /// Returns the name of the field that names it.
    pub(crate) fn field(&self) -> String {
        match &self.choice {
            Some(choice) => format!("{}.{}.models.{choice}", self.table, self.owner),
            None => format!("{}.{}.model", self.table, self.owner),
        }
    }

    /// Returns the name under which the model is found once it is open.
    pub(crate) fn key(&self) -> String {
        match &self.choice {
            Some(choice) => chosen(&self.owner, choice),
            None => self.owner.clone(),
        }
    }

    /// Returns the address of a server that is not on this machine.
    pub(crate) fn remote_server(&self) -> Option<&Url> {
        match &self.place {
            ModelLocation::Server(url) => Some(url).filter(|url| !is_loopback(url)),
            ModelLocation::Known | ModelLocation::File(_) => None,
        }
    }
}

/// Returns the name under which a model that calls of an `llm` may choose is found. The name of
/// nothing else contains a `/`.
pub(crate) fn chosen(owner: &str, choice: &str) -> String {
    format!("{owner}/{choice}")
}

/// Returns the absolute path of a file, which must be beneath a folder after links are followed.
fn beneath(folder: &Path, file: &str) -> Result<PathBuf, String> {
    let path = folder.join(file);
    let path = path.canonicalize().map_err(|error| format!("cannot read {file}: {error}"))?;
    if !path.starts_with(folder) {
        return Err(format!(
            "{file} is not beneath the manifest's folder; a manifest may name no other files"
        ));
    }
    // The path becomes part of a model's name, which is text.
    match path.to_str() {
        Some(_) => Ok(path),
        None => Err(format!("the path of {file} is not UTF-8; rename its folder")),
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
