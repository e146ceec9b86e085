//! Arguments that clap rejects, as one line with a correction.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::failure::Failure;
use crate::help;
use crate::moved;

/// Returns the failure for wrong arguments.
pub(crate) fn mistyped(typed: &[OsString], error: &clap::Error) -> Failure {
    let known = help::command();
    let named = named(&known, typed);
    let command = named.first().copied();
    let help = named.iter().map(|word| format!("{word} ")).collect::<String>();
    let incomplete = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if let (true, Some(command)) = (incomplete, command) {
        return Failure::given(format!(
            "silcrow {command} needs a command; see silcrow {command} --help"
        ));
    }
    if incomplete {
        return Failure::given(
            "no command given; try silcrow run \"What is here?\", or silcrow --help",
        );
    }
    let rendered = error.render().to_string();
    let lines = rendered.lines().take_while(|line| !line.is_empty()).map(str::trim);
    let what = lines.collect::<Vec<_>>().join(" ");
    let what = what.strip_prefix("error: ").unwrap_or(&what);
    let hint = suggestion(error).or_else(|| quotes(command, error)).unwrap_or_default();
    Failure::given(format!("{what}{hint}; see silcrow {help}--help"))
}

/// Returns the typed command, with the one below it that is typed if it is a group of commands.
fn named<'a>(known: &Command, typed: &'a [OsString]) -> Vec<&'a str> {
    let mut named = Vec::new();
    let mut words = typed.iter().skip(1).map_while(|word| word.to_str());
    let Some((group, word)) =
        words.next().and_then(|word| Some((known.find_subcommand(word)?, word)))
    else {
        return named;
    };
    named.push(word);
    if moved::GROUPS.iter().any(|(name, _)| *name == word) {
        named.extend(words.next().filter(|word| group.find_subcommand(word).is_some()));
    }
    named
}

/// Returns the names that clap suggests.
fn suggestion(error: &clap::Error) -> Option<String> {
    let kinds =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let meant = kinds.into_iter().find_map(|kind| match error.get(kind)? {
        ContextValue::String(name) => Some(name.clone()),
        // The last one is the nearest.
        ContextValue::Strings(names) => names.last().cloned(),
        _ => None,
    })?;
    Some(format!(" (did you mean `{meant}`?)"))
}

/// Returns the hint for a prompt whose words were read as several arguments.
fn quotes(command: Option<&str>, error: &clap::Error) -> Option<String> {
    let is_prompt = command == Some("run") && error.kind() == ErrorKind::UnknownArgument;
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    (is_prompt && !word.starts_with('-'))
        .then(|| " (a prompt of several words needs quotes)".to_owned())
}
