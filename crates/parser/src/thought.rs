//! Thoughts in the form of reasoning models (P-38), before the first section of the dialect.
//!
//! This module decides whether the closing tag of such a thought counts. `beginning.rs` finds it.

use silcrow_event::{Fragment, TextKind};
use silcrow_lex::{Dialect, Lexer};

use crate::beginning::BeginningPart;
use crate::parser::Parser;
use crate::section::Section;
use crate::section_text::FragmentSink;

/// Stands for a tag with which the prompt has opened a thought, in front of a text that begins
/// inside it (P-38).
///
/// ```
/// use silcrow_parser::{Dialect, Fragment, OPENED_THOUGHT, Parser};
///
/// let mut parser = Parser::new(Dialect::Action);
/// let mut thought = String::new();
/// for text in [OPENED_THOUGHT, "It is even.</think><response>Yes.</response>"] {
///     parser.push(text, &mut |fragment| match fragment {
///         Fragment::Text(text) if !text.kind.is_respond() => thought.push_str(text.text),
///         _ => {}
///     });
/// }
/// assert_eq!(thought, "It is even.");
/// ```
pub const OPENED_THOUGHT: &str = "<think>";

impl Parser {
    /// Starts inside a thought (P-38), as for reasoning models whose prompt ends with `<think>`.
    /// The thought ends at `</think>`.
    ///
    /// ```
    /// use silcrow_parser::{Dialect, Fragment, Parser};
    ///
    /// let mut parser = Parser::new(Dialect::Sigil).with_open_thought();
    /// let mut log = Vec::new();
    /// let mut show = |fragment: Fragment<'_>| {
    ///     if let Fragment::Text(text) = fragment {
    ///         log.push(format!("{} {:?}", text.kind.type_name(), text.text));
    ///     }
    /// };
    /// parser.push("It is even.</think>\n\n§respond: Yes.", &mut show);
    /// parser.finish(&mut show);
    /// assert_eq!(log, [r#"think "It is even.""#, r#"respond "Yes.""#]);
    /// ```
    #[must_use]
    pub fn with_open_thought(mut self) -> Self {
        self.beginning.in_thought = true;
        self.open_native_thought();
        self
    }

    /// Reads the thought tags of every reasoning model at the start of the input, such as `[THINK]`
    /// or `<seed:think>`, in all dialects. The prompt may also have opened a thought: a closing tag
    /// before the first delimiter shows that the text so far was a thought ([`Fragment::Thought`]),
    /// even if it was already emitted.
    ///
    /// ```
    /// use silcrow_parser::{Dialect, Fragment, Parser};
    ///
    /// let mut parser = Parser::new(Dialect::Sigil).with_reasoning_tags();
    /// let mut log = Vec::new();
    /// let mut show = |fragment: Fragment<'_>| match fragment {
    ///     Fragment::Text(text) => log.push(format!("{} {:?}", text.kind.type_name(), text.text)),
    ///     Fragment::Thought { part } => log.push(format!("{part} was a thought")),
    ///     _ => {}
    /// };
    /// parser.push("It is even.</think>\n\n§respond: Yes.", &mut show);
    /// parser.finish(&mut show);
    /// assert_eq!(log, [r#"respond "It is even.""#, "1 was a thought", r#"respond "Yes.""#]);
    /// ```
    #[must_use]
    pub const fn with_reasoning_tags(mut self) -> Self {
        self.beginning.reads_all_tags = true;
        self
    }

    /// Returns whether the turn has an answer without a delimiter, or may still have one. Text
    /// about thoughts in such an answer may be the model's reasoning; after a delimiter it is a
    /// part of the answer (P-36).
    ///
    /// ```
    /// use silcrow_parser::{Dialect, Parser};
    ///
    /// let mut parser = Parser::new(Dialect::Sigil);
    /// assert!(parser.may_answer_plainly());
    /// parser.push("§respond: Models write <think> first.", &mut |_| {});
    /// assert!(!parser.may_answer_plainly());
    /// ```
    pub const fn may_answer_plainly(&self) -> bool {
        match self.options.dialect {
            Dialect::Sigil => self.is_plain || self.has_plain_answer,
            Dialect::Phase => true,
            Dialect::Action => self.outside.may_answer() && !self.has_answer_open(),
        }
    }

    /// Returns whether the text that is open belongs to a response and is not empty.
    const fn has_answer_open(&self) -> bool {
        let Section::Text(text) = &self.section else { return false };
        !matches!(text.kind(), TextKind::Think) && text.is_open()
    }

    /// Returns whether the text began in a thought that the prompt had opened, as its closing tag has
    /// shown (P-38).
    pub const fn has_unopened_thought(&self) -> bool {
        self.has_unopened_thought
    }

    /// Takes a part of the input's beginning.
    pub(crate) fn begin_with(&mut self, part: BeginningPart<'_>, sink: &mut FragmentSink<'_>) {
        match part {
            BeginningPart::Dropped(len) => self.at += len as u64,
            BeginningPart::Plain(text) => self.lex(text, sink),
            BeginningPart::ThoughtStart(len) => {
                self.at += len as u64;
                self.open_native_thought();
            }
            BeginningPart::Thought(text) => {
                self.text(text, self.at, sink);
                self.at += text.len() as u64;
            }
            BeginningPart::ThoughtEnd(len) => {
                self.at += len as u64;
                self.close(false, sink);
                self.begin_again();
            }
            BeginningPart::Unopened(tag) => self.end_unopened(tag, sink),
        }
    }

    /// Takes a closing tag in text without a delimiter. If it counts, the prompt has opened a thought,
    /// and all of the text so far is that thought.
    fn end_unopened(&mut self, tag: &'static str, sink: &mut FragmentSink<'_>) {
        let may_end = match &self.section {
            Section::Text(_) => true,
            Section::Outside(_) => self.outside.may_be_thought() && !self.tag.is_open,
            _ => false,
        };
        if !may_end || !self.delimiter_counts() {
            return self.lex(tag, sink);
        }
        // Pending text is a delimiter if it counts at the end of a text.
        while let Some(token) = self.lexer.finish() {
            self.token(token, sink);
        }
        if !self.is_plain {
            return self.text(tag, self.at, sink);
        }
        self.at += tag.len() as u64;
        self.beginning.end();
        self.has_unopened_thought = true;
        let part = self.parts + 1;
        if let Section::Text(text) = &mut self.section
            && text.is_open()
        {
            text.release(sink);
            sink(Fragment::Thought { part });
        }
        self.close(false, sink);
        if self.outside.take_thought(part, sink) {
            self.parts += 1;
        }
        self.begin_again();
    }

    /// Reads the rest as if the input began here.
    fn begin_again(&mut self) {
        self.lexer = Lexer::new(self.options);
        self.begin();
    }
}
