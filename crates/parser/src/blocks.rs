//! The elements that are open around actions, in the dialect `action` (P-43).
//!
//! There are no blocks yet, so nothing in one may run: an element that is open where an action begins
//! was meant to choose, to repeat or to group what is in it. This module reads the tags in text
//! outside of sections. It does not know what an action is.
//!
//! ```text
//! Text ─ `<` ─► Tag ─ `>` ─► Text: an element begins or ends
//!                 ├─ no tag after all ─► Text
//!                 └─ the end of the line, or of the piece ─► Text: a control element begins
//! ```

/// The elements that are open so far, and the tag that is being read.
#[derive(Debug)]
pub(crate) struct OpenBlocks {
    open: Vec<OpenElement>,
    tag: Option<ElementTag>,
    /// The character before the current one.
    before: char,
    /// Whether nothing but blanks, tags and delimiters is before this place on its line.
    is_line_start: bool,
}

/// An element that is not closed yet.
#[derive(Debug)]
struct OpenElement {
    /// The name in lower case.
    name: String,
    /// Whether it stays open when text follows in it.
    is_firm: bool,
}

/// A tag that is being read.
#[derive(Debug)]
struct ElementTag {
    name: String,
    is_closing: bool,
    is_line_start: bool,
    has_attributes: bool,
    /// The number of bytes after the name, once there are any.
    rest: Option<usize>,
    last: char,
}

impl OpenBlocks {
    pub(crate) const fn new() -> Self {
        Self { open: Vec::new(), tag: None, before: ' ', is_line_start: true }
    }

    /// Takes text outside of sections. `counts` is whether a tag may begin with its first character;
    /// only that one may be a `<`.
    pub(crate) fn push(&mut self, text: &str, counts: bool) {
        for char in text.chars() {
            self.step(char, counts);
            self.before = char;
        }
    }

    /// Ends a piece of text, before a delimiter.
    pub(crate) fn end_piece(&mut self) {
        self.cut();
        (self.before, self.is_line_start) = (' ', true);
    }

    /// Returns the name of the innermost element around this place.
    pub(crate) fn innermost(&self) -> Option<&str> {
        self.open.last().map(|element| &*element.name)
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

    /// Takes a character of ordinary text, in which an element is only a word of it.
    fn prose(&mut self) {
        self.is_line_start = false;
        self.open.retain(|element| element.is_firm);
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
            if let Some(at) = self.open.iter().rposition(|element| element.name == tag.name) {
                self.open.truncate(at);
            }
        } else if tag.last != '/' {
            self.begin(tag);
        }
    }

    /// Begins the element of a tag, unless it is a frame around calls, or a word in a sentence.
    fn begin(&mut self, ElementTag { name, is_line_start, has_attributes, .. }: ElementTag) {
        if FRAMES.contains(&&*name) || VOID.contains(&&*name) {
            return;
        }
        let is_control = is_control(&name);
        if !is_control && !is_line_start {
            return self.prose();
        }
        if self.open.len() < MAX_OPEN {
            let is_firm = is_control && (is_line_start || has_attributes);
            self.open.push(OpenElement { name, is_firm });
        }
    }
}

/// What a character means for the tag before it.
enum TagStep {
    /// It belongs to the tag.
    More,
    /// It is the tag's `>`.
    End,
    /// The tag ends before it, without a `>`.
    Cut,
    /// There is no tag.
    NoTag,
}

impl ElementTag {
    const fn new(is_line_start: bool) -> Self {
        Self {
            name: String::new(),
            is_closing: false,
            is_line_start,
            has_attributes: false,
            rest: None,
            last: '<',
        }
    }

    fn take(&mut self, char: char) -> TagStep {
        let Some(rest) = &mut self.rest else { return self.take_name(char) };
        *rest += char.len_utf8();
        match char {
            '\n' => return TagStep::Cut,
            _ if *rest > MAX_REST => return TagStep::Cut,
            '>' => return TagStep::End,
            // Only a control element may compare something.
            '<' if self.is_closing || !is_control(&self.name) => return TagStep::NoTag,
            _ => {}
        }
        self.has_attributes |= !matches!(char, ' ' | '\t' | '\r' | '/');
        self.last = char;
        TagStep::More
    }

    fn take_name(&mut self, char: char) -> TagStep {
        let is_first = self.name.is_empty();
        match char {
            '/' if is_first && !self.is_closing => {
                self.is_closing = true;
                TagStep::More
            }
            'a'..='z' | 'A'..='Z' if self.name.len() < MAX_NAME => {
                self.name.push(char.to_ascii_lowercase());
                TagStep::More
            }
            '0'..='9' | '_' | '-' | '.' if !is_first && self.name.len() < MAX_NAME => {
                self.name.push(char);
                TagStep::More
            }
            '>' if !is_first => TagStep::End,
            ' ' | '\t' | '\r' | '\n' | '/' if !is_first => {
                self.rest = Some(0);
                self.take(char)
            }
            _ => TagStep::NoTag,
        }
    }
}

fn is_control(name: &str) -> bool {
    CONTROL.contains(&name)
}

/// The names of elements that choose, repeat, group or undo.
const CONTROL: [&str; 44] = [
    "if",
    "then",
    "else",
    "elif",
    "elseif",
    "else-if",
    "else_if",
    "unless",
    "when",
    "otherwise",
    "switch",
    "case",
    "default",
    "choose",
    "condition",
    "conditional",
    "for",
    "foreach",
    "for-each",
    "for_each",
    "loop",
    "while",
    "until",
    "repeat",
    "parallel",
    "race",
    "sequence",
    "sequential",
    "transaction",
    "rollback",
    "compensate",
    "compensation",
    "undo",
    "try",
    "catch",
    "except",
    "finally",
    "retry",
    "on_error",
    "on-error",
    "on_failure",
    "on-failure",
    "on_success",
    "on-success",
];

/// The names of tags around calls or answers, which change nothing about what is in them.
const FRAMES: [&str; 28] = [
    "action",
    "actions",
    "agent",
    "answer",
    "assistant",
    "call",
    "calls",
    "execute",
    "final",
    "final_answer",
    "function",
    "function_call",
    "function_calls",
    "functioncall",
    "invoke",
    "output",
    "respond",
    "response",
    "results",
    "thought",
    "tool",
    "tool_call",
    "tool_calls",
    "tool_code",
    "tool_use",
    "toolcall",
    "tools",
    "turn",
];

/// The elements of HTML that have no content.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// The number of open elements that are kept.
const MAX_OPEN: usize = 32;

/// The length of the longest name in bytes.
const MAX_NAME: usize = 64;

/// The length of the longest tag after its name, in bytes.
const MAX_REST: usize = 1024;
