//! The texts of single elements, for pages whose form is known.
//!
//! This module finds elements by a class and returns their words, in any page.

use super::entities;
use super::tree::{HtmlNodeKind, HtmlTree};

/// An element that was searched for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PickedElement {
    /// The class by which it was found.
    pub(crate) class: &'static str,
    /// The attribute `href`.
    pub(crate) href: Option<String>,
    /// The words, with one space between two.
    pub(crate) text: String,
}

/// Returns the elements with one of these classes in the order of the page, without those within an
/// element of the class `except`.
pub(crate) fn pick(html: &str, classes: &[&'static str], except: &str) -> Vec<PickedElement> {
    let tree = HtmlTree::parse(html);
    let mut is_excepted = vec![false; tree.nodes.len()];
    let mut picked = Vec::new();
    for node in 1..tree.nodes.len() {
        let class = tree.element(node).and_then(|tag| tag.attribute("class")).unwrap_or_default();
        let has = |name: &str| class.split_ascii_whitespace().any(|class| class == name);
        is_excepted[node] = is_excepted[tree.nodes[node].parent] || has(except);
        if let Some(class) = classes.iter().find(|class| has(class)).filter(|_| !is_excepted[node])
        {
            let href = tree.element(node).and_then(|tag| tag.attribute("href"));
            let href = href.map(entities::decode);
            picked.push(PickedElement { class, href, text: words(&tree, node) });
        }
    }
    picked
}

/// Returns the words of a piece of HTML, without its tags.
pub(crate) fn plain_text(html: &str) -> String {
    words(&HtmlTree::parse(html), 0)
}

/// Returns the words of a node with everything below it.
fn words(tree: &HtmlTree<'_>, root: usize) -> String {
    let mut text = String::new();
    for (at, node) in tree.nodes.iter().enumerate().skip(root + 1) {
        // The nodes of a subtree follow its root.
        if node.parent < root {
            break;
        }
        match node.kind {
            HtmlNodeKind::Text(part) => text.push_str(part),
            HtmlNodeKind::Element(_) if tree.name(at) == "br" => text.push(' '),
            HtmlNodeKind::Element(_) => {}
        }
    }
    let text = entities::decode(&text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
