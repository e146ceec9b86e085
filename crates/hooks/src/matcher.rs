//! The tools that a hook is about.

use crate::shared_names::names;

/// The tools that a hook is about: names with `|` between them, in which `*` and `.*` stand for any characters.
/// An empty one is about all.
///
/// ```
/// use silcrow_hooks::HookMatcher;
///
/// let edits = HookMatcher::new("Edit|Write");
/// assert!(edits.fits("file_edit") && edits.fits("file_write") && !edits.fits("file_read"));
/// assert!(HookMatcher::new("mcp__github__.*").fits("github.create_issue"));
/// assert!(HookMatcher::new("").fits("shell") && HookMatcher::new("*").fits("shell"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookMatcher(String);

impl HookMatcher {
    /// Takes a matcher as it is written.
    pub fn new(written: impl Into<String>) -> Self {
        Self(written.into())
    }

    /// Returns the matcher as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether a tool matches, by one of its names.
    pub fn fits(&self, tool: &str) -> bool {
        if self.0.trim().is_empty() {
            return true;
        }
        let names = names(tool);
        self.0.split('|').any(|pattern| {
            let pattern = pattern.trim().trim_start_matches('^').trim_end_matches('$');
            let parts: Vec<_> = pattern.replace(".*", "*").split('*').map(str::to_owned).collect();
            names.iter().any(|name| has_parts(name, &parts))
        })
    }
}

/// Returns whether a name consists of these parts, with anything between two of them.
fn has_parts(name: &str, parts: &[String]) -> bool {
    let [first, rest @ ..] = parts else { return false };
    let Some(mut left) = name.strip_prefix(&**first) else { return false };
    let Some((last, middle)) = rest.split_last() else { return left.is_empty() };
    for part in middle {
        let Some(at) = left.find(&**part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(&**last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_anchored_at_both_ends() {
        for (pattern, tool, fits) in [
            ("Bash", "shell", true),
            ("shell", "shell", true),
            ("Bas", "shell", false),
            ("ash", "shell", false),
            ("^Bash$", "shell", true),
            ("Read | Grep", "file_search", true),
            ("file_*", "file_edit", true),
            ("*_edit", "file_edit", true),
            ("f*e*t", "file_edit", true),
            ("f*x*t", "file_edit", false),
            ("mcp__.*__write.*", "docs.write_page", true),
            ("mcp__.*", "shell", false),
        ] {
            assert_eq!(HookMatcher::new(pattern).fits(tool), fits, "{pattern} {tool}");
        }
    }
}
