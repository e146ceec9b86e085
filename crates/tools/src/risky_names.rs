//! The names of files that programs run automatically, and of files that hold secrets.
//!
//! This module checks the names of a resolved path, and opens no files.

use std::ffi::OsStr;
use std::path::Path;

use crate::start_names::{START_FILES, START_FOLDERS};

/// Returns whether a path names a file, or is in a folder, that usually holds secrets.
pub(crate) fn is_secret<'n>(names: impl Iterator<Item = &'n OsStr>) -> bool {
    let names: Vec<_> = names.collect();
    let Some(last) = names.last().map(|last| last.as_encoded_bytes()) else { return false };
    is_env(last)
        || has_part(&names, SECRET_FOLDERS)
        || ends_with(&names, SECRET_FILES)
        || SECRET_ENDS.iter().any(|end| last.len() > end.len() && has_end(last, end))
}

/// Returns whether a path names a file, or is in a folder, that usually holds secrets, such as `.env`,
/// `id_rsa` or `.aws/credentials`, in any case of its letters. It looks at the names alone.
///
/// The tools of this crate read such a file only with a person's own approval. A program that lets a
/// model run commands hides it from the commands, too.
///
/// ```
/// use std::path::Path;
///
/// use silcrow_tools::is_secret_path;
///
/// assert!(is_secret_path(Path::new("app/.ENV")));
/// assert!(is_secret_path(Path::new("/home/ada/.aws/credentials")));
/// assert!(!is_secret_path(Path::new("src/env.rs")));
/// ```
pub fn is_secret_path(path: &Path) -> bool {
    is_secret(path.iter())
}

/// Returns lines of a file of git attributes that keep git from showing the contents of files that
/// usually hold secrets, by [`is_secret_path`].
pub fn secret_attributes() -> String {
    let names = [".env", ".env.*", ".envrc"].into_iter().chain(SECRET_FILES.iter().copied());
    let names =
        names.map(|name| format!("{}{name} -diff", if name.contains('/') { "**/" } else { "" }));
    let folders = SECRET_FOLDERS.iter().map(|name| format!("**/{name}/** -diff"));
    let ends = SECRET_ENDS.iter().map(|end| format!("?*{end} -diff"));
    let examples = ENV_EXAMPLES.iter().map(|end| format!(".env*{end} !diff"));
    let lines: Vec<_> = names.chain(folders).chain(ends).chain(examples).collect();
    lines.join("\n") + "\n"
}

/// Returns whether a shell, an editor, git, a service or another agent runs or obeys the file
/// without being pointed to it by name.
pub(crate) fn is_start_file<'n>(names: impl Iterator<Item = &'n OsStr>) -> bool {
    let names: Vec<_> = names.collect();
    ends_with(&names, START_FILES) || has_part(&names, START_FOLDERS)
}

/// Returns the names of files and folders that programs run automatically, such as `.envrc`,
/// `.vscode/settings.json` and `.git`: at any depth, in any case of their letters, and with all
/// their contents. A name whose last part begins with `*` stands for all names with this ending.
///
/// The tools of this crate change them only with a person's own approval. A program that lets a model
/// run commands protects them from the commands, too, together with
/// [`Root::protected_paths`](crate::Root::protected_paths).
///
/// ```
/// assert!(silcrow_tools::start_names().any(|name| name == ".vscode/settings.json"));
/// ```
pub fn start_names() -> impl Iterator<Item = &'static str> {
    [".git"].into_iter().chain(START_FOLDERS.iter().chain(START_FILES).copied())
}

/// Returns whether a file holds variables of the environment and is not an example.
fn is_env(name: &[u8]) -> bool {
    let Some((start, rest)) = name.split_at_checked(".env".len()) else { return false };
    start.eq_ignore_ascii_case(b".env")
        && (rest.is_empty() || rest.eq_ignore_ascii_case(b"rc") || rest.starts_with(b"."))
        && !ENV_EXAMPLES.iter().any(|end| has_end(rest, end))
}

fn has_end(name: &[u8], end: &str) -> bool {
    let start = name.len().checked_sub(end.len());
    start.is_some_and(|start| name[start..].eq_ignore_ascii_case(end.as_bytes()))
}

/// Returns whether the names end with the names of one of the paths, in any case. A part of a path
/// that begins with `*` is the end of a name.
fn ends_with(names: &[&OsStr], paths: &[&str]) -> bool {
    paths.iter().any(|path| {
        let mut names = names.iter().rev();
        path.rsplit('/').all(|part| names.next().is_some_and(|name| is_named(name, part)))
    })
}

fn is_named(name: &OsStr, part: &str) -> bool {
    match part.strip_prefix('*') {
        Some(end) => has_end(name.as_encoded_bytes(), end),
        None => name.eq_ignore_ascii_case(part),
    }
}

/// Returns whether the names of one of the paths are among the names, one after the other.
fn has_part(names: &[&OsStr], paths: &[&str]) -> bool {
    (1..=names.len()).any(|end| ends_with(&names[..end], paths))
}

const ENV_EXAMPLES: [&str; 5] = [".example", ".sample", ".template", ".dist", ".defaults"];

const SECRET_FOLDERS: &[&str] = &[".ssh", ".gnupg", ".aws", ".azure", ".password-store"];

const SECRET_FILES: &[&str] = &[
    ".bash_history",
    ".boto",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/gcloud/application_default_credentials.json",
    ".config/gcloud/credentials.db",
    ".config/gh/hosts.yml",
    ".config/hub",
    ".docker/config.json",
    ".dockercfg",
    ".git-credentials",
    ".htpasswd",
    ".kube/config",
    ".mylogin.cnf",
    ".my.cnf",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pgpass",
    ".psql_history",
    ".pypirc",
    ".terraformrc",
    ".vault-token",
    ".yarnrc.yml",
    ".zsh_history",
    "application_default_credentials.json",
    "client_secret.json",
    "credentials.json",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "kubeconfig",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "service-account.json",
    "service_account.json",
    "terraform.tfstate",
    "terraform.tfvars",
];

const SECRET_ENDS: [&str; 13] = [
    ".asc",
    ".env",
    ".jks",
    ".kdb",
    ".kdbx",
    ".key",
    ".keystore",
    ".ovpn",
    ".p12",
    ".p8",
    ".pem",
    ".pfx",
    ".ppk",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> impl Iterator<Item = &OsStr> {
        Path::new(path).iter()
    }

    #[test]
    fn secrets_are_recognized_by_their_names() {
        for path in [
            ".env",
            "a/.env.local",
            ".ENV",
            "prod.env",
            "tls/server.pem",
            "server.KEY",
            ".ssh",
            ".ssh/config",
            "home/.aws/credentials",
            ".npmrc",
            "id_ed25519",
            "credentials.json",
            "vault.kdbx",
            ".cargo/credentials.toml",
        ] {
            assert!(is_secret(names(path)), "{path}");
        }
        for path in [
            ".env.example",
            ".env.sample",
            ".env.template",
            "env",
            "environment",
            "src/key.rs",
            "keys",
            ".key",
            "id_rsa.pub",
            "ssh/config",
            "aws/credentials",
            "config.json",
            "",
        ] {
            assert!(!is_secret(names(path)), "{path}");
        }
    }

    #[test]
    fn start_files_are_recognized_by_their_names() {
        for path in [
            ".envrc",
            "sub/.envrc",
            ".vscode/tasks.json",
            ".VSCode/Settings.json",
            ".idea/workspace.xml",
            ".husky/pre-commit",
            "crates/a/.cargo/config.toml",
            ".mcp.json",
            ".exrc",
            "my.code-workspace",
            "A.Code-Workspace",
            ".zed/tasks.json",
            "sub/.helix/languages.toml",
            "rust-toolchain.toml",
            "lefthook.yml",
            ".devcontainer.json",
            ".Rprofile",
            ".github/workflows/ci.yml",
            ".gitlab-ci.yml",
            "AGENTS.md",
            "docs/CLAUDE.md",
            ".opencode/plugin/x.js",
            ".windsurf/rules/x.md",
        ] {
            assert!(is_start_file(names(path)), "{path}");
        }
        for path in [
            "Makefile",
            "package.json",
            "Cargo.toml",
            "justfile",
            ".vscode/notes.json",
            "tasks.json",
            "cargo/config.toml",
            ".github/CODEOWNERS",
            "workflows/ci.yml",
            "code-workspace",
            "docs/agents.txt",
        ] {
            assert!(!is_start_file(names(path)), "{path}");
        }
    }
}
