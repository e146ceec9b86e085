//! The lines between `---` at the beginning of a Markdown file: a name and a value each.
//!
//! Values are texts, quoted or over several lines if needed, and lists. Nested values are left out.

/// A text with its front matter.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter<'t> {
    fields: Vec<(&'t str, String)>,
    /// The text after it.
    pub(crate) body: &'t str,
}

impl<'t> FrontMatter<'t> {
    /// Reads a text. A text without front matter has no fields.
    pub(crate) fn read(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let none = Self { fields: Vec::new(), body: text };
        let Some((first, mut rest)) = text.split_once('\n') else { return none };
        if first.trim_end() != FENCE {
            return none;
        }
        let mut fields: Vec<(&str, String)> = Vec::new();
        loop {
            let Some((line, after)) =
                rest.split_once('\n').or_else(|| (!rest.is_empty()).then_some((rest, "")))
            else {
                return none;
            };
            rest = after;
            let line = line.trim_end();
            if line == FENCE {
                break;
            }
            let is_inner = line.starts_with([' ', '\t', '-']);
            match line.split_once(':') {
                Some((name, value)) if !is_inner && !line.starts_with('#') => {
                    fields.push((name.trim(), unquoted(value.trim()).to_owned()));
                }
                _ => {
                    if let Some((_, value)) = fields.last_mut().filter(|_| is_inner) {
                        join(value, line.trim());
                    }
                }
            }
        }
        Self { fields, body: rest.trim_start_matches(['\r', '\n']) }
    }

    /// Returns the value of a name, unless it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(own, _)| *own == name);
        found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }
}

/// Adds a further line to a value: of a text that has several, or an item of a list.
fn join(value: &mut String, line: &str) {
    if matches!(&**value, ">" | "|" | ">-" | "|-" | ">+" | "|+") {
        value.clear();
    }
    let item = line.strip_prefix("- ").map(str::trim);
    if !value.is_empty() {
        value.push_str(if item.is_some() { ", " } else { " " });
    }
    value.push_str(unquoted(item.unwrap_or(line)));
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

/// The line before and after front matter.
const FENCE: &str = "---";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_texts_and_lists() {
        let text = "---\r\nname: \"a-b\"\ndescription: Use it: always,\n  also on Mondays\n# a remark\n\
                    long: >\n  one\n  two\ntools:\n  - Read\n  - 'Bash(git:*)'\nempty:\n---\n\nThe body\n";
        let read = FrontMatter::read(text);
        assert_eq!(read.get("name"), Some("a-b"));
        assert_eq!(read.get("description"), Some("Use it: always, also on Mondays"));
        assert_eq!(read.get("long"), Some("one two"));
        assert_eq!(read.get("tools"), Some("Read, Bash(git:*)"));
        assert_eq!(read.get("empty"), None);
        assert_eq!(read.body, "The body\n");
    }

    #[test]
    fn a_text_without_front_matter_is_all_body() {
        for text in ["", "# Title\n---\n", "---\nname: never ends\n", "--- \nx", "text"] {
            let read = FrontMatter::read(text);
            assert_eq!((read.body, read.fields.len()), (text, 0), "{text:?}");
        }
        assert_eq!(FrontMatter::read("---\nname: x\n---").get("name"), Some("x"));
    }
}
