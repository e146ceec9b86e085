//! Text with inline styles.
//!
//! This module handles emphasis, code, links and other inline markup. Its text is one paragraph,
//! one heading or one cell.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use silcrow_sanitize::{is_direction_mark, sanitize_line, sanitize_prose_line};

use crate::{Style, TextRole};

/// A piece of a text.
#[derive(Debug)]
pub(crate) enum InlinePiece<'a> {
    Text(&'a str, Style),
    /// The end of a row.
    Break,
}

/// The prefix of a text that keeps its beginning from being read as a list, a heading or another
/// block.
pub(crate) const LEAD: &str = "a ";

/// Emits the pieces of a text that begins with [`LEAD`], without it.
pub(crate) fn write_text(source: &str, base: Style, emit: &mut dyn FnMut(InlinePiece<'_>)) {
    let mut writer = InlineWriter::new(base);
    let mut is_lead = true;
    for event in parse_text(source) {
        if let Event::Text(text) = &event
            && std::mem::take(&mut is_lead)
        {
            let text = text.strip_prefix(LEAD).unwrap_or_else(|| &text[1..]);
            writer.push(&Event::Text(text.into()), emit);
        } else {
            writer.push(&event, emit);
        }
    }
}

/// Returns a parser of a text that begins with [`LEAD`].
pub(crate) fn parse_text(source: &str) -> Parser<'_> {
    Parser::new_ext(source, Options::ENABLE_STRIKETHROUGH)
}

/// A writer of events as styled text.
#[derive(Debug)]
pub(crate) struct InlineWriter {
    /// The style of the next text is the last one.
    styles: Vec<Style>,
    /// Whether a block was begun.
    is_begun: bool,
    links: Vec<OpenLink>,
}

/// A link or an image whose text is being written.
#[derive(Debug)]
struct OpenLink {
    address: String,
    text: String,
    is_image: bool,
}

impl InlineWriter {
    pub(crate) fn new(base: Style) -> Self {
        Self { styles: vec![base], is_begun: false, links: Vec::new() }
    }

    /// Takes the next event, and emits its text.
    pub(crate) fn push(&mut self, event: &Event<'_>, emit: &mut dyn FnMut(InlinePiece<'_>)) {
        let style = self.style();
        match event {
            Event::Text(text) => self.text(text, style, emit),
            Event::Code(text) => self.text(text, style.with_role(TextRole::Code), emit),
            Event::Html(text) | Event::InlineHtml(text) => {
                self.text(text, style.with_role(TextRole::Code), emit);
            }
            Event::SoftBreak => emit(InlinePiece::Text(" ", style)),
            Event::HardBreak => emit(InlinePiece::Break),
            Event::Start(tag) => self.start(tag, emit),
            Event::End(tag) => self.end(*tag, emit),
            // The parser's options for math, footnotes and tasks are off, so these are text; rules
            // do not occur in a text.
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, emit: &mut dyn FnMut(InlinePiece<'_>)) {
        let style = self.style();
        let is_inline = matches!(
            tag,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
        );
        // If the parser finds more than one block after all, they are separated.
        if !is_inline && std::mem::replace(&mut self.is_begun, true) {
            emit(InlinePiece::Text(" ", style));
        }
        let style = match tag {
            Tag::Emphasis => style.italic(),
            Tag::Strong => style.bold(),
            Tag::Strikethrough => style.strikethrough(),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let is_image = matches!(tag, Tag::Image { .. });
                if is_image {
                    self.text("[", style, emit);
                }
                let address = dest_url.to_string();
                self.links.push(OpenLink { address, text: String::new(), is_image });
                style.with_role(TextRole::Link)
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                self.text(info, style, emit);
                emit(InlinePiece::Text(" ", style));
                style
            }
            _ => style,
        };
        self.styles.push(style);
    }

    fn end(&mut self, tag: TagEnd, emit: &mut dyn FnMut(InlinePiece<'_>)) {
        let inner = self.style();
        if self.styles.len() > 1 {
            self.styles.pop();
        }
        let style = self.style();
        match tag {
            TagEnd::Link | TagEnd::Image => {
                let Some(link) = self.links.pop() else { return };
                if link.is_image {
                    self.text("]", style, emit);
                }
                if link.has_hidden_address() {
                    self.text(" (", style, emit);
                    self.text(&sanitize_line(&link.address), inner.dim(), emit);
                    self.text(")", style, emit);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str, style: Style, emit: &mut dyn FnMut(InlinePiece<'_>)) {
        if let Some(link) = self.links.last_mut() {
            link.text.push_str(text);
        }
        let text =
            if text.contains('\n') { Cow::Owned(text.replace('\n', " ")) } else { text.into() };
        let clean = match style.role() {
            // Code and addresses are copied, so they stay exact.
            TextRole::Code => sanitize_line(&text),
            _ => sanitize_prose_line(&text),
        };
        emit(InlinePiece::Text(&clean, style));
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }
}

impl OpenLink {
    /// Returns whether its text does not show its address.
    fn has_hidden_address(&self) -> bool {
        let address = self.address.strip_prefix("mailto:").unwrap_or(&self.address);
        let is_text = self.text == address || self.text == self.address;
        let is_shown = is_text && !self.is_image && !address.contains(is_direction_mark);
        !address.is_empty() && !is_shown
    }
}
