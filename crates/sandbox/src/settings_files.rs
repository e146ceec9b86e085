//! Settings in the home folder that commands need, and that may hold a token.
//!
//! A file without a token is read as it is. With one it is hidden, and git gets a copy of the
//! settings that it needs without a network, such as the name of the person.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The settings of a home folder, looked through for tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingsFiles {
    /// The files that hold a token.
    pub(crate) hidden: Vec<PathBuf>,
    /// A copy of git's settings without tokens, if the person's settings contain one.
    pub(crate) git: Option<String>,
}

impl SettingsFiles {
    /// Looks through the settings of the user.
    pub(crate) fn of_user() -> Self {
        let home = env::home_dir();
        let cargo = env::var_os("CARGO_HOME").map(PathBuf::from);
        let global = env::var_os("GIT_CONFIG_GLOBAL").map(PathBuf::from);
        home.map(|home| Self::in_home(&home, cargo.as_deref(), global)).unwrap_or_default()
    }

    /// `global` is the file that git reads instead of its files in the home folder.
    fn in_home(home: &Path, cargo: Option<&Path>, global: Option<PathBuf>) -> Self {
        let git_folder = home.join(".config/git");
        let own = home.join(".gitconfig");
        let in_folder = fs::read_dir(&git_folder).into_iter().flatten().take(MOST_FILES);
        let in_folder = in_folder.filter_map(|entry| Some(entry.ok()?.path()));
        let git: Vec<_> = in_folder
            .chain([own.clone()])
            .chain(global.clone())
            .filter(|path| holds_token(path))
            .collect();
        let cargo = [Some(home.join(".cargo")), cargo.map(Path::to_owned)].into_iter().flatten();
        let cargo =
            cargo.flat_map(|folder| ["config", "config.toml"].map(|name| folder.join(name)));
        let hidden = cargo.filter(|path| holds_token(path)).chain(git.iter().cloned()).collect();
        let read = global.map_or_else(|| vec![git_folder.join("config"), own], |path| vec![path]);
        let texts: Vec<_> = read.iter().map(|path| text(path).unwrap_or_default()).collect();
        let copy = texts.iter().map(|text| without_tokens(text)).collect();
        Self { hidden, git: (!git.is_empty()).then_some(copy) }
    }
}

/// Returns the text of a file that is not too long. A longer one counts as one that holds a token.
fn text(path: &Path) -> Option<String> {
    let is_short = fs::metadata(path).is_ok_and(|at| at.is_file() && at.len() <= LONGEST);
    let bytes = if is_short { fs::read(path).ok()? } else { return None };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn holds_token(path: &Path) -> bool {
    path.is_file() && text(path).is_none_or(|text| text.lines().any(has_token))
}

/// Returns the lines of settings of git that it needs without a network, except for those that hold a
/// token.
fn without_tokens(settings: &str) -> String {
    let (mut kept, mut is_kept) = (String::new(), false);
    for line in settings.lines() {
        if let Some(section) = line.trim_start().strip_prefix('[') {
            let end = section.find(|char: char| !char.is_ascii_alphanumeric() && char != '-');
            let name = section[..end.unwrap_or(section.len())].to_lowercase();
            is_kept = SECTIONS.contains(&&*name);
        }
        if is_kept && !has_token(line) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Returns whether a line sets something with a secret's name, or has an address with a secret.
fn has_token(line: &str) -> bool {
    let line = line.to_lowercase();
    let keys = line.match_indices('=').map(|(at, _)| {
        let before = line[..at].trim_end().trim_end_matches(['"', '\'']);
        let is_part = |char: char| char.is_alphanumeric() || "_-.".contains(char);
        before.rsplit(|char| !is_part(char)).next().unwrap_or_default()
    });
    let mut addresses = line.split("://").skip(1);
    let schemes = line.contains("http://") || line.contains("https://");
    keys.into_iter().any(|key| KEYS.iter().any(|word| key.contains(word)))
        || (schemes
            && addresses.any(|address| {
                let end = address.find(['/', '"', '\'', ' ', ']']).unwrap_or(address.len());
                address[..end].contains('@')
            }))
}

/// Words in the names of settings that hold a secret.
const KEYS: &[&str] =
    &["token", "passw", "smtppass", "secret", "extraheader", "apikey", "api-key", "api_key"];

/// The sections of the settings of git that are passed on.
const SECTIONS: &[&str] = &[
    "advice",
    "author",
    "branch",
    "color",
    "column",
    "commit",
    "committer",
    "core",
    "diff",
    "feature",
    "format",
    "i18n",
    "index",
    "init",
    "log",
    "merge",
    "pretty",
    "pull",
    "push",
    "rebase",
    "rerere",
    "safe",
    "status",
    "tag",
    "user",
];

/// The number of files in the folder of git's settings.
const MOST_FILES: usize = 100;

/// The length of the longest file that is read, in bytes.
const LONGEST: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_tokens_are_recognized() {
        for line in [
            "token = \"x\"",
            "[registries] x = { index = \"y\", token = \"x\" }",
            "\"secret-key\" = 'x'",
            "\textraHeader = Authorization: Basic x",
            "[url \"https://x-access-token:abc@github.com/\"]",
            "[url \"https://abc@github.com/\"]",
            "proxy = http://user:pw@proxy:80",
            "\tpassword=x",
        ] {
            assert!(has_token(line), "{line}");
        }
        for line in [
            "name = A Token",
            "email = a@b.c",
            "global-credential-providers = [\"cargo:token\"]",
            "[url \"ssh://git@github.com/\"]",
            "\tinsteadOf = https://github.com/",
            "helper = store",
            "[source.mirror]",
        ] {
            assert!(!has_token(line), "{line}");
        }
    }

    #[test]
    fn git_keeps_the_name_of_the_person() {
        let home = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            fs::create_dir_all(home.path().join(path).parent().unwrap()).unwrap();
            fs::write(home.path().join(path), text).unwrap();
        };
        write(".gitconfig", "[user]\n\tname = Ada\n[core] editor = vi\n[http]\n\tx = y\n");
        write(".cargo/config.toml", "[build]\njobs = 1\n");
        let files = SettingsFiles::in_home(home.path(), None, None);
        assert_eq!((files.hidden.len(), files.git), (0, None));
        write(
            ".config/git/config",
            "[url \"https://abc@github.com/\"]\n\tinsteadOf = x\n[init] a = b\n",
        );
        write(".cargo/config.toml", "[registry]\ntoken = \"x\"\n");
        let files = SettingsFiles::in_home(home.path(), None, None);
        let hidden =
            [".cargo/config.toml", ".config/git/config"].map(|path| home.path().join(path));
        assert_eq!(files.hidden, hidden);
        let expected = "[init] a = b\n[user]\n\tname = Ada\n[core] editor = vi\n";
        assert_eq!(files.git.as_deref(), Some(expected));
    }
}
