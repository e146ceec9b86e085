//! The words of a command that form its prefix, by `command_prefixes.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::script::{ShellWord, SimpleCommand};

/// Returns the words that are the command, if it is known which ones they are.
pub(crate) fn prefix(command: &SimpleCommand) -> Option<Vec<&str>> {
    let words: Vec<_> = command.words.iter().map_while(plain).take(MOST).collect();
    let first = words.first()?;
    let lists = TABLE.get(*first)?.iter();
    let longest = lists.filter(|list| is_prefix(list, &words)).map(Vec::len).max()?;
    Some(words[..longest].to_vec())
}

/// Returns a literal word that a person reads at a glance.
fn plain(word: &ShellWord) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@+".contains(&byte);
    let is_fixed = !word.is_dynamic && word.glob.is_none() && !word.text.is_empty();
    (is_fixed && word.text.bytes().all(is_plain)).then_some(&*word.text)
}

fn is_prefix(list: &[String], words: &[&str]) -> bool {
    let is_own =
        |(own, word): (&String, &&str)| own == word || own == "*" && !word.starts_with('-');
    list.len() <= words.len() && list.iter().zip(words).all(is_own)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrefixList {
    prefixes: Vec<String>,
}

/// The lists of words, by their first one.
static TABLE: LazyLock<BTreeMap<String, Vec<Vec<String>>>> = LazyLock::new(|| {
    let list = toml::from_str(TEXT).unwrap_or(PrefixList { prefixes: Vec::new() });
    let mut table: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for prefix in list.prefixes {
        let words: Vec<_> = prefix.split(' ').map(str::to_owned).collect();
        table.entry(words[0].clone()).or_default().push(words);
    }
    table
});

const TEXT: &str = include_str!("command_prefixes.toml");

/// The number of words of the longest prefix.
const MOST: usize = 4;

#[test]
fn table_can_be_read() {
    let list: Result<PrefixList, _> = toml::from_str(TEXT);
    let list = list.unwrap().prefixes;
    assert!(list.len() > 100);
    assert!(
        list.iter().all(|prefix| prefix.split(' ').count() <= MOST && !prefix.starts_with('*'))
    );
}
