//! The tags and the texts of a page, in one pass.
//!
//! This module finds where a tag begins and ends, as browsers do, in linear time. It does not match
//! opening and closing tags, and decodes no character references.

use std::borrow::Cow;

/// A tag, or a text between two tags.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HtmlToken<'h> {
    /// Text as it is written, with character references.
    Text(&'h str),
    /// A start tag.
    Start(StartTag<'h>),
    /// The content of a style sheet.
    Style(&'h str),
    /// An end tag with its name in lower case.
    End(Cow<'h, str>),
}

/// A start tag.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StartTag<'h> {
    /// The name in lower case.
    pub(super) name: Cow<'h, str>,
    /// The attributes, each with its name in lower case and its value as written: those that matter
    /// for reading, and the first of the others.
    pub(super) attributes: Vec<(Cow<'h, str>, &'h str)>,
}

impl<'h> StartTag<'h> {
    /// Returns the value of an attribute as it is written.
    pub(super) fn attribute(&self, name: &str) -> Option<&'h str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// Adds the attributes of another tag of the same element.
    pub(super) fn merge(&mut self, other: Self) {
        for (name, value) in other.attributes {
            if self.attribute(&name).is_none() && self.attributes.len() < MAX_ATTRIBUTES {
                self.attributes.push((name, value));
            }
        }
    }
}

/// An iterator over the tokens of a page. It skips comments, declarations, and the contents of
/// scripts, styles and the like.
pub(super) struct HtmlTokens<'h> {
    html: &'h str,
    at: usize,
    /// The element whose content is plain text up to its end tag.
    raw: Option<RawElement>,
}

/// An element whose content has no tags.
#[derive(Clone, Copy)]
struct RawElement {
    name: &'static str,
    /// Whether the content is text that a reader sees.
    is_text: bool,
}

impl<'h> HtmlTokens<'h> {
    pub(super) fn new(html: &'h str) -> Self {
        Self { html, at: 0, raw: None }
    }

    fn rest(&self) -> &'h str {
        &self.html[self.at..]
    }

    /// Takes text up to the next tag. The rest begins with neither a tag nor a comment.
    fn text(&mut self) -> HtmlToken<'h> {
        let rest = self.rest();
        let starts = rest.bytes().enumerate().skip(1).filter(|(_, byte)| *byte == b'<');
        let mut starts = starts.map(|(at, _)| at);
        let end = starts.find(|&at| is_markup(&rest[at..])).unwrap_or(rest.len());
        self.at += end;
        HtmlToken::Text(&rest[..end])
    }

    /// Skips the content of a raw element, or returns it.
    fn raw_content(&mut self, element: RawElement) -> Option<HtmlToken<'h>> {
        let rest = self.rest();
        let is_end = |&at: &usize| {
            let tag = rest[at..].strip_prefix("</").unwrap_or_default();
            tag.get(..element.name.len())
                .is_some_and(|name| name.eq_ignore_ascii_case(element.name))
        };
        let mut starts = rest.bytes().enumerate().filter(|(_, byte)| *byte == b'<');
        let end = starts.by_ref().map(|(at, _)| at).find(is_end).unwrap_or(rest.len());
        self.at += end;
        let content = Some(&rest[..end]).filter(|content| !content.is_empty())?;
        match element.name {
            "style" => Some(HtmlToken::Style(content)),
            _ => element.is_text.then_some(HtmlToken::Text(content)),
        }
    }

    /// Skips a comment, a declaration or an instruction.
    fn skip_declaration(&mut self) {
        let rest = self.rest();
        let end = match rest.strip_prefix("<!--") {
            Some(comment) => comment_end(comment).map(|end| end + 4),
            None => rest.find('>').map(|end| end + 1),
        };
        self.at += end.unwrap_or(rest.len());
    }

    /// Takes a tag. Returns `None` for a tag without an end.
    fn tag(&mut self) -> Option<HtmlToken<'h>> {
        let rest = self.rest();
        let (is_end, name_at) = match rest.starts_with("</") {
            true => (true, 2),
            false => (false, 1),
        };
        let name_end =
            rest[name_at..].find(|char: char| char.is_ascii_whitespace() || "/>".contains(char));
        let mut at = name_at + name_end.unwrap_or(rest.len() - name_at);
        let name = lower(&rest[name_at..at]);
        let mut tag = StartTag { name, attributes: Vec::new() };
        loop {
            let inner = rest[at..]
                .trim_start_matches(|char: char| char.is_ascii_whitespace() || char == '/');
            at = rest.len() - inner.len();
            match inner.bytes().next() {
                None => {
                    self.at = self.html.len();
                    return None;
                }
                Some(b'>') => break,
                Some(_) => {
                    let (attribute, after) = attribute(inner);
                    at = rest.len() - after.len();
                    let is_new = tag.attribute(&attribute.0).is_none();
                    let is_wanted =
                        tag.attributes.len() < MAX_ATTRIBUTES || WANTED.contains(&&*attribute.0);
                    if !is_end && is_new && is_wanted {
                        tag.attributes.push(attribute);
                    }
                }
            }
        }
        self.at += at + 1;
        if is_end {
            return Some(HtmlToken::End(tag.name));
        }
        self.raw = RAW.into_iter().find(|raw| raw.name == tag.name);
        Some(HtmlToken::Start(tag))
    }
}

impl<'h> Iterator for HtmlTokens<'h> {
    type Item = HtmlToken<'h>;

    fn next(&mut self) -> Option<HtmlToken<'h>> {
        loop {
            if let Some(text) = self.raw.take().and_then(|element| self.raw_content(element)) {
                return Some(text);
            }
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            if !is_markup(rest) {
                return Some(self.text());
            }
            if is_tag(rest) {
                return self.tag();
            }
            self.skip_declaration();
        }
    }
}

/// Returns the length of the rest of a comment after `<!--`, with its end.
fn comment_end(comment: &str) -> Option<usize> {
    // `<!-->` and `<!--->` are whole comments.
    if let Some(short) = ["->", ">"].iter().find(|short| comment.starts_with(**short)) {
        return Some(short.len());
    }
    let dashes = comment.bytes().enumerate().filter(|(_, byte)| *byte == b'-');
    dashes.map(|(at, _)| at).find_map(|at| {
        let ends = ["-->", "--!>"];
        let end = ends.iter().find(|end| comment[at..].starts_with(**end))?;
        Some(at + end.len())
    })
}

/// Returns whether a text begins with a tag, a comment or a declaration.
fn is_markup(text: &str) -> bool {
    is_tag(text) || ["<!", "<?", "</"].iter().any(|start| text.starts_with(start))
}

/// Returns whether a text begins with a start tag or an end tag.
fn is_tag(text: &str) -> bool {
    let bytes = text.as_bytes();
    let name = match bytes {
        [b'<', b'/', name, ..] => name,
        [b'<', name, ..] => name,
        _ => return false,
    };
    name.is_ascii_alphabetic()
}

/// Takes an attribute from the beginning of a text, and returns the rest.
fn attribute(text: &str) -> ((Cow<'_, str>, &str), &str) {
    let is_space = |char: char| char.is_ascii_whitespace();
    // An attribute may begin with `=`.
    let ends = |(at, char): &(usize, char)| *at > 0 && (is_space(*char) || "=/>".contains(*char));
    let end = text.char_indices().find(ends).map_or(text.len(), |(at, _)| at);
    let (name, after) = (lower(&text[..end]), &text[end..]);
    let Some(value) = after.trim_start_matches(is_space).strip_prefix('=') else {
        return ((name, ""), after);
    };
    let value = value.trim_start_matches(is_space);
    let quote = value.chars().next().filter(|char| "\"'".contains(*char));
    let (value, after) = match quote {
        Some(quote) => value[1..].split_once(quote).unwrap_or_else(|| (&value[1..], "")),
        None => {
            let end = value.find(|char: char| is_space(char) || char == '>');
            value.split_at(end.unwrap_or(value.len()))
        }
    };
    ((name, value), after)
}

fn lower(text: &str) -> Cow<'_, str> {
    match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(text.to_ascii_lowercase()),
        false => Cow::Borrowed(text),
    }
}

const fn raw(name: &'static str, is_text: bool) -> RawElement {
    RawElement { name, is_text }
}

/// The elements whose content has no tags.
const RAW: [RawElement; 10] = [
    raw("script", false),
    raw("style", false),
    raw("textarea", false),
    raw("title", true),
    raw("iframe", false),
    raw("noembed", false),
    raw("noframes", false),
    raw("noscript", false),
    raw("xmp", true),
    raw("plaintext", true),
];

/// The attributes that matter for reading.
const WANTED: [&str; 14] = [
    "alt",
    "aria-hidden",
    "bgcolor",
    "class",
    "color",
    "hidden",
    "href",
    "id",
    "open",
    "role",
    "src",
    "start",
    "style",
    "text",
];

/// The number of attributes of a tag that are kept although they hardly matter.
const MAX_ATTRIBUTES: usize = 32;
