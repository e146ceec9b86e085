//! The beginnings of Markdown's lines.
//!
//! This module reads one line, without tabs, as CommonMark does, whatever came before.

/// A block that contains others.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ContainerKind {
    Quote,
    /// An item of a list.
    Item {
        /// The spaces before each of its lines.
        indent: usize,
        marker: Marker,
    },
}

/// The sign at the beginning of a list item.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Marker {
    Bullet,
    Number(u32, char),
}

impl ContainerKind {
    /// Returns whether it may begin within a paragraph.
    pub(crate) fn may_interrupt(self) -> bool {
        !matches!(self, Self::Item { marker: Marker::Number(2.. | 0, _), .. })
    }
}

/// The fence of a code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeFence {
    char: char,
    len: usize,
    /// The spaces before it, which the lines of the code have, too.
    indent: usize,
}

/// The condition that ends a block of HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HtmlEnd {
    BlankLine,
    /// A line that has this text.
    Text(&'static str),
}

/// Returns the text after the sign of a quote.
pub(crate) fn quote(line: &str) -> Option<&str> {
    let rest = unindented(line)?.strip_prefix('>')?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// Returns the item of a list that begins here, and its text.
pub(crate) fn item(line: &str) -> Option<(ContainerKind, &str)> {
    let rest = unindented(line)?;
    let (marker, after) = match rest.strip_prefix(['-', '*', '+']) {
        Some(after) => (Marker::Bullet, after),
        None => {
            let digits = rest.find(|char: char| !char.is_ascii_digit())?;
            if digits > MOST_DIGITS {
                return None;
            }
            let delimiter =
                rest[digits..].chars().next().filter(|char| matches!(char, '.' | ')'))?;
            let number = rest[..digits].parse().ok()?;
            (Marker::Number(number, delimiter), &rest[digits + 1..])
        }
    };
    let spaces = indent(after);
    if is_blank(after) {
        let indent = line.len() - after.len() + 1;
        return Some((ContainerKind::Item { indent, marker }, ""));
    }
    // With more spaces than these the text is indented code.
    let spaces = match spaces {
        0 => return None,
        1..CODE_INDENT | CODE_INDENT => spaces,
        _ => 1,
    };
    let text = &after[spaces..];
    Some((ContainerKind::Item { indent: line.len() - text.len(), marker }, text))
}

/// Returns whether the line is a rule.
pub(crate) fn is_rule(line: &str) -> bool {
    let Some(rest) = unindented(line) else { return false };
    let Some(sign) = rest.chars().next().filter(|char| matches!(char, '-' | '_' | '*')) else {
        return false;
    };
    rest.chars().all(|char| char == sign || char == ' ')
        && rest.chars().filter(|char| *char == sign).nth(2).is_some()
}

/// Returns the level of the heading that the lines before this one are.
pub(crate) fn underline(line: &str) -> Option<usize> {
    let rest = unindented(line)?.trim_end();
    let is_all = |sign: char| !rest.is_empty() && rest.chars().all(|char| char == sign);
    if is_all('=') { Some(1) } else { is_all('-').then_some(2) }
}

/// Returns the level and the text of a heading.
pub(crate) fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = unindented(line)?;
    let text = rest.trim_start_matches('#');
    let level = rest.len() - text.len();
    if !(1..=6).contains(&level) || !(text.is_empty() || text.starts_with(' ')) {
        return None;
    }
    let text = text.trim();
    let open = text.trim_end_matches('#');
    let is_closed = open.is_empty() || open.ends_with(' ');
    Some((level, if is_closed { open.trim_end() } else { text }))
}

/// Returns the fence that begins a block of code, and its language.
pub(crate) fn fence(line: &str) -> Option<(CodeFence, &str)> {
    let rest = unindented(line)?;
    let char = rest.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    let info = rest.trim_start_matches(char);
    let len = rest.len() - info.len();
    let is_code = char == '`' && info.contains('`');
    (len >= 3 && !is_code)
        .then(|| (CodeFence { char, len, indent: line.len() - rest.len() }, info.trim()))
}

impl CodeFence {
    /// Returns whether the line ends the block.
    pub(crate) fn is_closed_by(self, line: &str) -> bool {
        let Some(rest) = unindented(line) else { return false };
        let rest = rest.trim_end();
        rest.len() >= self.len && rest.chars().all(|char| char == self.char)
    }

    /// Returns a line of the block without the indentation of the fence.
    pub(crate) fn unindent(self, line: &str) -> &str {
        &line[indent(line).min(self.indent)..]
    }
}

/// Returns the condition that ends a block of HTML, if the line begins one that may interrupt a
/// paragraph.
pub(crate) fn html(line: &str) -> Option<HtmlEnd> {
    let rest = unindented(line)?.strip_prefix('<')?;
    for (start, end) in [("!--", "-->"), ("?", "?>"), ("![CDATA[", "]]>")] {
        if rest.starts_with(start) {
            return Some(HtmlEnd::Text(end));
        }
    }
    if rest
        .strip_prefix('!')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    {
        return Some(HtmlEnd::Text(">"));
    }
    let name = rest.strip_prefix('/').unwrap_or(rest);
    let (name, after) = name.split_at(name.find(|c: char| !c.is_ascii_alphanumeric())?);
    if !after.starts_with([' ', '>', '/']) {
        return None;
    }
    let name = name.to_ascii_lowercase();
    if let Some((_, end)) = RAW_TAGS.iter().find(|(tag, _)| *tag == name) {
        return (!rest.starts_with('/')).then_some(HtmlEnd::Text(end));
    }
    BLOCK_TAGS.contains(&name.as_str()).then_some(HtmlEnd::BlankLine)
}

/// Returns whether the line defines the address of a link or a footnote.
pub(crate) fn is_definition(line: &str) -> bool {
    unindented(line)
        .and_then(|rest| rest.strip_prefix('['))
        .and_then(|rest| rest.split_once(']'))
        .is_some_and(|(label, rest)| !label.trim().is_empty() && rest.starts_with(':'))
}

/// Returns whether the line may be the one below the head of a table.
pub(crate) fn is_table_rule(line: &str) -> bool {
    line.contains('-') && line.chars().all(|char| matches!(char, '|' | ':' | '-' | ' '))
}

/// Returns whether the line begins a block, other than a container, that ends a paragraph.
pub(crate) fn ends_paragraph(line: &str) -> bool {
    fence(line).is_some() || heading(line).is_some() || is_rule(line) || html(line).is_some()
}

/// Returns the number of spaces at the beginning.
pub(crate) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns whether the line consists of spaces.
pub(crate) fn is_blank(line: &str) -> bool {
    line.trim_start_matches(' ').is_empty()
}

/// Returns the line without spaces at its beginning, unless there are as many as code has.
fn unindented(line: &str) -> Option<&str> {
    let indent = indent(line);
    (indent < CODE_INDENT).then(|| &line[indent..])
}

/// The number of spaces before indented code.
pub(crate) const CODE_INDENT: usize = 4;

/// The most digits that the number of an item may have.
const MOST_DIGITS: usize = 9;

const RAW_TAGS: [(&str, &str); 4] = [
    ("pre", "</pre>"),
    ("script", "</script>"),
    ("style", "</style>"),
    ("textarea", "</textarea>"),
];

const BLOCK_TAGS: [&str; 62] = [
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];
