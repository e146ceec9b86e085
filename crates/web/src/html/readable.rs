//! Finds the main text of a page.
//!
//! This module drops the parts around a text: navigation, headers, footers, forms. Then it searches
//! for the element that the page itself declares as its main one, or that has most text in
//! paragraphs. Another module writes the text.

use super::tree::{HtmlNodeKind, HtmlTree};

/// The part of a page that is read.
pub(super) struct Selection {
    /// The element that holds the text.
    pub(super) root: usize,
    /// Whether each node is read. Nodes below one that is not read are not read either.
    pub(super) is_kept: Vec<bool>,
    /// The length of the text that is left out although it is visible.
    omitted: usize,
}

impl Selection {
    /// Returns a remark about omitted parts, as a sentence.
    pub(super) fn omission(&self) -> Option<String> {
        let omitted = self.omitted;
        (omitted > 0).then(|| {
            format!(
                "about {omitted} bytes beside the main text, such as navigation, are left out; \
                 `whole` reads them"
            )
        })
    }
}

/// Selects the main text of a page, or everything that is visible. Invisible text is not read.
pub(super) fn select(tree: &HtmlTree<'_>, visible: Vec<bool>, whole: bool) -> Selection {
    let all = TextLengths::new(tree, &visible);
    if whole {
        return Selection { root: 0, is_kept: visible, omitted: 0 };
    }
    let is_kept = kept(tree, |node| visible[node] && !is_around(tree, node, &all));
    let lengths = TextLengths::new(tree, &is_kept);
    if lengths.text[0] == 0 {
        return Selection { root: 0, is_kept: visible, omitted: 0 };
    }
    let root = main(tree, &is_kept, &lengths);
    let omitted = all.text[0] - lengths.text[root];
    Selection { root, is_kept, omitted }
}

/// Returns which nodes fulfil a condition together with all nodes above them.
fn kept(tree: &HtmlTree<'_>, is_kept: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut kept = vec![true; tree.nodes.len()];
    for node in 1..tree.nodes.len() {
        kept[node] = kept[tree.nodes[node].parent] && is_kept(node);
    }
    kept
}

/// Returns whether an element surrounds the main text and is not part of it.
fn is_around(tree: &HtmlTree<'_>, node: usize, lengths: &TextLengths) -> bool {
    let Some(tag) = tree.element(node) else { return false };
    let is_half = lengths.text[node] * 2 > lengths.text[0];
    match &*tag.name {
        "nav" | "aside" | "footer" => true,
        // Some pages are one form.
        "form" => !is_half,
        // A header in an article has its title, unless it is a list of links.
        "header" => {
            let is_links = lengths.links[node] * 5 > lengths.text[node] * 4;
            !is_half && (is_links || !is_within(tree, node, &["article", "main"]))
        }
        _ => tag.attribute("role").is_some_and(|role| AROUND_ROLES.contains(&role)),
    }
}

fn is_within(tree: &HtmlTree<'_>, node: usize, names: &[&str]) -> bool {
    let parent = |&node: &usize| (node > 0).then(|| tree.nodes[node].parent);
    std::iter::successors(Some(node), parent).any(|node| names.contains(&tree.name(node)))
}

/// Returns the element that holds the main text.
fn main(tree: &HtmlTree<'_>, is_kept: &[bool], lengths: &TextLengths) -> usize {
    let all = lengths.text[0];
    let is_enough = |node: usize| lengths.text[node] >= ENOUGH || lengths.text[node] * 4 >= all;
    let kept = || (1..tree.nodes.len()).filter(|&node| is_kept[node]);
    let is_main = |&node: &usize| {
        let role = |tag: &super::tokens::StartTag<'_>| tag.attribute("role") == Some("main");
        tree.name(node) == "main" || tree.element(node).is_some_and(role)
    };
    if let Some(main) = kept().find(is_main).filter(|&node| is_enough(node)) {
        return main;
    }
    let mut articles = kept().filter(|&node| tree.name(node) == "article");
    if let (Some(article), None) = (articles.next(), articles.next())
        && is_enough(article)
    {
        return article;
    }
    let densest = kept().filter(|&node| lengths.paragraphs[node] > 0);
    let densest = densest.max_by_key(|&node| lengths.paragraphs[node]);
    densest.filter(|&node| lengths.text[node] * 5 >= all * 3).unwrap_or(0)
}

/// The lengths of texts in bytes, for each node with everything below it.
struct TextLengths {
    text: Vec<usize>,
    /// The length of the links in it.
    links: Vec<usize>,
    /// The length of the paragraphs right below an element, without links.
    paragraphs: Vec<usize>,
}

impl TextLengths {
    fn new(tree: &HtmlTree<'_>, is_kept: &[bool]) -> Self {
        let count = tree.nodes.len();
        let (mut text, mut links, mut paragraphs) =
            (vec![0; count], vec![0; count], vec![0; count]);
        // Children come after their parents.
        for node in (1..count).rev().filter(|&node| is_kept[node]) {
            let parent = tree.nodes[node].parent;
            match &tree.nodes[node].kind {
                HtmlNodeKind::Text(content) => text[node] = visible_length(content),
                HtmlNodeKind::Element(tag) if tag.name == "a" => links[node] = text[node],
                HtmlNodeKind::Element(tag) if is_paragraph(&tag.name) => {
                    paragraphs[parent] += text[node] - links[node];
                }
                HtmlNodeKind::Element(_) => {}
            }
            text[parent] += text[node];
            links[parent] += links[node];
        }
        Self { text, links, paragraphs }
    }
}

fn is_paragraph(name: &str) -> bool {
    matches!(name, "p" | "pre" | "blockquote" | "h2" | "h3" | "ul" | "ol" | "table")
}

/// Returns the length of a text without white space.
pub(super) fn visible_length(text: &str) -> usize {
    text.split_ascii_whitespace().map(str::len).sum()
}

/// The length in bytes of a text that is enough to be the main one.
const ENOUGH: usize = 500;

/// The roles of elements around the main text.
const AROUND_ROLES: [&str; 7] =
    ["alert", "banner", "complementary", "contentinfo", "dialog", "navigation", "search"];
