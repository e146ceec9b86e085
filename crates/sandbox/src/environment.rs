//! The environment of a command: an allow-list of names.
//!
//! The agent's environment has keys. So a variable is passed on only if its name is listed, and
//! never if its name says that the value is secret.

use std::env;

use crate::search_path::{absolute_only, is_search_path};

/// Returns the variables that a command gets: the ones on the list, the ones whose names the caller
/// adds, and a terminal without capabilities.
pub(crate) fn allowed(more: &[String]) -> Vec<(String, String)> {
    let mut variables: Vec<_> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| is_allowed(name, more))
        .map(|(name, value)| match is_search_path(&name) {
            true => (name, absolute_only(&value)),
            false => (name, value),
        })
        .collect();
    variables.push(("TERM".to_owned(), "dumb".to_owned()));
    variables
}

/// Returns the variables that tell programs not to try the network, which they otherwise do for a
/// while before they use local data.
pub(crate) fn offline() -> impl Iterator<Item = (String, String)> {
    ["CARGO_NET_OFFLINE", "npm_config_offline"]
        .into_iter()
        .map(|name| (name.to_owned(), "true".to_owned()))
}

/// Returns the variables of a command that runs without walls: all that this program has, except
/// for secrets and for settings of silcrow. Such a command can find the user's keys anyway, but
/// they are not handed to it.
pub(crate) fn outside() -> Vec<(String, String)> {
    let mut variables: Vec<_> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| !is_secret(name) && !name.starts_with("SILCROW_") && name != "TERM")
        .map(|(name, value)| match is_search_path(&name) {
            true => (name, absolute_only(&value)),
            false => (name, value),
        })
        .collect();
    variables.push(("TERM".to_owned(), "dumb".to_owned()));
    variables
}

/// Returns whether a name says that its value is secret.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET.iter().any(|word| name.contains(word))
}

fn is_allowed(name: &str, more: &[String]) -> bool {
    let is_listed = NAMES.contains(&name) || more.iter().any(|own| own == name);
    is_listed && name != "TERM" && name != "TMPDIR" && !is_secret(name)
}

/// The names that are passed on. The last ones say where toolchains are, and who commits.
const NAMES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "TZ",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
];

/// Words in the names of secrets.
const SECRET: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL"];
