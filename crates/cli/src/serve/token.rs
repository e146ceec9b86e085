//! The token of a server, which is in a file of the store, or follows from the secret of a database.
//!
//! The tools of an agent do not see the store, so they do not see the token.

use std::io;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use silcrow_server::AccessToken;
use silcrow_store::Store;

use crate::failure::Failure;
use crate::owned;
use crate::places::{self, StorePlace};

/// Returns the token of the servers of a store, which is made at first. A store in memory has
/// another one each time. All servers of a database have the same one, which follows from its secret.
pub(super) async fn token(place: &StorePlace, store: &dyn Store) -> Result<AccessToken, Failure> {
    let secret = store.shared_runs().secret().await.map_err(|error| places::failure(&error))?;
    if let Some(secret) = secret {
        let hash = Sha256::new().chain_update(PURPOSE).chain_update(&secret).finalize();
        let hex = hash.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        return AccessToken::parse(&hex).ok_or_else(|| Failure::running("cannot make a token"));
    }
    let random = || AccessToken::random().map_err(|error| failed("make a token", &error));
    let Some(folder) = place.folder() else { return random() };
    let file = folder.join(FILE);
    let found = match owned::read(&file) {
        Ok(text) => AccessToken::parse(&text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(unusable("read", &file, &error)),
    };
    if let Some(token) = found {
        return Ok(token);
    }
    let token = random()?;
    owned::make_folder(folder).map_err(|error| unusable("write", &file, &error))?;
    owned::write(&file, &token.reveal()).map_err(|error| unusable("write", &file, &error))?;
    Ok(token)
}

fn unusable(what: &str, file: &Path, error: &io::Error) -> Failure {
    failed(&format!("{what} the token in {}", file.display()), error)
}

fn failed(what: &str, error: &io::Error) -> Failure {
    Failure::running(format!("cannot {what}: {error}"))
}

/// What the token is made for, so that it tells nothing about the secret.
const PURPOSE: &[u8] = b"silcrow server token 1";

const FILE: &str = "server-token";
