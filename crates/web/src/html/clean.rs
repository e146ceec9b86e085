//! A selection of a page as small, well-formed HTML.
//!
//! Each element that is written is closed at its end, at most [`MAX_OPEN`] are open at once, and
//! attributes are written by this module only. So the converter to Markdown takes linear time, and
//! its recursion is bounded. `markdown` calls the converter.

use super::entities;
use super::readable::Selection;
use super::tables::MarkdownTables;
use super::tokens::StartTag;
use super::tree::{HtmlNodeKind, HtmlTree};
use crate::web_url::WebUrl;

/// HTML that can be converted.
pub(super) struct CleanHtml {
    pub(super) html: String,
    /// Whether the end is missing, because of the limit.
    pub(super) is_cut: bool,
}

/// Writes the selection.
pub(super) fn write(tree: &HtmlTree<'_>, selection: &Selection, base: &WebUrl) -> CleanHtml {
    let tables = MarkdownTables::new(tree);
    let is_kept = &selection.is_kept;
    let mut writer =
        CleanWriter { tree, is_kept, base, tables, open: Vec::new(), html: String::new() };
    for node in selection.root..tree.nodes.len() {
        // The nodes of a subtree follow its root.
        if node > selection.root && tree.nodes[node].parent < selection.root {
            break;
        }
        if writer.html.len() > MAX_BYTES {
            break;
        }
        writer.close_to(tree.nodes[node].parent);
        if selection.is_kept[node] {
            writer.node(node);
        }
    }
    let is_cut = writer.html.len() > MAX_BYTES;
    writer.close_to(0);
    CleanHtml { html: writer.html, is_cut }
}

struct CleanWriter<'t, 'h> {
    tree: &'t HtmlTree<'h>,
    is_kept: &'t [bool],
    base: &'t WebUrl,
    tables: MarkdownTables,
    /// The open elements: their nodes, and their closing tags.
    open: Vec<(usize, &'static str)>,
    html: String,
}

impl CleanWriter<'_, '_> {
    /// Closes the elements that are not above a child of `parent`.
    fn close_to(&mut self, parent: usize) {
        let above = |node: &usize| (*node > 0).then(|| self.tree.nodes[*node].parent);
        while let Some(&(open, end)) = self.open.last() {
            // A node comes after the nodes above it.
            let mut path = std::iter::successors(Some(parent), above);
            if path.find(|&node| node <= open) == Some(open) {
                break;
            }
            self.html.push_str(end);
            self.open.pop();
        }
    }

    fn node(&mut self, node: usize) {
        match &self.tree.nodes[node].kind {
            HtmlNodeKind::Text(text) => push_escaped(&mut self.html, text, false),
            HtmlNodeKind::Element(tag) => self.element(node, tag),
        }
    }

    fn element(&mut self, node: usize, tag: &StartTag<'_>) {
        let name = &*tag.name;
        if self.is_open("</code></pre>") {
            if name == "br" {
                self.html.push('\n');
            }
            return;
        }
        match name {
            "br" => self.html.push_str("<br>"),
            "hr" => self.html.push_str("<hr>"),
            "img" => self.image(tag),
            "a" => self.link(node, tag),
            "pre" => self.code_block(node, tag),
            "ol" => self.numbered_list(node, tag),
            "table" if !self.tables.has(node) => self.open(node, "<div>", "</div>"),
            "caption" | "thead" | "tbody" | "tfoot" | "tr" | "th" | "td"
                if !self.is_open("</table>") =>
            {
                // The cells of a row are words in a line.
                match name {
                    "th" | "td" => self.html.push(' '),
                    _ => self.open(node, "<div>", "</div>"),
                }
            }
            _ => {
                if let Some((_, start, end)) = ELEMENTS.iter().find(|(known, ..)| *known == name) {
                    self.open(node, start, end);
                }
            }
        }
    }

    /// Opens an element, unless too many are open already.
    fn open(&mut self, node: usize, start: &str, end: &'static str) {
        let is_wrapped = end == "</div>" && self.html.ends_with("<div>");
        if let Some(wrapper) = self.open.last_mut().filter(|_| is_wrapped) {
            // A block that begins with a block is that one.
            wrapper.0 = node;
        } else if self.open.len() < MAX_OPEN {
            match self.html.strip_suffix(end).map(str::len) {
                // Two bold words next to each other are one; the converter would join them slowly.
                Some(length) if INLINE_ENDS.contains(&end) => self.html.truncate(length),
                _ => self.html.push_str(start),
            }
            self.open.push((node, end));
        }
    }

    fn is_open(&self, end: &str) -> bool {
        self.open.iter().any(|(_, open)| *open == end)
    }

    fn image(&mut self, tag: &StartTag<'_>) {
        let alt = tag.attribute("alt").map(|alt| entities::decode(alt.trim()));
        let url = tag.attribute("src").and_then(|src| self.absolute(src));
        if let (Some(alt), Some(url)) = (alt.filter(|alt| !alt.is_empty()), url) {
            self.html.push_str("<img alt=\"");
            push_escaped(&mut self.html, &alt, true);
            self.html.push_str("\" src=\"");
            push_escaped(&mut self.html, &url, true);
            self.html.push_str("\">");
        }
    }

    fn link(&mut self, node: usize, tag: &StartTag<'_>) {
        let url = tag.attribute("href").filter(|href| !href.trim_start().starts_with('#'));
        let url = url.filter(|_| self.has_content(node));
        let url = url.and_then(|href| self.absolute(href));
        if let Some(url) = url.filter(|_| !self.is_open("</a>")) {
            let mut start = "<a href=\"".to_owned();
            push_escaped(&mut start, &url, true);
            start.push_str("\">");
            self.open(node, &start, "</a>");
        }
    }

    /// Returns whether an element has a text or an image in it.
    fn has_content(&self, node: usize) -> bool {
        let below = self.tree.nodes.iter().zip(self.is_kept).skip(node + 1);
        let below = below.take_while(|(inner, _)| inner.parent >= node);
        let mut read = below.filter(|(_, is_kept)| **is_kept).map(|(inner, _)| inner);
        read.any(|inner| match &inner.kind {
            HtmlNodeKind::Text(text) => !text.trim().is_empty(),
            HtmlNodeKind::Element(tag) => {
                tag.name == "img" && tag.attribute("alt").is_some_and(|alt| !alt.trim().is_empty())
            }
        })
    }

    fn code_block(&mut self, node: usize, tag: &StartTag<'_>) {
        // The language may be a class of the first element in it.
        let inner = self.tree.nodes.get(node + 1).filter(|next| next.parent == node);
        let inner = inner.and_then(|_| self.tree.element(node + 1));
        let language = [Some(tag), inner].into_iter().flatten().find_map(language);
        let start = match language {
            Some(language) => format!("<pre><code class=\"language-{language}\">"),
            None => "<pre><code>".to_owned(),
        };
        self.open(node, &start, "</code></pre>");
    }

    fn numbered_list(&mut self, node: usize, tag: &StartTag<'_>) {
        let start = tag.attribute("start").and_then(|start| start.parse::<u16>().ok());
        match start {
            Some(start) => self.open(node, &format!("<ol start=\"{start}\">"), "</ol>"),
            None => self.open(node, "<ol>", "</ol>"),
        }
    }

    /// Returns an absolute URL of the web.
    fn absolute(&self, reference: &str) -> Option<String> {
        let url = self.base.absolute(&entities::decode(reference.trim()))?;
        (url.len() <= MAX_LINK).then_some(url)
    }
}

/// Returns the language of a code block, as its class says.
fn language<'t>(tag: &'t StartTag<'_>) -> Option<&'t str> {
    let mut classes = tag.attribute("class")?.split_ascii_whitespace();
    let language = classes
        .find_map(|class| class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-")));
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"+-_#".contains(&byte);
    language.filter(|name| name.len() <= 20 && name.bytes().all(is_name))
}

/// Appends text or the value of an attribute, up to the limit of the whole. In a text, character
/// references are kept.
fn push_escaped(html: &mut String, text: &str, is_value: bool) {
    for char in text.chars() {
        if html.len() > MAX_BYTES {
            break;
        }
        match char {
            '<' => html.push_str("&lt;"),
            '&' if is_value => html.push_str("&amp;"),
            '"' if is_value => html.push_str("&quot;"),
            '\0' => html.push('\u{fffd}'),
            char => html.push(char),
        }
    }
}

/// The maximum length of the text that is converted, in bytes.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// The number of elements that may be open at once.
const MAX_OPEN: usize = 48;

/// The length of the longest link that is kept.
const MAX_LINK: usize = 1000;

/// The ends of elements that are joined if one follows another.
const INLINE_ENDS: [&str; 3] = ["</strong>", "</em>", "</code>"];

/// The elements that are written, with their starts and ends. Others are left out around their
/// texts.
const ELEMENTS: [(&str, &str, &str); 51] = [
    ("address", "<div>", "</div>"),
    ("article", "<div>", "</div>"),
    ("aside", "<div>", "</div>"),
    ("b", "<strong>", "</strong>"),
    ("blockquote", "<blockquote>", "</blockquote>"),
    ("caption", "<caption>", "</caption>"),
    ("center", "<div>", "</div>"),
    ("code", "<code>", "</code>"),
    ("dd", "<div>", "</div>"),
    ("details", "<div>", "</div>"),
    ("div", "<div>", "</div>"),
    ("dl", "<div>", "</div>"),
    ("dt", "<div><strong>", "</strong></div>"),
    ("em", "<em>", "</em>"),
    ("fieldset", "<div>", "</div>"),
    ("figcaption", "<div>", "</div>"),
    ("figure", "<div>", "</div>"),
    ("footer", "<div>", "</div>"),
    ("form", "<div>", "</div>"),
    ("h1", "<h1>", "</h1>"),
    ("h2", "<h2>", "</h2>"),
    ("h3", "<h3>", "</h3>"),
    ("h4", "<h4>", "</h4>"),
    ("h5", "<h5>", "</h5>"),
    ("h6", "<h6>", "</h6>"),
    ("header", "<div>", "</div>"),
    ("hgroup", "<div>", "</div>"),
    ("i", "<em>", "</em>"),
    ("kbd", "<code>", "</code>"),
    ("legend", "<div>", "</div>"),
    ("li", "<li>", "</li>"),
    ("main", "<div>", "</div>"),
    ("menu", "<ul>", "</ul>"),
    ("nav", "<div>", "</div>"),
    ("option", "<div>", "</div>"),
    ("p", "<p>", "</p>"),
    ("samp", "<code>", "</code>"),
    ("search", "<div>", "</div>"),
    ("section", "<div>", "</div>"),
    ("strong", "<strong>", "</strong>"),
    ("summary", "<div>", "</div>"),
    ("table", "<table>", "</table>"),
    ("tbody", "<tbody>", "</tbody>"),
    ("td", "<td>", "</td>"),
    ("tfoot", "<tfoot>", "</tfoot>"),
    ("th", "<th>", "</th>"),
    ("thead", "<thead>", "</thead>"),
    ("tr", "<tr>", "</tr>"),
    ("tt", "<code>", "</code>"),
    ("ul", "<ul>", "</ul>"),
    ("var", "<em>", "</em>"),
];
