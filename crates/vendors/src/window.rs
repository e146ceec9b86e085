//! The windows of well-known models.
//!
//! The table has what vendors say of their own servers. A model on another server may have been
//! started with less, so nothing is said about those.

/// Returns the greatest number of tokens of a request and its answer together, if the vendor of the
/// model is known to have one for models of this name. The name is one as in
/// [`Model::new`](crate::Model::new)'s messages: `anthropic:claude-…`, with the vendor before the
/// colon.
///
/// ```
/// use silcrow_vendors::known_window;
///
/// assert_eq!(known_window("openai:gpt-4o-mini"), Some(128_000));
/// assert_eq!(known_window("compatible:http://localhost:8080/v1#gpt-4o"), None);
/// ```
pub fn known_window(name: &str) -> Option<u64> {
    let (vendor, model) = name.split_once(':')?;
    let vendor = vendor.split('-').next()?;
    let found = WINDOWS.iter().find(|(of, begin, _)| *of == vendor && model.starts_with(begin));
    found.map(|(_, _, window)| *window)
}

/// The vendor, the beginning of a model's name, and the window. A longer beginning is before those
/// that it begins with.
const WINDOWS: [(&str, &str, u64); 16] = [
    ("anthropic", "claude-", 200_000),
    ("gemini", "gemini-", 1_048_576),
    ("openai", "chatgpt-4o", 128_000),
    ("openai", "codex-mini", 200_000),
    ("openai", "gpt-3.5", 16_385),
    ("openai", "gpt-4-turbo", 128_000),
    ("openai", "gpt-4.1", 1_047_576),
    ("openai", "gpt-4.5", 128_000),
    ("openai", "gpt-4o", 128_000),
    ("openai", "gpt-4", 8192),
    ("openai", "gpt-5", 400_000),
    ("openai", "gpt-realtime", 32_000),
    ("openai", "o1", 200_000),
    ("openai", "o3", 200_000),
    ("openai", "o4", 200_000),
    ("openai", "gpt-oss", 131_072),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_name_is_found_before_a_shorter_one() {
        for (name, window) in [
            ("openai-responses:gpt-5.1-codex", Some(400_000)),
            ("openai:gpt-4-0613", Some(8192)),
            ("openai:gpt-4.1-mini", Some(1_047_576)),
            ("gemini-live:gemini-live-2.5-flash", Some(1_048_576)),
            ("anthropic:claude-opus-4-5", Some(200_000)),
            ("azure:gpt-4o", None),
            ("rehearsal", None),
        ] {
            assert_eq!(known_window(name), window, "{name}");
        }
        for (index, (vendor, begin, _)) in WINDOWS.iter().enumerate() {
            let before = WINDOWS[..index].iter();
            let mut hiding =
                before.filter(|(of, longer, _)| of == vendor && begin.starts_with(longer));
            assert_eq!(hiding.next(), None, "{begin}");
        }
    }
}
