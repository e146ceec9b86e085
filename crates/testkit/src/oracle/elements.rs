//! The elements of other notations around actions: P-43.

use super::*;

/// The names of elements that choose, repeat, group or undo.
const CONTROL: &str = "if then else elif elseif else-if else_if unless when otherwise switch case \
    default choose condition conditional for foreach for-each for_each loop while until repeat \
    parallel race sequence sequential transaction rollback compensate compensation undo try catch \
    except finally retry on_error on-error on_failure on-failure on_success on-success";

/// The names of tags around calls and answers, and of tags of HTML without content.
const OTHERS: &str = "action actions agent answer assistant call calls execute final final_answer \
    function function_call function_calls functioncall invoke output respond response results \
    thought tool tool_call tool_calls tool_code tool_use toolcall tools turn \
    area base br col embed hr img input link meta param source track wbr";

/// The elements that are open, the outermost first.
#[derive(Clone)]
pub(super) struct Elements {
    pub(super) open: Vec<Element>,
    /// Whether only tags and blanks are before the current place on its line.
    pub(super) is_line_start: bool,
    /// Whether a character is before the current place after which no tag begins anything.
    is_quoted: bool,
}

#[derive(Clone)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) kind: ElementKind,
}

#[derive(Clone, PartialEq)]
pub(super) enum ElementKind {
    /// Open until other text comes.
    Loose,
    Firm,
    /// A control block: its id, and whether its other body has begun.
    Block(String, bool),
    /// A control block that cannot be used.
    Bad,
}

impl Element {
    pub(super) fn is_block(&self) -> bool {
        matches!(self.kind, ElementKind::Block(..))
    }
}

impl Elements {
    pub(super) const fn new() -> Self {
        Self { open: vec![], is_line_start: true, is_quoted: false }
    }

    /// Reads text outside of sections: the elements that begin and end in it.
    pub(super) fn read(&mut self, text: &str) {
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let tag = if self.is_quoted { None } else { Tag::read(&text[at..]) };
            let mut is_word = !is_white(c);
            if let Some(tag) = tag {
                at += tag.length;
                is_word = !tag.apply(self.is_line_start, &mut self.open);
            } else {
                at += c.len_utf8();
                self.is_line_start |= c == '\n';
            }
            self.is_quoted = text[..at].ends_with(['<', '`']);
            if is_word {
                self.is_line_start = false;
                self.open.retain(|element| element.kind != ElementKind::Loose);
            }
        }
    }

    /// Begins the text behind a delimiter, where a tag is at the start of a line.
    pub(super) fn begin_piece(&mut self) {
        (self.is_line_start, self.is_quoted) = (true, false);
    }

    /// Returns whether nothing runs here.
    pub(super) fn stop_actions(&self) -> bool {
        self.open.last().is_some_and(|element| !element.is_block())
    }
}

struct Tag {
    /// The number of bytes up to its end.
    length: usize,
    name: String,
    closes: bool,
    is_empty: bool,
    has_attributes: bool,
}

impl Tag {
    /// Reads a tag, or the part of a control element's tag that is on its line.
    fn read(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('<')?;
        let name = rest.strip_prefix('/').unwrap_or(rest);
        let closes = name.len() < rest.len();
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let inside = name.trim_start_matches(is_letter);
        let name = name[..name.len() - inside.len()].to_ascii_lowercase();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || name.len() > 64 {
            return None;
        }
        let is_control = !closes && has(CONTROL, &name);
        let ends_name = |c: char| is_white(c) || matches!(c, '/' | '>');
        if !inside.is_empty() && !inside.starts_with(ends_name) {
            return None;
        }
        let line = inside.split('\n').next().unwrap_or_default();
        let line = &line[..line.floor_char_boundary(1024)];
        let end = line.find('>');
        let attributes = &line[..end.unwrap_or(line.len())];
        if !is_control && (end.is_none() || attributes.contains('<')) {
            return None;
        }
        let begin = text.len() - inside.len();
        Some(Self {
            length: begin + attributes.len() + usize::from(end.is_some()),
            name,
            closes,
            is_empty: end.is_some() && attributes.ends_with('/'),
            has_attributes: attributes.chars().any(|c| !is_white(c) && c != '/'),
        })
    }

    /// Opens or closes the element. Returns whether the tag is more than a word of a sentence.
    fn apply(self, is_line_start: bool, open: &mut Vec<Element>) -> bool {
        let Self { name, closes, is_empty, has_attributes, .. } = self;
        let is_control = has(CONTROL, &name);
        if closes {
            let begin = open.iter().rposition(|other| other.name == name && !other.is_block());
            open.truncate(begin.unwrap_or(open.len()));
        } else if is_empty || has(OTHERS, &name) {
            return true;
        } else if !is_control && !is_line_start {
            return false;
        } else if open.len() < 32 {
            let is_firm = is_control && (is_line_start || has_attributes);
            open.push(Element {
                name,
                kind: if is_firm { ElementKind::Firm } else { ElementKind::Loose },
            });
        }
        true
    }
}

fn has(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|other| other == name)
}
