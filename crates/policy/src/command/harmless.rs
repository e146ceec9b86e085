//! Whether a command is harmless by the list in `harmless.toml`.
//!
//! This module knows the list and looks a command up in it. `options` compares the words with an
//! entry.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::options;
use super::script::SimpleCommand;

/// Returns the entry of a command whose words are all harmless, or why they are not.
pub(crate) fn find(command: &SimpleCommand) -> Result<&'static HarmlessCommand, String> {
    let Some((first, args)) = command.words.split_first() else {
        return Err("it has no command".to_owned());
    };
    if first.glob.is_some() {
        return Err("the name of its command is a pattern".to_owned());
    }
    let name = SYSTEM_PATHS.iter().find_map(|path| first.text.strip_prefix(path));
    let name = name.unwrap_or(&first.text);
    let entry = LIST.get(name).ok_or_else(|| {
        format!("`{}` is not on the list of harmless commands", shortened(name))
    })?;
    options::check(name, entry, args).map(|()| entry)
}

/// What is harmless of a command.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HarmlessCommand {
    pub(super) options: HarmlessOptions,
    pub(super) long: bool,
    pub(super) needs: Vec<String>,
    pub(super) max_operands: Option<usize>,
    pub(super) operands: Vec<String>,
    pub(super) script: Option<String>,
    /// Whether the command shows the contents of the files that it names.
    pub(crate) reads: bool,
    /// Whether what the command does depends on settings in the current folder.
    pub(crate) settings: bool,
    pub(super) subcommands: BTreeMap<String, HarmlessCommand>,
}

impl HarmlessCommand {
    /// Returns whether not every operand is harmless.
    pub(super) const fn limits_operands(&self) -> bool {
        self.max_operands.is_some() || !self.operands.is_empty() || self.script.is_some()
    }
}

/// The options of a command that are harmless.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum HarmlessOptions {
    Listed(Vec<String>),
    Any(AnyOption),
}

impl Default for HarmlessOptions {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

/// The word `any` in place of a list of options.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AnyOption {
    Any,
}

/// Returns a word as a message shows it.
pub(super) fn shortened(word: &str) -> String {
    let shown: String = word.chars().take(MAX_SHOWN).collect();
    if shown.len() == word.len() { shown } else { shown + "…" }
}

/// The list. If it could not be read, it would be empty, and every command would be asked about.
static LIST: LazyLock<BTreeMap<String, HarmlessCommand>> =
    LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

const TEXT: &str = include_str!("harmless.toml");

/// The folders in which a command is the one that its name says.
const SYSTEM_PATHS: [&str; 2] = ["/usr/bin/", "/bin/"];

/// The number of characters of a word in a message.
const MAX_SHOWN: usize = 40;

#[test]
fn the_list_can_be_read() {
    let list: Result<BTreeMap<String, HarmlessCommand>, _> = toml::from_str(TEXT);
    assert!(list.unwrap().len() > 80);
}
