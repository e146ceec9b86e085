//! The nodes of a page, in an arena.
//!
//! This module decides which tags end others, to the extent that readable text needs. A node comes
//! after its parent in the arena, so that loops take the place of recursion. Other modules decide
//! which nodes are worth reading.
//!
//! While more than [`MAX_DEPTH`] elements are open, further ones are counted and not opened: their
//! texts belong to the innermost open element, except within a hidden one.

use super::hidden::is_hidden;
use super::tokens::{HtmlToken, HtmlTokens, StartTag};

/// A page as a tree. Node 0 is its body, which is the root here, even of nodes that belong to the
/// head.
pub(super) struct HtmlTree<'h> {
    pub(super) nodes: Vec<HtmlNode<'h>>,
    /// The element above node 0.
    pub(super) html: StartTag<'h>,
    pub(super) styles: Vec<StyleText<'h>>,
    /// Whether the page has more than [`MAX_NODES`] nodes, so that its end is missing.
    pub(super) is_cut: bool,
    /// Whether elements are missing because they are nested too deeply.
    pub(super) is_deep: bool,
}

/// A style sheet within a page.
pub(super) struct StyleText<'h> {
    pub(super) css: &'h str,
    /// The attribute `media` as it is written.
    pub(super) media: &'h str,
}

/// An element or a text.
pub(super) struct HtmlNode<'h> {
    pub(super) parent: usize,
    pub(super) kind: HtmlNodeKind<'h>,
}

/// The kind of a node.
pub(super) enum HtmlNodeKind<'h> {
    /// A text as it is written.
    Text(&'h str),
    /// An element.
    Element(StartTag<'h>),
}

impl<'h> HtmlTree<'h> {
    /// Reads a page.
    pub(super) fn parse(text: &'h str) -> Self {
        let root = StartTag { name: "body".into(), attributes: Vec::new() };
        let root = HtmlNode { parent: 0, kind: HtmlNodeKind::Element(root) };
        let html = StartTag { name: "html".into(), attributes: Vec::new() };
        let tree =
            Self { nodes: vec![root], html, styles: Vec::new(), is_cut: false, is_deep: false };
        let mut builder =
            TreeBuilder { tree, open: vec![0], excess: 0, hidden_from: None, media: None };
        for token in HtmlTokens::new(text) {
            if builder.tree.nodes.len() == MAX_NODES {
                builder.tree.is_cut = true;
                break;
            }
            builder.push(token);
        }
        builder.tree
    }

    /// Returns the name of an element, or an empty text.
    pub(super) fn name(&self, node: usize) -> &str {
        self.element(node).map_or("", |tag| &tag.name)
    }

    /// Returns the tag of an element.
    pub(super) fn element(&self, node: usize) -> Option<&StartTag<'h>> {
        match &self.nodes[node].kind {
            HtmlNodeKind::Element(tag) => Some(tag),
            HtmlNodeKind::Text(_) => None,
        }
    }

    /// Returns the text of the first `title`, on one line.
    pub(super) fn title(&self) -> Option<String> {
        let title = (0..self.nodes.len()).find(|&node| self.name(node) == "title")?;
        let mut words = Vec::new();
        for node in self.nodes.iter().skip(title).filter(|node| node.parent == title) {
            if let HtmlNodeKind::Text(text) = node.kind {
                words.extend(text.split_whitespace());
            }
        }
        (!words.is_empty()).then(|| words.join(" "))
    }
}

struct TreeBuilder<'h> {
    tree: HtmlTree<'h>,
    /// The open elements, the outermost first.
    open: Vec<usize>,
    /// The number of elements that are nested too deeply to be opened.
    excess: usize,
    /// The number of such elements when a hidden one among them began.
    hidden_from: Option<usize>,
    /// The media of the style sheet whose content follows, if it applies to the page.
    media: Option<&'h str>,
}

impl<'h> TreeBuilder<'h> {
    fn push(&mut self, token: HtmlToken<'h>) {
        match token {
            HtmlToken::Text(_) if self.hidden_from.is_some() => {}
            HtmlToken::Text(text) => self.add(HtmlNodeKind::Text(text)),
            HtmlToken::Style(css) => {
                let media = self.media.take();
                self.tree.styles.extend(media.map(|media| StyleText { css, media }));
            }
            HtmlToken::Start(tag) => self.start(tag),
            HtmlToken::End(name) => self.end(&name),
        }
    }

    fn start(&mut self, tag: StartTag<'h>) {
        let name = &*tag.name;
        // Their tags may be missing, so nothing depends on them but their attributes.
        match (name, &mut self.tree.nodes[0].kind) {
            ("html", _) => return self.tree.html.merge(tag),
            ("body", HtmlNodeKind::Element(body)) => return body.merge(tag),
            ("head", _) => return,
            _ => {}
        }
        if name == "style" {
            let is_css = tag.attribute("type").is_none_or(|kind| {
                kind.trim().is_empty() || kind.trim().eq_ignore_ascii_case("text/css")
            });
            let is_inert = self.open.iter().any(|&open| self.tree.name(open) == "template");
            let media = tag.attribute("media").unwrap_or_default();
            self.media = (is_css && !is_inert).then_some(media);
        }
        let is_void = VOID.contains(&name);
        if self.excess == 0 {
            self.close_implied(name);
        }
        if self.open.len() <= MAX_DEPTH {
            self.add(HtmlNodeKind::Element(tag));
            if !is_void {
                self.open.push(self.tree.nodes.len() - 1);
            }
            return;
        }
        self.tree.is_deep = true;
        if !is_void {
            self.excess += 1;
            // Style sheets and styles for it are not evaluated.
            let may_be_hidden = !self.tree.styles.is_empty() || tag.attribute("style").is_some();
            if self.hidden_from.is_none() && (may_be_hidden || is_hidden(&tag)) {
                self.hidden_from = Some(self.excess);
            }
        }
    }

    fn end(&mut self, name: &str) {
        if self.excess > 0 {
            if self.hidden_from == Some(self.excess) {
                self.hidden_from = None;
            }
            self.excess -= 1;
            return;
        }
        let is_table_part = TABLE_PARTS.contains(&name) || name == "table";
        for depth in (1..self.open.len()).rev() {
            let open = self.tree.name(self.open[depth]);
            if open == name {
                self.open.truncate(depth);
                return;
            }
            if !is_table_part && matches!(open, "table" | "td" | "th" | "caption") {
                return;
            }
        }
    }

    /// Closes the elements that a start tag ends without saying so.
    fn close_implied(&mut self, name: &str) {
        let (ended, bounds): (&[&str], &[&str]) = match name {
            "li" => (&["li"], &["ul", "ol", "menu", "td", "th"]),
            "dt" | "dd" => (&["dt", "dd"], &["dl", "td", "th"]),
            "td" | "th" => (&["td", "th"], &["table"]),
            "tr" => (&["tr"], &["table"]),
            "thead" | "tbody" | "tfoot" => (&["thead", "tbody", "tfoot"], &["table"]),
            "option" => (&["option"], &["select"]),
            "a" => (&["a"], &["td", "th", "table"]),
            _ => (&[], &[]),
        };
        // A block ends a paragraph, which therefore never has a block in it.
        let ended = match ENDS_PARAGRAPH.contains(&name) {
            true if ended.is_empty() => &["p"],
            _ => ended,
        };
        let outer = self.open.iter().rposition(|&node| {
            let open = self.tree.name(node);
            ended.contains(&open) || bounds.contains(&open) || open == "table"
        });
        if let Some(depth) =
            outer.filter(|&depth| ended.contains(&self.tree.name(self.open[depth])))
        {
            self.open.truncate(depth);
        }
    }

    fn add(&mut self, kind: HtmlNodeKind<'h>) {
        let parent = self.open.last().copied().unwrap_or_default();
        self.tree.nodes.push(HtmlNode { parent, kind });
    }
}

/// The number of elements that may be open at once.
pub(super) const MAX_DEPTH: usize = 256;

/// The maximum number of nodes.
pub(super) const MAX_NODES: usize = 200_000;

/// The elements without content.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

const TABLE_PARTS: [&str; 7] = ["caption", "tbody", "td", "tfoot", "th", "thead", "tr"];

/// The elements whose start tags end a paragraph.
const ENDS_PARAGRAPH: [&str; 32] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];
