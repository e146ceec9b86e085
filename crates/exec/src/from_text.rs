//! Tool outputs from plain text, for tools that have nothing to say to a person.

use crate::tool::ToolOutput;

impl From<String> for ToolOutput {
    /// Returns an output whose summary is the beginning of its first line.
    fn from(content: String) -> Self {
        let summary = match content.lines().next() {
            Some(line) => line.chars().take(MAX_SUMMARY).collect(),
            None => String::new(),
        };
        Self::new(summary, content)
    }
}

impl From<&str> for ToolOutput {
    /// Returns an output whose summary is the beginning of its first line.
    fn from(content: &str) -> Self {
        content.to_owned().into()
    }
}

/// The longest summary, in characters.
const MAX_SUMMARY: usize = 60;

#[cfg(test)]
mod tests {
    use super::ToolOutput;

    #[test]
    fn the_summary_is_the_beginning_of_the_first_line() {
        for (content, summary) in
            [("", ""), ("one", "one"), ("one\ntwo", "one"), (&*"é".repeat(61), &*"é".repeat(60))]
        {
            assert_eq!(ToolOutput::from(content), ToolOutput::new(summary, content));
        }
    }
}
