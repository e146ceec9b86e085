//! Credentials in files that only the owner can read.
//!
//! There is one file for each server. It has the credentials by issuer, and says which issuer the
//! server named last. So no issuer gets the credentials of another one.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use silcrow_system::{SystemFolder as _, SystemMetadata as _, SystemOpen as _};

/// The file of one server.
pub(crate) struct FileCredentials {
    folder: PathBuf,
    file: PathBuf,
    server: String,
}

#[derive(Default, Deserialize, Serialize)]
struct KeptCredentials {
    server: String,
    /// The issuer that the server named last.
    last: String,
    issuers: BTreeMap<String, StoredCredentials>,
}

impl FileCredentials {
    pub(crate) fn new(folder: &Path, server: &str) -> Self {
        let name: String =
            Sha256::digest(server).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let file = folder.join(format!("{name}.json"));
        Self { folder: folder.to_owned(), file, server: server.to_owned() }
    }

    /// Removes the file, and returns whether there was one.
    pub(crate) fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the tokens in the file.
    pub(crate) fn tokens(&self) -> Vec<String> {
        let kept = self.read().unwrap_or_default();
        let responses = kept.issuers.values().filter_map(|kept| kept.token_response.as_ref());
        let written = responses.filter_map(|response| serde_json::to_value(response).ok());
        let tokens = written.flat_map(|response| {
            ["access_token", "refresh_token"].map(|name| Some(response[name].as_str()?.to_owned()))
        });
        tokens.flatten().collect()
    }

    fn read(&self) -> io::Result<KeptCredentials> {
        let mut file = match OpenOptions::new().read(true).open(&self.file) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(KeptCredentials { server: self.server.clone(), ..Default::default() });
            }
            Err(error) => return Err(error),
        };
        if file.metadata()?.is_open_to_others() {
            let why =
                format!("others can read {}; remove it and log in again", self.file.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let mut text = String::new();
        (&mut file).take(LONGEST).read_to_string(&mut text)?;
        let kept: KeptCredentials = serde_json::from_str(&text).map_err(io::Error::other)?;
        match kept.server == self.server {
            true => Ok(kept),
            false => Ok(KeptCredentials { server: self.server.clone(), ..Default::default() }),
        }
    }

    fn write(&self, kept: &KeptCredentials) -> io::Result<()> {
        DirBuilder::new().recursive(true).private().create(&self.folder)?;
        let new = self.file.with_extension(format!("{}.new", std::process::id()));
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).private().open(&new)?;
        file.write_all(serde_json::to_string(kept).map_err(io::Error::other)?.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.file)
    }
}

#[async_trait]
impl CredentialStore for FileCredentials {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let mut kept = self.read().map_err(failed)?;
        Ok(kept.issuers.remove(&kept.last))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let issuer = credentials.issuer.clone().unwrap_or_default();
        // An unusable file is replaced.
        let mut kept = self.read().unwrap_or_else(|_| KeptCredentials {
            server: self.server.clone(),
            ..Default::default()
        });
        kept.last.clone_from(&issuer);
        kept.issuers.insert(issuer, credentials);
        self.write(&kept).map_err(failed)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        let mut kept = self.read().map_err(failed)?;
        let last = std::mem::take(&mut kept.last);
        kept.issuers.remove(&last);
        self.write(&kept).map_err(failed)
    }

    /// One process renews at a time, because an issuer may take each token for renewal only once.
    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let path = self.file.with_extension("lock");
        let lock = move || {
            let mut file = OpenOptions::new();
            let file = file.write(true).create(true).truncate(false).private().open(path)?;
            file.lock()?;
            Ok(file)
        };
        let locked = tokio::task::spawn_blocking(lock).await.map_err(io::Error::other);
        locked.flatten().map(|file| Some(CredentialRefreshGuard::new(file))).map_err(failed)
    }
}

fn failed(error: io::Error) -> AuthError {
    AuthError::CredentialStoreError(format!("the credentials cannot be kept: {error}"))
}

/// The number of bytes that are read of a file.
const LONGEST: u64 = 1 << 20;

#[cfg(test)]
mod tests;
