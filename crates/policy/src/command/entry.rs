//! An entry of the list of harmless commands, as `harmless.toml` has it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The harmless uses of a command.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HarmlessCommand {
    pub(super) options: HarmlessOptions,
    pub(super) long: bool,
    pub(super) needs: Vec<String>,
    pub(super) max_operands: Option<usize>,
    pub(super) operands: Vec<String>,
    pub(super) script: Option<String>,
    pub(super) avoids: Vec<String>,
    /// Whether the command shows the contents of the files that it names.
    pub(crate) reads: bool,
    /// Whether the effect of the command depends on settings in the current folder.
    pub(crate) settings: bool,
    pub(super) subcommands: BTreeMap<String, Self>,
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

/// The number of characters of a word in a message.
const MAX_SHOWN: usize = 40;
