//! Names of files that usually hold secrets, as words of a command.
//!
//! The check is an extra for commands that would otherwise run unasked. A command can always spell a
//! name in another way, so the wall is the sandbox.

use std::sync::LazyLock;

use globset::{Glob, GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};

use super::script::ShellWord;

/// Returns the part of a word that names something secret, or `None` for a harmless word.
pub(crate) fn secret_in(word: &ShellWord) -> Option<&str> {
    // A word may be an option with a path, such as `--file=.env`, or a file of a commit.
    let is_pattern = word.glob.is_some();
    word.text.split(['=', ':', ',', '@']).find(|part| {
        let lower = part.to_lowercase();
        let attached = lower.strip_prefix('-').and_then(|rest| rest.get(1..));
        is_secret_path(&lower, is_pattern)
            || attached.is_some_and(|path| is_secret_path(path, is_pattern))
    })
}

/// Returns whether a path in lower case names something secret.
fn is_secret_path(path: &str, is_pattern: bool) -> bool {
    let parts: Vec<_> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if let ["dev", device, ..] = *parts
        && path.starts_with('/')
    {
        return !HARMLESS_DEVICES.contains(&device);
    }
    let is_system = |place: &[&str]| parts.windows(place.len()).any(|window| window == place);
    SECRET_PLACES.iter().any(|place| is_system(place))
        || parts.iter().any(|part| is_secret_name(part) || (is_pattern && reaches_secret(part)))
}

/// Returns whether the name of a file or a folder is a secret's.
fn is_secret_name(name: &str) -> bool {
    NAMES.is_match(name) && !EXAMPLES.iter().any(|end| name.ends_with(end))
}

/// Returns whether the shell may replace a pattern with the name of a secret. A pattern without
/// letters, such as `*`, is not aimed at one.
fn reaches_secret(name: &str) -> bool {
    let letters = name.chars().filter(|char| !"*?[]!^-".contains(*char)).count();
    let is_pattern = name.contains(['*', '?', '[']) && (letters > 1 || name.starts_with('.'));
    is_pattern
        && pattern(name).is_none_or(|pattern| SAMPLES.iter().any(|name| pattern.is_match(name)))
}

fn pattern(text: &str) -> Option<GlobMatcher> {
    GlobBuilder::new(text).build().ok().map(|glob| glob.compile_matcher())
}

static NAMES: LazyLock<GlobSet> = LazyLock::new(|| {
    let globs = SECRET_NAMES.iter().filter_map(|name| Glob::new(name).ok());
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(glob);
    }
    set.build().unwrap_or_default()
});

/// The names of files and folders that usually hold secrets, in lower case.
pub(super) const SECRET_NAMES: [&str; 38] = [
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    ".my.cnf",
    ".vault-token",
    ".*_history",
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    "gcloud",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "credentials",
    "credentials.{json,toml,yml,yaml,ini,txt}",
    "secrets.{json,toml,yml,yaml,ini,txt,env}",
    "environ",
    "keyrings",
];

/// The ends of names that hold examples in place of secrets.
const EXAMPLES: [&str; 4] = [".example", ".sample", ".template", ".dist"];

/// Names that a pattern of a command must not reach.
const SAMPLES: [&str; 16] = [
    ".env",
    ".env.local",
    ".ssh",
    ".aws",
    ".gnupg",
    ".netrc",
    ".npmrc",
    ".bash_history",
    "id_rsa",
    "id_ed25519",
    "server.pem",
    "server.key",
    "credentials",
    "credentials.json",
    "environ",
    "shadow",
];

/// Paths of the system that hold secrets, in lower case.
const SECRET_PLACES: [&[&str]; 9] = [
    &["etc", "passwd"],
    &["etc", "shadow"],
    &["etc", "gshadow"],
    &["etc", "sudoers"],
    &["etc", "sudoers.d"],
    &["etc", "ssl", "private"],
    &["proc", "kcore"],
    &["run", "secrets"],
    &[".git", "config"],
];

/// The devices that can be read without harm.
const HARMLESS_DEVICES: [&str; 5] = ["null", "zero", "random", "urandom", "stdin"];
