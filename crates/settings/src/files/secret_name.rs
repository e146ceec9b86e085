//! The variables of the environment for keys that a person tries to write into a file.

/// Returns the variable for the key that a name seems to stand for, if it stands for one.
pub(crate) fn variable_of_secret(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let last = name.rsplit(['.', '_', '-']).next().unwrap_or_default();
    if !SECRET_WORDS.contains(&last) && !name.contains("apikey") {
        return None;
    }
    Some(variable_for(&name))
}

/// Returns the variable for the key of the vendor that a text names or that begins as its keys do.
pub(crate) fn variable_for(text: &str) -> &'static str {
    let vendors = [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("sk-ant-", "ANTHROPIC_API_KEY"),
        ("azure", "AZURE_OPENAI_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
        ("google", "GEMINI_API_KEY"),
        ("AIza", "GEMINI_API_KEY"),
        ("brave", "BRAVE_API_KEY"),
        ("openai", "OPENAI_API_KEY"),
        ("sk-", "OPENAI_API_KEY"),
    ];
    let found = vendors.iter().find(|(part, _)| text.contains(part));
    found.map_or("SILCROW_COMPATIBLE_KEY", |(_, variable)| variable)
}

/// The last words of the names of keys.
const SECRET_WORDS: [&str; 6] = ["key", "keys", "token", "secret", "password", "apikey"];
