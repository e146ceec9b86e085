//! The tokens of a server: its own, which is in a file of the store, and those of its users, whose
//! files the arguments name.
//!
//! The tools of an agent do not see the store, so they do not see its token.

use std::io;
use std::path::Path;

use silcrow_server::AccessToken;

use crate::failure::Failure;
use crate::owned;
use crate::places::StorePlace;

/// A token that was read or made.
pub(super) struct FoundToken {
    pub(super) token: AccessToken,
    pub(super) is_new: bool,
}

/// Returns the token of the servers of a store, which is made at first. A store in memory has
/// another one each time.
pub(super) fn token(place: &StorePlace) -> Result<AccessToken, Failure> {
    let Some(folder) = place.folder() else { return random() };
    let file = folder.join(TOKEN_FILE);
    if let Ok(text) = owned::read(&file)
        && AccessToken::parse(&text).is_none()
    {
        // A file of the store that says nothing is made again.
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

/// The name of the file of the server's own token, in the folder of the store.
pub(crate) const TOKEN_FILE: &str = "server-token";
