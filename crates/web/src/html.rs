//! From HTML to readable Markdown.
//!
//! A page passes five steps: `tokens` finds tags and text, `tree` makes nodes of them with a
//! bounded depth, `visible` leaves out nodes that a person does not see, `readable` chooses the
//! main text, and `clean` writes that as small and well-formed HTML, which `markdown` converts. The
//! converter recurses and takes more than linear time on nested and on unclosed tags, so it never
//! sees a page as it is.

mod appearance;
mod clean;
mod concealed;
mod css;
mod entities;
mod hidden;
mod markdown;
pub(crate) mod pick;
mod readable;
mod tables;
#[cfg(test)]
mod tests;
mod tokens;
mod tree;
mod visible;

use crate::web_url::WebUrl;

/// A page as a model reads it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReadablePage {
    /// The title, on one line.
    pub(crate) title: Option<String>,
    /// The text as Markdown.
    pub(crate) markdown: String,
    /// The parts that were left out, one sentence each.
    pub(crate) omissions: Vec<String>,
}

/// Converts a page to Markdown, with absolute links. Returns the main text, or all of it if `whole`.
pub(crate) fn to_markdown(html: &str, base: &WebUrl, whole: bool) -> ReadablePage {
    let tree = tree::HtmlTree::parse(html);
    let mut omissions = Vec::new();
    if tree.is_cut {
        omissions.push(format!("the page has more than {} elements and texts", tree::MAX_NODES));
    }
    if tree.is_deep {
        let depth = tree::MAX_DEPTH;
        omissions.push(format!("tags that are nested more than {depth} deep are ignored"));
    }
    let visible = visible::find(&tree);
    let selection = readable::select(&tree, visible.is_visible, whole);
    omissions.extend(selection.omission());
    omissions.extend(visible.omissions);
    let cleaned = clean::write(&tree, &selection, base);
    if cleaned.is_cut {
        omissions.push(format!("the text is longer than {} bytes", clean::MAX_BYTES));
    }
    let title = tree.title().map(|title| entities::decode(&title));
    ReadablePage { title, markdown: markdown::convert(&cleaned.html), omissions }
}
