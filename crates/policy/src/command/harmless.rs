//! Whether a command is harmless by the list in `harmless.toml`.
//!
//! This module has the list and looks a command up in it. `options` compares the words with an
//! entry.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::entry::{HarmlessCommand, shortened};
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
    let entry = LIST
        .get(name)
        .ok_or_else(|| format!("`{}` is not on the list of harmless commands", shortened(name)))?;
    options::check(name, entry, args).map(|()| entry)
}

/// The list. If it could not be read, it would be empty, and every command would be asked about.
static LIST: LazyLock<BTreeMap<String, HarmlessCommand>> =
    LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

const TEXT: &str = include_str!("harmless.toml");

/// The folders whose commands can be trusted to be what their names say.
const SYSTEM_PATHS: [&str; 2] = ["/usr/bin/", "/bin/"];

#[test]
fn the_list_can_be_read() {
    let list: Result<BTreeMap<String, HarmlessCommand>, _> = toml::from_str(TEXT);
    assert!(list.unwrap().len() > 80);
}
