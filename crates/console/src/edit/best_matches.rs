//! Finding texts by some of their letters.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Returns the positions of the texts that have the letters of `typed` in this order, the best first. Texts
/// that fit as well keep their order. Nothing typed fits nothing.
///
/// ```
/// use silcrow_console::edit::best_matches;
///
/// let names = ["src/parser.rs", "docs/page.md", "src/main.rs"];
/// assert_eq!(best_matches("mrs", &names)[0], 2);
/// assert!(best_matches("xyz", &names).is_empty());
/// ```
pub fn best_matches(typed: &str, texts: &[impl AsRef<str>]) -> Vec<usize> {
    if typed.is_empty() {
        return Vec::new();
    }
    let pattern = Pattern::parse(typed, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut buffer = Vec::new();
    let scored = texts.iter().enumerate().filter_map(|(index, text)| {
        let score = pattern.score(Utf32Str::new(text.as_ref(), &mut buffer), &mut matcher)?;
        Some((index, score))
    });
    let mut scored: Vec<_> = scored.collect();
    scored.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(index, _)| index).collect()
}
