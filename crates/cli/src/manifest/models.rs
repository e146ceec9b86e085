//! The models that a manifest names, and the servers and files that it may name.

use std::path::{Path, PathBuf};

use url::{Host, Url};

use super::written::WrittenManifest;
use crate::failure::Failure;
use crate::model;
use crate::toml_source::TomlSource;

/// A model that an agent or an `llm` names.
pub(super) struct NamedModel {
    /// The table that names it: `agents` or `llm`.
    pub(super) table: &'static str,
    pub(super) owner: String,
    /// The model as `--model` takes it, with the absolute path of a file.
    pub(super) model: String,
    pub(super) place: ModelLocation,
}

/// The source of a model's answers.
pub(super) enum ModelLocation {
    /// A vendor's own server, or the rehearsal model.
    Known,
    /// A file beneath the manifest's folder.
    File(PathBuf),
    Server(Url),
}

impl NamedModel {
    /// Returns all models that a manifest in `folder` names. Files outside that folder are
    /// rejected.
    pub(super) fn all(
        source: &TomlSource<'_>,
        written: &WrittenManifest,
        folder: &Path,
    ) -> Result<Vec<Self>, Failure> {
        let agents = written.agents.iter().map(|(name, agent)| ("agents", name, &agent.model));
        let llm = written.llm.iter().map(|(name, llm)| ("llm", name, &llm.model));
        let mut all = Vec::new();
        for (table, owner, model) in agents.chain(llm) {
            let Some(model) = model else { continue };
            let mut named = Self {
                table,
                owner: owner.clone(),
                model: model.clone(),
                place: ModelLocation::Known,
            };
            if let Some((word @ ("script" | "replay"), file)) = model.split_once(':') {
                let path =
                    beneath(folder, file).map_err(|why| source.wrong(&named.field(), why))?;
                named.model = format!("{word}:{}", path.display());
                named.place = ModelLocation::File(path);
            } else if let Some(url) = model::server(model) {
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
    pub(super) fn field(&self) -> String {
        format!("{}.{}.model", self.table, self.owner)
    }

    /// Returns a failure for a server that is not on this machine, unless the person `chose` a
    /// model there or has a key for it. So a manifest cannot decide where conversations are sent.
    pub(super) fn check_server(&self, source: &TomlSource<'_>, chose: &str) -> Result<(), Failure> {
        let ModelLocation::Server(url) = &self.place else { return Ok(()) };
        if is_loopback(url) || model::may_go_to(url.as_str(), chose)? {
            return Ok(());
        }
        let why = format!(
            "a manifest may ask servers of this machine, the one that --model or SILCROW_MODEL \
             names, and those that SILCROW_COMPATIBLE_KEY has a key for (HOST=KEY), and not {}",
            url.origin().ascii_serialization(),
        );
        Err(source.wrong(&self.field(), why))
    }
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
