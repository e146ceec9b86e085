//! The token of a server, which is in a file of the store.
//!
//! The tools of an agent do not see the store, so they do not see the token.

use std::io;
use std::path::Path;

use silcrow_server::AccessToken;

use crate::failure::Failure;
use crate::owned;
use crate::places::StorePlace;

/// Returns the token of the servers of a store, which is made at first. A store in memory has
/// another one each time.
pub(super) fn token(place: &StorePlace) -> Result<AccessToken, Failure> {
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

const FILE: &str = "server-token";
