//! `silcrow manifest`, which shows manifests and records which of them are trusted.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use silcrow_manifest::DeclaredManifest;
use silcrow_parser::Dialect;
use silcrow_session::tools::BuiltInTools;
use silcrow_settings::{TrustRecord, hash};

use super::summary::{self, ManifestSummary};
use crate::args::ManifestCommand;
use crate::failure::{Failure, written};
use crate::input::unreadable;
use silcrow_settings::ServerNames;

/// Runs a subcommand of `silcrow manifest`.
pub(crate) fn manifest(command: &ManifestCommand) -> Result<(), Failure> {
    let record = TrustRecord::find()?;
    let output = match command {
        ManifestCommand::Show { file } => {
            let declared = read(file)?;
            let hash = hash(declared.text().as_bytes());
            let standing = record.standing(declared.path(), &hash)?;
            format!("This manifest {}:\n{}", standing.reason(), ManifestSummary(&declared))
        }
        ManifestCommand::Trust { file } => {
            let declared = read(file)?;
            record.trust(declared.path(), &hash(declared.text().as_bytes()))?;
            format!("This manifest is trusted until it changes:\n{}", ManifestSummary(&declared))
        }
        ManifestCommand::Revoke { file } => {
            let path = whole(file)?;
            let any = record.revoke(&path)?;
            let outcome = if any { "is no longer trusted" } else { "was not trusted" };
            format!("{} {outcome}\n", summary::path(&path))
        }
    };
    written(io::stdout().write_all(output.as_bytes()))
}

fn read(file: &Path) -> Result<DeclaredManifest, Failure> {
    // Without a run the dialect is unknown, and `action` accepts the most.
    let tools = BuiltInTools::to_list(Path::new("."))?.toolbox;
    Ok(silcrow_session::manifest::read(file, Dialect::Action, &tools, ServerNames::Any)?)
}

/// Returns the absolute path of a manifest, which may no longer exist.
fn whole(file: &Path) -> Result<PathBuf, Failure> {
    let found = file.canonicalize().or_else(|error| {
        let path = std::path::absolute(file)?;
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(error);
        };
        Ok(folder.canonicalize()?.join(name))
    });
    found.map_err(|error| unreadable(&file.display().to_string(), &error))
}
