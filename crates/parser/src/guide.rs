//! The guides: prompts that teach a dialect.

use std::borrow::Cow;

use crate::Dialect;

/// Returns a prompt that teaches a model a dialect: the shape of a turn, its delimiters, when to
/// stop and wait, the escape rule (P-3), the fence rule (P-34), and examples.
///
/// In it, a paragraph that begins with the line `You write:` is an example of wire text, and one
/// that begins with `You receive:` is a message with results.
///
/// ```
/// use silcrow_parser::{Dialect, guide};
///
/// let prompt = format!("You are a helpful agent.\n\n{}", guide(Dialect::Sigil));
/// assert!(prompt.contains("§call: "));
/// ```
pub fn guide(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sigil => include_str!("guide/sigil.md"),
        Dialect::Phase => include_str!("guide/phase.md"),
        Dialect::Action => include_str!("guide/action.md"),
    }
}

/// Returns the [`guide`] for a model with other tools: each tool of the examples that `is_offered`
/// denies has the name of a placeholder, and a line says so.
///
/// ```
/// use silcrow_parser::{Dialect, guide, guide_with_tools};
///
/// let files = guide_with_tools(Dialect::Sigil, &|name| name.starts_with("file_"));
/// assert_eq!(files, guide(Dialect::Sigil));
/// let others = guide_with_tools(Dialect::Sigil, &|name| name == "weather");
/// assert!(others.contains("TOOL_A") && !others.contains("file_read"));
/// ```
pub fn guide_with_tools(dialect: Dialect, is_offered: &dyn Fn(&str) -> bool) -> Cow<'static, str> {
    let guide = guide(dialect);
    let is_missing = |(name, _): &&(&str, &str)| !is_offered(name) && guide.contains(name);
    let missing: Vec<_> = EXAMPLE_TOOLS.iter().filter(is_missing).collect();
    if missing.is_empty() {
        return Cow::Borrowed(guide);
    }
    let mut text = guide.to_owned();
    for (name, placeholder) in &missing {
        text = text.replace(name, placeholder);
    }
    let placeholders: Vec<_> = missing.iter().map(|(_, name)| format!("`{name}`")).collect();
    let note = format!(
        "In these examples {} for a tool.",
        match &placeholders[..] {
            [one] => format!("{one} stands"),
            several => format!("each of {} stands", several.join(" and ")),
        }
    );
    Cow::Owned(text.replacen(EXAMPLES, &format!("{EXAMPLES}{note}\n\n"), 1))
}

/// The heading of the examples.
const EXAMPLES: &str = "## Examples\n\n";

/// The tools of the examples, each with a name that no tool has.
const EXAMPLE_TOOLS: [(&str, &str); 2] = [("file_read", "TOOL_A"), ("file_write", "TOOL_B")];

/// Returns the prompt that teaches a model the control blocks of the dialect
/// [`Action`](Dialect::Action) (P-29 to P-31). It follows the [`guide`], which does not mention them:
/// a model without tools has no use for it, and it takes about 200 tokens.
///
/// ```
/// use silcrow_parser::{Dialect, block_guide, guide};
///
/// let prompt = format!("{}\n{}", guide(Dialect::Action), block_guide());
/// assert!(prompt.contains("<parallel"));
/// ```
pub fn block_guide() -> &'static str {
    include_str!("guide/action_blocks.md")
}

/// Returns a prompt of a few lines that names the delimiters of a dialect and says when to stop and
/// wait. It suits a model with a small window, or one that sees examples of the dialect anyway.
///
/// ```
/// use silcrow_parser::{Dialect, brief_guide, guide};
///
/// let brief = brief_guide(Dialect::Phase);
/// assert!(brief.contains("<execute>") && brief.len() < guide(Dialect::Phase).len() / 2);
/// ```
pub fn brief_guide(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sigil => include_str!("guide/sigil_brief.md"),
        Dialect::Phase => include_str!("guide/phase_brief.md"),
        Dialect::Action => include_str!("guide/action_brief.md"),
    }
}
