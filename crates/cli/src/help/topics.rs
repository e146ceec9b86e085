//! The topics of `silcrow help`: texts that apply to many commands, or that are too long for a list
//! of flags.
//!
//! Their pages are in the folder `help` of the crate, in a part of Markdown: headings, paragraphs,
//! lists of names, and fences.

use super::page::HelpBlock;

/// A page of help that belongs to no single command.
#[derive(Debug)]
pub(super) struct HelpTopic {
    pub(super) name: &'static str,
    /// The description in the list of topics.
    pub(super) about: &'static str,
    /// The page without its first line.
    text: &'static str,
}

/// Returns the topics in the order in which they are listed.
pub(super) fn topics() -> impl Iterator<Item = HelpTopic> {
    PAGES.iter().filter_map(|page| {
        let (title, text) = page.split_once('\n')?;
        let (name, about) = title.strip_prefix("# ")?.split_once(": ")?;
        Some(HelpTopic { name, about, text })
    })
}

impl HelpTopic {
    /// Returns the blocks of the page.
    pub(super) fn blocks(&self) -> Vec<HelpBlock> {
        let mut blocks = Vec::new();
        let mut rest = self.text.trim_start();
        while !rest.is_empty() {
            let (block, after) = match rest.strip_prefix(FENCE) {
                Some(inside) => {
                    let (lines, after) = inside.split_once("\n```").unwrap_or((inside, ""));
                    (HelpBlock::Lines(lines), after)
                }
                None => {
                    let (text, after) = rest.split_once("\n\n").unwrap_or((rest, ""));
                    (block(text), after)
                }
            };
            blocks.push(block);
            rest = after.trim_start();
        }
        blocks
    }
}

fn block(text: &'static str) -> HelpBlock {
    if let Some(heading) = text.strip_prefix("## ") {
        return HelpBlock::Heading(heading);
    }
    let entries = text.lines().map(|line| line.strip_prefix("- `")?.split_once("`: "));
    entries.collect::<Option<_>>().map_or(HelpBlock::Text(text), HelpBlock::List)
}

/// The beginning of lines that are shown as they are.
const FENCE: &str = "```text\n";

const PAGES: [&str; 11] = [
    include_str!("../../help/models.md"),
    include_str!("../../help/environment.md"),
    include_str!("../../help/exit-codes.md"),
    include_str!("../../help/permissions.md"),
    include_str!("../../help/mcp.md"),
    include_str!("../../help/conversations.md"),
    include_str!("../../help/dialects.md"),
    include_str!("../../help/limits.md"),
    include_str!("../../help/web.md"),
    include_str!("../../help/skills.md"),
    include_str!("../../help/hooks.md"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_made_of_blocks() {
        assert_eq!(topics().count(), PAGES.len());
        for topic in topics() {
            let blocks = topic.blocks();
            assert!(!blocks.is_empty(), "{topic:?}");
            for block in blocks {
                let HelpBlock::Text(text) = block else { continue };
                assert!(!text.contains("- `") && !text.contains("```"), "{}: {text}", topic.name);
            }
        }
    }
}
