//! The options of programs, by `program_options.toml`: the number of words that each takes, and
//! synonyms.
//!
//! The module does not guess about options outside the table: the word after one may be its value
//! or not.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The options of a program, or of a subcommand.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProgramOptions {
    flags: Vec<String>,
    values: Vec<String>,
    joined: Vec<String>,
    optional: Vec<String>,
    toolchain: bool,
    long: bool,
    anywhere: bool,
    defines: Vec<String>,
    definitions: Vec<String>,
    same: Vec<Vec<String>>,
}

/// The number of words that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionWidth {
    /// Its own.
    One,
    /// Its own and the next.
    Two,
    /// It is unknown whether it takes the next word.
    Unknown,
    /// Whether or not it takes a word, it gives a subcommand another name.
    Renames,
}

impl ProgramOptions {
    /// Returns the options of a program, or of a subcommand as `docker compose`.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        TABLE.get(name)
    }

    /// Returns whether every operand may be one that a rule names.
    pub(crate) const fn has_many_subcommands(&self) -> bool {
        self.anywhere
    }

    /// Returns whether the first word may be a toolchain, such as `+nightly`.
    pub(crate) const fn has_toolchain(&self) -> bool {
        self.toolchain
    }

    /// Returns whether letters of options are not joined.
    pub(crate) const fn has_long_options(&self) -> bool {
        self.long
    }

    /// Returns the options that mean the same as one, with itself.
    pub(crate) fn same_as<'a>(&'a self, option: &'a str) -> impl Iterator<Item = &'a str> {
        let same = self.same.iter().filter(move |same| same.iter().any(|own| own == option));
        [option].into_iter().chain(same.flatten().map(String::as_str))
    }

    /// Returns the number of words that an option takes. `next` is the word after it.
    pub(crate) fn width(&self, word: &str, next: Option<&str>) -> OptionWidth {
        if self.renames(word, next) {
            return OptionWidth::Renames;
        }
        let (name, is_joined) = match word.split_once('=') {
            Some((name, _)) => (name, true),
            None => (word, false),
        };
        let has = |list: &[String], option: &str| list.iter().any(|known| known == option);
        if has(&self.values, name) || has(&self.optional, name) || has(&self.flags, name) {
            return match () {
                () if is_joined || has(&self.flags, name) => OptionWidth::One,
                () if has(&self.values, name) => OptionWidth::Two,
                () => OptionWidth::Unknown,
            };
        }
        if is_joined || has(&self.joined, name) {
            return OptionWidth::One;
        }
        if word.starts_with("--") {
            return OptionWidth::Unknown;
        }
        self.letters_width(&word[1..])
    }

    /// Returns the number of words that joined short options take.
    fn letters_width(&self, letters: &str) -> OptionWidth {
        let has = |list: &[String], letter: char| {
            list.iter()
                .any(|known| known.strip_prefix('-').is_some_and(|own| own.chars().eq([letter])))
        };
        for (at, letter) in letters.char_indices() {
            let is_last = at + letter.len_utf8() == letters.len();
            match (has(&self.values, letter), has(&self.optional, letter)) {
                (true, _) if is_last => return OptionWidth::Two,
                (_, true) if is_last => return OptionWidth::Unknown,
                (true, _) | (_, true) => return OptionWidth::One,
                _ if self.long || !has(&self.flags, letter) => return OptionWidth::Unknown,
                _ => {}
            }
        }
        OptionWidth::One
    }

    fn renames(&self, word: &str, next: Option<&str>) -> bool {
        let value = self.defines.iter().find_map(|option| match word.strip_prefix(&**option) {
            Some("") => next,
            Some(joined) => Some(joined.trim_start_matches('=')),
            None => None,
        });
        let is_definition = |value: &str| {
            let value = value.trim_start().to_ascii_lowercase();
            self.definitions.iter().any(|start| value.starts_with(&**start))
        };
        value.is_some_and(is_definition)
    }
}

/// The table. If it could not be read, it would be empty, and no option would be known.
static TABLE: LazyLock<BTreeMap<String, ProgramOptions>> =
    LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

const TEXT: &str = include_str!("program_options.toml");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_can_be_read() {
        let table: Result<BTreeMap<String, ProgramOptions>, _> = toml::from_str(TEXT);
        assert!(table.unwrap().len() > 60);
    }

    #[test]
    fn option_arity_matches_the_real_programs() {
        use OptionWidth::{One, Renames, Two, Unknown};
        for (program, option, expected) in [
            ("git", "-C", Two),
            ("git", "--no-pager", One),
            ("git", "--git-dir=.git", One),
            ("git", "--git-dir", Two),
            ("git", "--new-option", Unknown),
            ("git", "--new-option=x", One),
            ("make", "-Csub", One),
            ("make", "-kC", Two),
            ("make", "-kj", Unknown),
            ("make", "-kj4", One),
            ("kubectl", "-nprod", One),
            ("kubectl", "-v=3", One),
            ("terraform", "-chdir=x", One),
            ("terraform", "-new", Unknown),
            ("mvn", "-DskipTests", One),
            ("npm", "-ws", One),
            ("cargo", "-vv", One),
        ] {
            let options = ProgramOptions::find(program).unwrap();
            assert_eq!(options.width(option, Some("x")), expected, "{program} {option}");
        }
        let git = ProgramOptions::find("git").unwrap();
        assert_eq!(git.width("-c", Some("Alias.x=push")), Renames);
        assert_eq!(git.width("-c", Some("core.pager=x")), Two);
        assert_eq!(git.width("--config-env=alias.x=Y", None), Renames);
    }
}
