//! The environment of a server's program: a few variables of this process, and the declared ones.
//! The variables of a proxy are among the few, because a program behind a proxy reaches nothing
//! without them.

use std::env;
use std::ffi::{OsStr, OsString};

/// Returns the variables that every program gets.
pub(crate) fn passed_on() -> impl Iterator<Item = (&'static str, OsString)> {
    PASSED_ON.iter().filter_map(|name| {
        let value = env::var_os(name)?;
        Some((*name, if *name == PATH { absolute_entries(&value) } else { value }))
    })
}

/// Returns the folders in which a program is searched. An entry that is not absolute is left out,
/// because it would name a different folder for each working directory.
fn absolute_entries(path: &OsStr) -> OsString {
    let entries = env::split_paths(path).filter(|entry| entry.is_absolute());
    // It fails only for an entry with a colon, and none has one.
    env::join_paths(entries).unwrap_or_default()
}

/// The variable that has the folders of programs.
pub(crate) const PATH: &str = "PATH";

/// The variables that a program needs to find others, its home, its language and the network. Only
/// the address of a proxy may contain a secret, its password.
const PASSED_ON: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

#[test]
fn relative_path_entries_are_ignored() {
    let path = absolute_entries(OsStr::new(":/usr/bin:bin:./x::../y:/bin:"));
    assert_eq!(path, "/usr/bin:/bin");
}
