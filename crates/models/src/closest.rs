//! The name of a model that a person may have meant.

use silcrow_tool::closest_names;

/// Returns the nearest name to one that names no model.
pub(crate) fn closest(name: &str) -> Option<String> {
    if let Some((prefix, model)) = name.split_once(':') {
        let known = closest_names(prefix, PREFIXES).first().copied()?;
        let shape = if model.is_empty() { "MODEL" } else { model };
        return Some(format!("{known}:{shape}"));
    }
    if let Some((vendor, _)) = FAMILIES.iter().find(|(_, family)| name.starts_with(family)) {
        return Some(format!("{vendor}:{name}"));
    }
    closest_names(name, ["rehearsal"]).first().map(|name| (*name).to_owned())
}

/// The prefixes of models' names.
const PREFIXES: [&str; 11] = [
    "anthropic",
    "azure",
    "gemini",
    "gemini-interactions",
    "gemini-live",
    "openai",
    "openai-realtime",
    "openai-responses",
    "compatible",
    "script",
    "replay",
];

/// The vendors, each with the prefixes of its models.
const FAMILIES: [(&str, &str); 4] =
    [("anthropic", "claude"), ("openai", "gpt"), ("openai", "o4-"), ("gemini", "gemini-")];
