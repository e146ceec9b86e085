//! The control blocks and other elements that are open around actions, in the dialect `action`.
//!
//! Blocks (P-29 to P-31) choose, repeat or group their contents. Nothing runs in any other element
//! that is open where an action begins (P-43). This module tracks which of them are open; the lexer
//! finds the tags of blocks, and this module reads all other tags in text outside of sections.
//!
//! ```text
//! Text ─ `<` ─► Tag ─ `>` ─► Text: an element begins or ends
//!                 ├─ no tag after all ─► Text
//!                 └─ the end of the line, or of the piece ─► Text: a control element begins
//! ```

use silcrow_lex::BlockTag;

use crate::element_tag::{ElementTag, TagStep, begins_nothing, is_control};

/// The blocks and elements that are open so far, and the tag that is being read.
#[derive(Debug)]
pub(crate) struct OpenBlocks {
    /// Blocks first, because none begins in another element.
    open: Vec<OpenElement>,
    tag: Option<ElementTag>,
    /// The character before the current one.
    before: char,
    /// Whether only blanks, tags and delimiters are before this place on its line.
    is_line_start: bool,
    /// Whether the closing tag of a value, which has no content, may follow.
    ends_value: bool,
}

/// An element that is not closed yet.
#[derive(Debug)]
struct OpenElement {
    /// The name in lower case.
    name: String,
    role: ElementRole,
}

/// The state of an open element.
#[derive(Debug)]
enum ElementRole {
    /// A control block with its id.
    Block {
        id: String,
        /// Whether the other body of a choice is open.
        is_otherwise: bool,
    },
    /// Something that was meant as a control block, and why it is none.
    Rejected(String),
    /// An element that stays open when text follows in it.
    Firm,
    /// An element that is open until text follows in it.
    Loose,
}

/// An element in which nothing runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementAround<'a> {
    pub(crate) name: &'a str,
    /// The reason why it is not a control block, if it was meant as one.
    pub(crate) why: Option<&'a str>,
}

/// The meaning of a tag with the name of a block, by its place.
#[derive(Debug)]
pub(crate) enum TagRole {
    /// Text that may still begin or end an element.
    Text,
    /// A tag that only frames its contents.
    Frame,
    /// The beginning of a block, if its attributes say enough.
    Begin,
    /// The beginning of the other body of this choice.
    Otherwise(String),
    /// The end of these blocks, each with its name and its id, the innermost first.
    End(Vec<(String, String)>),
}

impl OpenBlocks {
    pub(crate) const fn new() -> Self {
        Self { open: Vec::new(), tag: None, before: ' ', is_line_start: true, ends_value: false }
    }

    /// Takes text outside of sections. `counts` is whether a tag may begin with its first character;
    /// only that one may be a `<`.
    pub(crate) fn push(&mut self, text: &str, counts: bool) {
        for char in text.chars() {
            self.step(char, counts);
            self.before = char;
        }
    }

    /// Records that the `<` before this place belongs to an escaped tag, which begins nothing.
    pub(crate) fn escape(&mut self) {
        if self.tag.take_if(|tag| tag.is_empty()).is_some() {
            self.prose();
        }
    }

    /// Ends a piece of text, before a delimiter.
    pub(crate) fn end_piece(&mut self) {
        self.cut();
        (self.before, self.is_line_start) = (' ', true);
    }

    /// Returns the name of the innermost block or element around this place.
    pub(crate) fn innermost(&self) -> Option<&str> {
        self.open.last().map(|element| &*element.name)
    }

    /// Returns the innermost element around this place, if nothing runs in it.
    pub(crate) fn obstacle(&self) -> Option<ElementAround<'_>> {
        let OpenElement { name, role } = self.open.last()?;
        let why = match role {
            ElementRole::Block { .. } => return None,
            ElementRole::Rejected(why) => Some(&**why),
            ElementRole::Firm | ElementRole::Loose => None,
        };
        Some(ElementAround { name, why })
    }

    /// Returns the number of control blocks around this place.
    pub(crate) fn depth(&self) -> usize {
        self.open.iter().filter(|element| element.is_block()).count()
    }

    /// Returns the names of the control blocks that are open, the innermost first.
    pub(crate) fn open_blocks(&self) -> impl Iterator<Item = &str> {
        self.open.iter().rev().filter(|element| element.is_block()).map(|element| &*element.name)
    }

    /// Decides the role of an opening tag. In a sentence, one without attributes is a word.
    pub(crate) fn judge_begin(&mut self, tag: BlockTag, has_attributes: bool) -> TagRole {
        self.cut();
        self.ends_value = false;
        if self.obstacle().is_some() || !(self.is_line_start || has_attributes) {
            return TagRole::Text;
        }
        let choice = match self.open.last_mut() {
            Some(OpenElement { name, role: ElementRole::Block { id, is_otherwise } })
                if name == BlockTag::If.as_str() && !*is_otherwise =>
            {
                Some((id, is_otherwise))
            }
            _ => None,
        };
        match (tag, choice) {
            (BlockTag::Then, Some(_)) => TagRole::Frame,
            (BlockTag::Else, Some((id, is_otherwise))) => {
                *is_otherwise = true;
                TagRole::Otherwise(id.clone())
            }
            (BlockTag::Then | BlockTag::Else, None) => TagRole::Text,
            (BlockTag::Value, _) if !has_attributes => TagRole::Text,
            _ => TagRole::Begin,
        }
    }

    /// Decides the role of a closing tag, and closes the elements that it ends.
    pub(crate) fn judge_end(&mut self, tag: BlockTag) -> TagRole {
        self.cut();
        let ends_value = std::mem::take(&mut self.ends_value);
        let name = tag.as_str();
        let Some(at) = self.open.iter().rposition(|element| element.name == name) else {
            let is_body = matches!(tag, BlockTag::Then | BlockTag::Else);
            let is_frame = match self.open.last() {
                Some(element) => is_body && element.is_block() && element.name == "if",
                None => false,
            };
            let is_frame = is_frame || tag == BlockTag::Value && ends_value;
            return if is_frame { TagRole::Frame } else { TagRole::Text };
        };
        match self.open[at].role {
            ElementRole::Firm | ElementRole::Loose => TagRole::Text,
            ElementRole::Rejected(_) => {
                self.open.truncate(at);
                TagRole::Frame
            }
            ElementRole::Block { .. } => {
                let ended = self.open.drain(at..).rev();
                TagRole::End(ended.filter_map(OpenElement::into_block).collect())
            }
        }
    }

    /// Begins a control block, if it has content.
    pub(crate) fn begin_block(&mut self, tag: BlockTag, id: &str) {
        // A value has none, and its closing tag may follow.
        self.ends_value = tag == BlockTag::Value;
        if !self.ends_value {
            let role = ElementRole::Block { id: id.to_owned(), is_otherwise: false };
            self.open.push(OpenElement { name: tag.as_str().to_owned(), role });
        }
    }

    /// Begins something that was meant as a control block, with the reason why it is not one.
    pub(crate) fn reject_block(&mut self, tag: BlockTag, why: String) {
        self.ends_value = tag == BlockTag::Value;
        if !self.ends_value && self.open.len() < MAX_OPEN {
            let role = ElementRole::Rejected(why);
            self.open.push(OpenElement { name: tag.as_str().to_owned(), role });
        }
    }

    fn step(&mut self, char: char, counts: bool) {
        if let Some(tag) = &mut self.tag {
            match tag.take(char) {
                TagStep::More => return,
                TagStep::End => return self.end_tag(),
                TagStep::Cut => self.cut(),
                TagStep::NoTag => {
                    self.tag = None;
                    self.prose();
                }
            }
        }
        match char {
            '\n' => self.is_line_start = true,
            ' ' | '\t' | '\r' => {}
            '<' if counts && !matches!(self.before, '<' | '`') => {
                self.tag = Some(ElementTag::new(self.is_line_start));
            }
            _ => self.prose(),
        }
    }

    /// Takes a character of ordinary text, where an element's name is only a word.
    fn prose(&mut self) {
        self.is_line_start = false;
        self.open.retain(|element| !matches!(element.role, ElementRole::Loose));
    }

    /// Ends the tag before its `>`.
    fn cut(&mut self) {
        let Some(tag) = self.tag.take() else { return };
        match !tag.is_closing && is_control(&tag.name) {
            true => self.begin(tag),
            false => self.prose(),
        }
    }

    fn end_tag(&mut self) {
        let Some(tag) = self.tag.take() else { return };
        if tag.is_closing {
            let is_it = |element: &OpenElement| element.name == tag.name && !element.is_block();
            if let Some(at) = self.open.iter().rposition(is_it) {
                self.open.truncate(at);
            }
        } else if tag.last != '/' {
            self.begin(tag);
        }
    }

    /// Begins the element of a tag, unless it is a frame around calls, or a word in a sentence.
    fn begin(&mut self, ElementTag { name, is_line_start, has_attributes, .. }: ElementTag) {
        if begins_nothing(&name) {
            return;
        }
        let is_control = is_control(&name);
        if !is_control && !is_line_start {
            return self.prose();
        }
        if self.open.len() < MAX_OPEN {
            let is_firm = is_control && (is_line_start || has_attributes);
            let role = if is_firm { ElementRole::Firm } else { ElementRole::Loose };
            self.open.push(OpenElement { name, role });
        }
    }
}

impl OpenElement {
    const fn is_block(&self) -> bool {
        matches!(self.role, ElementRole::Block { .. })
    }

    fn into_block(self) -> Option<(String, String)> {
        match self.role {
            ElementRole::Block { id, .. } => Some((self.name, id)),
            _ => None,
        }
    }
}

/// The number of open elements that are kept.
const MAX_OPEN: usize = 32;
