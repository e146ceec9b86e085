//! The conversion of content into a tool's output, for tools without their own summary.

use silcrow_event::Content;

use crate::tool_output::ToolOutput;

impl<C: Into<Content>> From<C> for ToolOutput {
    /// Returns an output whose summary is the beginning of its first line.
    fn from(content: C) -> Self {
        let content = content.into();
        let summary = match content.text().lines().next() {
            Some(line) => line.chars().take(MAX_SUMMARY).collect(),
            None => String::new(),
        };
        Self::new(summary, content)
    }
}

/// The longest summary, in characters.
const MAX_SUMMARY: usize = 60;

#[cfg(test)]
mod tests {
    use super::ToolOutput;

    #[test]
    fn summary_begins_the_first_line() {
        for (content, summary) in
            [("", ""), ("one", "one"), ("one\ntwo", "one"), (&*"é".repeat(61), &*"é".repeat(60))]
        {
            assert_eq!(ToolOutput::from(content), ToolOutput::new(summary, content));
        }
    }
}
