//! The paths that a command may read unless the caller says otherwise.
//!
//! The list has the system and the toolchains of the user. It does not have the rest of the home
//! folder, where keys, mail and the state of other programs are.

use std::env;
use std::path::{Path, PathBuf};

use crate::system;

/// Returns the paths that a command may read, whether they exist or not.
pub(crate) fn readable() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = system::SYSTEM.iter().map(PathBuf::from).collect();
    let home = env::home_dir();
    if let Some(home) = &home {
        paths.extend(HOME.iter().chain(system::HOME).map(|name| home.join(name)));
    }
    for name in ["CARGO_HOME", "RUSTUP_HOME", "GOROOT", "NVM_DIR", "PYENV_ROOT", "JAVA_HOME"] {
        paths.extend(
            env::var_os(name).map(PathBuf::from).filter(|path| is_narrow(path, home.as_deref())),
        );
    }
    let settings = env::var_os("GIT_CONFIG_GLOBAL").map(PathBuf::from);
    paths.extend(settings.filter(|path| path.is_absolute() && path.is_file()));
    let path = env::var_os("PATH").unwrap_or_default();
    paths.extend(env::split_paths(&path).filter(|path| is_narrow(path, home.as_deref())));
    paths
}

/// Returns the paths that a command may not read although they are inside readable ones.
pub(crate) fn hidden() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = system::SYSTEM_SECRETS.iter().map(PathBuf::from).collect();
    let home = env::home_dir();
    paths.extend(home.iter().flat_map(|home| {
        HOME_SECRETS.iter().chain(system::HOME_SECRETS).map(|name| home.join(name))
    }));
    if let Some(cargo) = env::var_os("CARGO_HOME").map(PathBuf::from) {
        paths.extend(["credentials", "credentials.toml"].map(|name| cargo.join(name)));
    }
    paths
}

/// Returns whether a path of the environment names a folder of tools, and not the whole home or the
/// whole system.
fn is_narrow(path: &Path, home: Option<&Path>) -> bool {
    path.is_absolute()
        && path.to_str().is_some()
        && path.parent().is_some()
        && !home.is_some_and(|home| home.starts_with(path))
}

/// The toolchains in a home folder, and the settings of git without its credentials.
const HOME: &[&str] = &[
    ".cargo",
    ".rustup",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".asdf",
    ".volta",
    ".deno",
    ".bun",
    ".sdkman",
    "go",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/mise",
    ".local/share/uv",
    ".local/share/fnm",
    ".local/share/pnpm",
    ".npm-global",
    ".gitconfig",
    ".config/git",
];

/// The paths of a home folder that have secrets. Some are in the folders above; the others count if
/// a home folder is the root.
const HOME_SECRETS: &[&str] = &[
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/git/credentials",
    ".git-credentials",
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config/gcloud",
    ".config/gh",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/chromium",
    ".config/google-chrome",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".psql_history",
    ".mysql_history",
    ".node_repl_history",
    ".sqlite_history",
    ".local/share/fish/fish_history",
    ".boto",
    ".bundle/config",
    ".claude.json",
    ".codex/auth.json",
    ".composer/auth.json",
    ".condarc",
    ".config/composer/auth.json",
    ".config/containers/auth.json",
    ".config/doctl",
    ".config/hub",
    ".config/op",
    ".config/pip",
    ".config/pnpm/auth.ini",
    ".config/rclone",
    ".fly",
    ".gem/credentials",
    ".gemini/oauth_creds.json",
    ".gradle/gradle.properties",
    ".local/share/uv/credentials",
    ".m2/settings.xml",
    ".my.cnf",
    ".mylogin.cnf",
    ".oci",
    ".pgpass",
    ".pip",
    ".s3cfg",
    ".terraform.d/credentials.tfrc.json",
    ".thunderbird",
    ".vault-token",
];
