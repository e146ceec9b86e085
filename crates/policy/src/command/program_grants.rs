//! The doors that usual commands need, as `program_grants.toml` has them.
//!
//! This module has the table and finds the entry of a command in it. `word_doors` reads the words.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::program_options::{OptionWidth, ProgramOptions};
use super::script::{ShellWord, SimpleCommand};

/// The access that a program or one of its subcommands needs.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProgramGrants {
    pub(super) git: bool,
    pub(super) hosts: Vec<String>,
    pub(super) remote: bool,
    pub(super) every: Vec<String>,
    pub(super) urls: bool,
    avoids: Vec<String>,
    only: Vec<String>,
    unless: Vec<String>,
    pub(super) sends: bool,
}

/// A command that is in the table.
pub(crate) struct ListedCommand<'a> {
    pub(super) entry: &'static ProgramGrants,
    /// The options of the program and of the subcommand.
    pub(super) options: [Option<&'static ProgramOptions>; 2],
    /// The words after the program.
    words: &'a [ShellWord],
    /// The number of these that lead to the subcommand.
    start: usize,
    /// The options that keep the words from showing the hosts.
    avoids: Vec<&'static str>,
}

impl<'a> ListedCommand<'a> {
    /// Returns the entry of a command, if its words show which one it is.
    pub(crate) fn find(command: &'a SimpleCommand) -> Option<Self> {
        let (name, words) = program(command)?;
        let options = ProgramOptions::find(name);
        let mut found = TABLE.get(name).map(|entry| (entry, 0, None));
        let mut key = name.to_owned();
        let mut at = usize::from(
            options.is_some_and(ProgramOptions::has_toolchain)
                && words.first().is_some_and(|word| word.text.starts_with('+')),
        );
        while let Some(word) = words.get(at) {
            if is_option(&word.text) {
                let own = ProgramOptions::find(&key).or(options);
                let after = words.get(at + 1).map(|word| &*word.text);
                match own.map_or(OptionWidth::Unknown, |own| own.width(&word.text, after)) {
                    OptionWidth::One => at += 1,
                    OptionWidth::Two => at += 2,
                    OptionWidth::Unknown | OptionWidth::Renames => break,
                }
                continue;
            }
            if word.is_dynamic || word.glob.is_some() {
                break;
            }
            key = format!("{key} {}", word.text);
            at += 1;
            let Some(first) = TABLE.range(key.clone()..).next() else { break };
            if *first.0 == key {
                found = Some((first.1, at, ProgramOptions::find(&key)));
            }
            if !first.0.starts_with(&key) {
                break;
            }
        }
        let (entry, start, own) = found?;
        let program = TABLE.get(name).into_iter().flat_map(|program| &program.avoids);
        let avoids = program.chain(&entry.avoids).map(String::as_str).collect();
        let listed = Self { entry, options: [options, own], words, start, avoids };
        listed.is_needed().then_some(listed)
    }

    /// Returns whether the words show which hosts the command connects to.
    pub(super) fn shows_hosts(&self) -> bool {
        !self.given().any(|word| self.avoids.iter().any(|avoided| self.is(word, avoided)))
    }

    /// Returns whether one of the words of the whole command is among these.
    pub(super) fn has_any(&self, wanted: &[String]) -> bool {
        self.words.iter().any(|word| wanted.contains(&word.text))
    }

    /// Returns the words after the subcommand, without options and their values. A word that may be
    /// the value of an unknown option is left out, and then the second part is false.
    pub(super) fn operands(&self) -> (Vec<&'a ShellWord>, bool) {
        let (mut operands, mut is_certain, mut at) = (Vec::new(), true, self.start);
        let mut is_over = false;
        while let Some(word) = self.words.get(at) {
            at += 1;
            if is_over || !is_option(&word.text) {
                operands.push(word);
            } else if word.text == "--" {
                is_over = true;
            } else {
                match self.width(&word.text, self.words.get(at)) {
                    OptionWidth::One => {}
                    OptionWidth::Two => at += 1,
                    OptionWidth::Unknown | OptionWidth::Renames => {
                        is_certain = false;
                        at += 1;
                    }
                }
            }
        }
        (operands, is_certain)
    }

    /// Returns the values of an option whose value is the next word, or joined to it.
    pub(super) fn values_of(&self, option: &str) -> impl Iterator<Item = &'a str> {
        let joined = format!("{option}=");
        let next = self.words.windows(2).filter(move |pair| pair[0].text == option);
        let next: Vec<_> = next.map(|pair| &*pair[1].text).collect();
        let joined = self.words.iter().filter_map(move |word| word.text.strip_prefix(&joined));
        next.into_iter().chain(joined)
    }

    fn width(&self, word: &str, after: Option<&ShellWord>) -> OptionWidth {
        let after = after.map(|word| &*word.text);
        let [program, own] = self.options;
        match own.map(|own| own.width(word, after)) {
            Some(width) if width != OptionWidth::Unknown => width,
            _ => program.map_or(OptionWidth::Unknown, |program| program.width(word, after)),
        }
    }

    /// Returns whether the command needs the access in its entry.
    fn is_needed(&self) -> bool {
        let first = self.words.get(self.start).map(|word| &*word.text);
        let has = |list: &[String]| {
            let options = || self.given().any(|word| list.iter().any(|own| own == word));
            first.is_some_and(|first| list.iter().any(|own| own == first)) || options()
        };
        (self.entry.only.is_empty() || has(&self.entry.only)) && !has(&self.entry.unless)
    }

    /// Returns the options of the whole command.
    fn given(&self) -> impl Iterator<Item = &'a str> {
        let words = self.words.iter().map(|word| &*word.text);
        words.take_while(|word| *word != "--").filter(|word| is_option(word))
    }

    /// Returns whether a word is an option, or may be: with a value, shortened, or joined with others.
    fn is(&self, word: &str, option: &str) -> bool {
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        let bare = name.trim_start_matches('-');
        if let Some(long) = option.strip_prefix("--") {
            return long == bare || bare.len() >= SHORTEST && long.starts_with(bare);
        }
        let letter = option.trim_start_matches('-');
        if word.starts_with("--") {
            return false;
        }
        if bare == letter {
            return true;
        }
        // Letters up to the first one that takes the rest as its value.
        let takes = |letter: &str| {
            let tables = self.options.iter().flatten();
            let word = format!("-{letter}");
            tables.into_iter().any(|own| own.width(&word, None) == OptionWidth::Two)
        };
        for own in word[1..].chars().map(String::from) {
            if own == letter {
                return true;
            }
            if takes(&own) {
                return false;
            }
        }
        false
    }
}

/// Returns the name of a program, and the words after it. The name is certain: a program of the same
/// name in another folder may be anything.
fn program(command: &SimpleCommand) -> Option<(&str, &[ShellWord])> {
    let (first, words) = command.words.split_first()?;
    if first.is_dynamic || first.glob.is_some() {
        return None;
    }
    let name = PLACES.iter().find_map(|place| first.text.strip_prefix(place));
    let name = name.unwrap_or(&first.text);
    // A module of Python is the program of its name.
    let version = name.strip_prefix("python").unwrap_or(name);
    if version.len() < name.len()
        && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        let at = words.iter().position(|word| !PYTHON_FLAGS.contains(&&*word.text))?;
        return match &words[at..] {
            [option, module, rest @ ..] if option.text == "-m" => Some((&module.text, rest)),
            _ => None,
        };
    }
    (!name.contains('/')).then_some((name, words))
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The table. If it could not be read, it would be empty, and no command would have any known
/// needs.
static TABLE: LazyLock<BTreeMap<String, ProgramGrants>> =
    LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

const TEXT: &str = include_str!("program_grants.toml");

/// The folders whose programs can be trusted to be what their names say.
const PLACES: [&str; 3] = ["/usr/local/bin/", "/usr/bin/", "/bin/"];

/// The options of Python that do not affect what runs.
const PYTHON_FLAGS: [&str; 6] = ["-u", "-B", "-I", "-E", "-s", "-q"];

/// The length of the shortest beginning of a long option that programs may read as the whole.
const SHORTEST: usize = 3;

#[test]
fn table_can_be_read() {
    let table: Result<BTreeMap<String, ProgramGrants>, _> = toml::from_str(TEXT);
    let table = table.unwrap();
    assert!(table.len() > 150);
    for (name, entry) in &table {
        for host in &entry.hosts {
            assert!(format!("network:{host}").parse::<silcrow_event::Grant>().is_ok(), "{name}");
        }
    }
}
