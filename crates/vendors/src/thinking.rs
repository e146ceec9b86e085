//! Models that are silent while they think.

use crate::http::Timeouts;

impl Timeouts {
    /// Returns the default limits for a model of this name.
    ///
    /// A model that is known to think before it writes, and whose server may send nothing meanwhile,
    /// has as much time for the first delta as one whose server shows signs of life.
    pub fn for_model(name: &str) -> Self {
        let usual = Self::default();
        let first = if thinks(name) { usual.alive } else { usual.first };
        Self { first, ..usual }
    }
}

/// Returns whether a model thinks silently, judging by its name.
fn thinks(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // Gateways put the maker in front: `openai/o3`, `models/gemini-3-pro`.
    let name = name.rsplit(['/', ':', '#']).next().unwrap_or_default();
    let is_numbered = |prefix: &str| {
        let number = name.strip_prefix(prefix).unwrap_or_default();
        number.starts_with(|char: char| char.is_ascii_digit())
    };
    is_numbered("o")
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || WORDS.iter().any(|word| name.contains(word))
}

/// Prefixes of the names of models that think.
const FAMILIES: [&str; 8] =
    ["deepseek-r", "gemini-2.5-pro", "gemini-3", "gpt-5", "gpt-6", "grok-4", "magistral", "qwq"];

/// Words in the names of other models that think.
const WORDS: [&str; 3] = ["reason", "think", "deep-research"];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Timeouts;

    #[test]
    fn models_that_think_have_longer_for_the_first_piece() {
        for (name, seconds) in [
            ("o3", 600),
            ("openai/o4-mini", 600),
            ("gpt-5.2", 600),
            ("models/gemini-2.5-pro", 600),
            ("deepseek-reasoner", 600),
            ("Kimi-K2-Thinking", 600),
            ("gpt-4.1", 60),
            ("olmo-2", 60),
            ("claude-opus-4-6", 60),
            ("gemini-2.5-flash", 60),
            ("", 60),
        ] {
            assert_eq!(Timeouts::for_model(name).first, Duration::from_secs(seconds), "{name}");
        }
    }
}
