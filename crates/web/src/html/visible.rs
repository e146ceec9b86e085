//! The nodes of a page that a person sees, judged by the page alone.
//!
//! A page can hide text from people that programs still find in its source, so hidden text is not
//! read. This module handles tags, the attribute `style` and the style sheets within the page. It
//! ignores style sheets of other addresses, scripts and the layout: text that they hide is read,
//! and text that scripts would show is not, unless the page shows hardly anything without scripts.

use super::appearance::Appearance;
use super::css::{Cascade, HTML};
use super::hidden::HidingWay;
use super::readable::visible_length;
use super::tree::{HtmlNode, HtmlNodeKind, HtmlTree};

/// The visible parts of a page.
pub(super) struct VisibleNodes {
    /// Whether each node is visible. Nodes below an invisible one are invisible, too.
    pub(super) is_visible: Vec<bool>,
    /// Remarks about parts that were left out or read nevertheless, one sentence each.
    pub(super) omissions: Vec<String>,
}

/// Finds the nodes that are seen.
pub(super) fn find(tree: &HtmlTree<'_>) -> VisibleNodes {
    let cascade = Cascade::new(tree);
    let mut seen = SeenNodes::find(tree, &cascade, |_| false);
    let mut omissions = Vec::new();
    let all = seen.lengths(tree, |way| way != Some(HidingWay::Always));
    let (total, shown) = (all[0], seen.lengths(tree, |way| way.is_none())[0]);
    // A page that shows nothing until a script runs hides nearly all that it has in one element, or
    // each of its parts.
    if shown < FEW && total - shown > MANY {
        let whole = SeenNodes::find(tree, &cascade, |node| all[node] * 2 >= total);
        let is_enough = whole.lengths(tree, |way| way.is_none())[0] >= FEW;
        let whole = if is_enough { whole } else { SeenNodes::find(tree, &cascade, |_| true) };
        if whole.lengths(tree, |way| way.is_none())[0] > shown {
            seen = whole;
            omissions.push(
                "the page hides its text until a script shows it, and was read as if it had"
                    .to_owned(),
            );
        }
    }
    if cascade.is_cut() {
        omissions.push(
            "the style sheets of the page are too large to tell which text is hidden".to_owned(),
        );
    }
    let hidden = total - seen.lengths(tree, |way| way.is_none())[0];
    if hidden > 0 {
        omissions.push(format!("about {hidden} bytes that the page hides are left out"));
    }
    let is_visible = seen.ways.iter().map(Option::is_none).collect();
    VisibleNodes { is_visible, omissions }
}

/// The way in which each node is hidden, or `None`.
struct SeenNodes {
    ways: Vec<Option<HidingWay>>,
}

impl SeenNodes {
    /// Checks all nodes. If `is_switched`, a switch that hides a node does not count.
    fn find(
        tree: &HtmlTree<'_>,
        cascade: &Cascade<'_, '_>,
        is_switched: impl Fn(usize) -> bool,
    ) -> Self {
        let mut ways = vec![None; tree.nodes.len()];
        let mut appearances: Vec<Option<Appearance>> = vec![None; tree.nodes.len()];
        let page = Appearance::default();
        let page = page.below(&tree.html, &cascade.style(HTML), is_switched(0));
        for (node, HtmlNode { parent, kind }) in tree.nodes.iter().enumerate() {
            let above = if node == 0 { Some(&page) } else { appearances[*parent].as_ref() };
            let outer = if node == 0 { page.way } else { ways[*parent] };
            // Text that inherits a way may be shown by an element below, but a hidden element ends it.
            let (way, appearance) = match (outer, above, kind) {
                (Some(way), ..) => (Some(way), None),
                (None, Some(above), HtmlNodeKind::Text(_)) => (above.text_way(), None),
                (None, Some(above), HtmlNodeKind::Element(tag)) => {
                    let style = cascade.style(node);
                    let appearance = above.below(tag, &style, is_switched(node));
                    let is_image = tag.name == "img";
                    let way =
                        appearance.way.or_else(|| appearance.image_way().filter(|_| is_image));
                    (way, Some(appearance))
                }
                (None, None, _) => (None, None),
            };
            ways[node] = way;
            appearances[node] = appearance;
            if cascade.is_cut() && node > 0 {
                ways[node] = ways[node].or(Some(HidingWay::Disguise));
            }
        }
        Self { ways }
    }

    /// Returns the length of the text in each node and below it, for nodes that are hidden in a way
    /// that is counted.
    fn lengths(
        &self,
        tree: &HtmlTree<'_>,
        is_counted: impl Fn(Option<HidingWay>) -> bool,
    ) -> Vec<usize> {
        let mut lengths = vec![0; tree.nodes.len()];
        for node in (1..tree.nodes.len()).rev() {
            if let HtmlNodeKind::Text(text) = tree.nodes[node].kind
                && is_counted(self.ways[node])
            {
                lengths[node] = visible_length(text);
            }
            lengths[tree.nodes[node].parent] += lengths[node];
        }
        lengths
    }
}

/// The length of a text in bytes, without spaces, that is hardly anything.
const FEW: usize = 64;

/// The minimum length of the hidden text of such a page.
const MANY: usize = 128;
