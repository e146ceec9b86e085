//! Logins at servers over HTTP: where their credentials are.

use std::path::PathBuf;

use silcrow_environment::quoted_word;
use silcrow_mcp::{KeptLogins, OAuthLogin};

use crate::error::Error;
use crate::store::data_folder;

/// Returns the folder of the credentials, which may not exist yet.
///
/// # Errors
///
/// Returns an error if there is no home folder.
pub fn login_folder() -> Result<PathBuf, Error> {
    Ok(data_folder()?.join("silcrow-logins"))
}

/// Returns the credentials, unless there is no home folder.
pub fn kept_logins() -> Option<KeptLogins> {
    login_folder().ok().map(KeptLogins::new)
}

/// Returns the login of a run: the existing credentials, and the command that makes them.
pub(super) fn kept_login(server: &str, typed: Option<&str>) -> Option<OAuthLogin> {
    let typed = typed.map(|url| format!(" --mcp {}", quoted_word(&format!("{server}={url}"))));
    let command = format!("silcrow mcp login {server}{}", typed.unwrap_or_default());
    Some(OAuthLogin::kept(login_folder().ok()?).with_advice(format!("run {command}")))
}
