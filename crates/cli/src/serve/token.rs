//! The tokens of a server: its own, which is in a file of the store or derived from the secret of a
//! database, and the tokens of further users, whose files the arguments name.
//!
//! The tools of an agent do not see the store, so they do not see its token.

use std::io;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use silcrow_server::AccessToken;
use silcrow_settings::owned;
use silcrow_store::Store;

use crate::failure::Failure;
use crate::places::{self, StorePlace};

/// A token that was read or made.
pub(super) struct FoundToken {
    pub(super) token: AccessToken,
    pub(super) is_new: bool,
}

/// Returns the token of the servers of a store, which is made at first. A store in memory has
/// another one each time. All servers of a database have the same one, which follows from its secret.
pub(super) async fn token(place: &StorePlace, store: &dyn Store) -> Result<AccessToken, Failure> {
    let secret = store.shared_runs().secret().await.map_err(|error| places::failure(&error))?;
    if let Some(secret) = secret {
        let hash = Sha256::new().chain_update(PURPOSE).chain_update(&secret).finalize();
        let hex = hash.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        return AccessToken::parse(&hex).ok_or_else(|| Failure::running("cannot make a token"));
    }
    let Some(folder) = place.folder() else { return random() };
    let file = folder.join(FILE);
    if let Ok(text) = owned::read(&file)
        && AccessToken::parse(&text).is_none()
    {
        // A file of the store that has no token is made again.
        return made(&file);
    }
    owned::make_folder(folder).map_err(|error| unusable("write", &file, &error))?;
    Ok(token_in(&file)?.token)
}

/// Returns the token in a file, which is made if the file is missing.
pub(super) fn token_in(file: &Path) -> Result<FoundToken, Failure> {
    match owned::read(file) {
        Ok(text) => match AccessToken::parse(&text) {
            Some(token) => Ok(FoundToken { token, is_new: false }),
            None => Err(Failure::given(format!(
                "{} has no token of 64 hexadecimal digits; remove it, and a new one is made",
                file.display()
            ))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(FoundToken { token: made(file)?, is_new: true })
        }
        Err(error) => Err(unusable("read", file, &error)),
    }
}

fn made(file: &Path) -> Result<AccessToken, Failure> {
    let token = random()?;
    owned::write(file, &token.reveal()).map_err(|error| unusable("write", file, &error))?;
    Ok(token)
}

fn random() -> Result<AccessToken, Failure> {
    AccessToken::random().map_err(|error| failed("make a token", &error))
}

fn unusable(what: &str, file: &Path, error: &io::Error) -> Failure {
    failed(&format!("{what} the token in {}", file.display()), error)
}

fn failed(what: &str, error: &io::Error) -> Failure {
    Failure::running(format!("cannot {what}: {error}"))
}

/// The purpose of the token, which separates it from other values derived from the secret.
const PURPOSE: &[u8] = b"silcrow server token 1";

const FILE: &str = "server-token";
