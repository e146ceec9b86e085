//! The tags of elements in text outside of sections, character by character (P-43).
//!
//! This module finds the end of a tag. `blocks` tracks which elements are open.

/// A tag that is being read.
#[derive(Debug)]
pub(crate) struct ElementTag {
    pub(crate) name: String,
    pub(crate) is_closing: bool,
    pub(crate) is_line_start: bool,
    pub(crate) has_attributes: bool,
    /// The number of bytes after the name, once there are any.
    rest: Option<usize>,
    pub(crate) last: char,
}

/// The meaning of a character for the tag before it.
pub(crate) enum TagStep {
    /// It belongs to the tag.
    More,
    /// It is the tag's `>`.
    End,
    /// The tag ends before it, without a `>`.
    Cut,
    /// The text is not a tag.
    NoTag,
}

impl ElementTag {
    pub(crate) const fn new(is_line_start: bool) -> Self {
        Self {
            name: String::new(),
            is_closing: false,
            is_line_start,
            has_attributes: false,
            rest: None,
            last: '<',
        }
    }

    /// Returns whether only its `<` has arrived.
    pub(crate) const fn is_empty(&self) -> bool {
        self.name.is_empty() && !self.is_closing
    }

    pub(crate) fn take(&mut self, char: char) -> TagStep {
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

pub(crate) fn is_control(name: &str) -> bool {
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

/// Returns whether an element frames calls or answers, or has no content in HTML.
pub(crate) fn begins_nothing(name: &str) -> bool {
    FRAMES.contains(&name) || VOID.contains(&name)
}

/// The names of tags around calls or answers, which have no effect on their contents.
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

/// The length of the longest name in bytes.
const MAX_NAME: usize = 64;

/// The length of the longest tag after its name, in bytes.
const MAX_REST: usize = 1024;
