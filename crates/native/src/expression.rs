//! Reads calls that are written as in Python: `[f(a=1), g()]`.
//!
//! This module finds where a call ends. [`python_literal`] reads its arguments.
//!
//! ```text
//! Open ─name─► Name ─(─► Arguments ─)─► Between ─]─► Tail
//!                ▲                         │
//!                └────────── , or a line ──┘
//! ```

use crate::body::{BodyContext, BodyStep, CUT, HoldStep, MarkHold, UNFINISHED};
use crate::python_literal;

/// The form of a family's expressions.
#[derive(Debug)]
pub(crate) struct ExpressionForm {
    /// Marks that end the body.
    pub(crate) ends: &'static [&'static str],
    /// Whether the list has no mark, so that all of it must be complete before any of it counts.
    pub(crate) is_unmarked: bool,
}

#[derive(Debug)]
pub(crate) struct ExpressionBody {
    form: &'static ExpressionForm,
    state: ExpressionState,
    has_bracket: bool,
    name: String,
    /// The text between the parentheses.
    text: String,
    quote: Option<char>,
    is_escaped: bool,
    depth: u32,
    hold: MarkHold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpressionState {
    Open,
    Name,
    Arguments,
    Between,
    Tail,
}

impl ExpressionBody {
    pub(crate) fn new(form: &'static ExpressionForm) -> Self {
        Self {
            form,
            state: ExpressionState::Open,
            has_bracket: false,
            name: String::new(),
            text: String::new(),
            quote: None,
            is_escaped: false,
            depth: 0,
            hold: MarkHold::default(),
        }
    }

    pub(crate) fn step(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        context.sink.is_deferred = self.form.is_unmarked;
        match self.state {
            ExpressionState::Open | ExpressionState::Between => self.outside(character),
            ExpressionState::Name => self.in_name(character),
            ExpressionState::Arguments => self.in_arguments(character, context),
            ExpressionState::Tail => match character {
                ' ' | '\t' | '\r' => BodyStep::More,
                '\n' | '<' => BodyStep::Leave(character.to_string()),
                _ => BodyStep::Refuted,
            },
        }
    }

    /// Takes the plain characters of a string.
    pub(crate) fn run(&mut self, text: &str) -> usize {
        let Some(quote) = self.quote.filter(|_| !self.is_escaped) else { return 0 };
        let quote = if quote == '"' { b'"' } else { b'\'' };
        let end = memchr::memchr3(quote, b'\\', b'\n', text.as_bytes()).unwrap_or(text.len());
        self.text.push_str(&text[..end]);
        end
    }

    pub(crate) fn finish(&mut self, context: &mut BodyContext<'_, '_>) -> BodyStep {
        match self.state {
            ExpressionState::Tail => BodyStep::Done,
            _ if self.form.is_unmarked => BodyStep::Refuted,
            ExpressionState::Between => BodyStep::Done,
            _ => self.fail(CUT, true, context),
        }
    }

    fn outside(&mut self, character: char) -> BodyStep {
        let is_between = self.state == ExpressionState::Between;
        match character {
            _ if character.is_whitespace() => BodyStep::More,
            '[' if !self.has_bracket && !is_between => {
                self.has_bracket = true;
                BodyStep::More
            }
            ']' if self.has_bracket && is_between && self.form.is_unmarked => {
                self.state = ExpressionState::Tail;
                BodyStep::More
            }
            ']' if self.has_bracket && !self.form.is_unmarked => BodyStep::Done,
            ',' | ';' if is_between => BodyStep::More,
            _ if character.is_alphabetic() || character == '_' => {
                self.state = ExpressionState::Name;
                self.name.clear();
                self.name.push(character);
                BodyStep::More
            }
            _ if is_between && !self.form.is_unmarked => BodyStep::Leave(character.to_string()),
            _ => BodyStep::Refuted,
        }
    }

    fn in_name(&mut self, character: char) -> BodyStep {
        if character == '(' {
            self.state = ExpressionState::Arguments;
            self.text.clear();
            self.depth = 0;
            return if self.form.is_unmarked { BodyStep::More } else { BodyStep::Commit };
        }
        let is_part = character.is_alphanumeric() || "_.-/".contains(character);
        if is_part && self.name.len() < MAX_NAME {
            self.name.push(character);
            return BodyStep::More;
        }
        if self.form.is_unmarked {
            return BodyStep::Refuted;
        }
        let left = format!("{}{character}", self.name);
        BodyStep::Leave(left)
    }

    fn in_arguments(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        if let Some(quote) = self.quote {
            if character == '\n' && self.form.is_unmarked {
                return BodyStep::Refuted;
            }
            self.text.push(character);
            if self.is_escaped {
                self.is_escaped = false;
            } else if character == '\\' {
                self.is_escaped = true;
            } else if character == quote {
                self.quote = None;
            }
            return BodyStep::More;
        }
        match self.hold.push(character, self.form.ends) {
            HoldStep::Kept => return BodyStep::More,
            HoldStep::Mark(_) => {
                let mark = std::mem::take(&mut self.hold.text);
                self.fail(UNFINISHED, false, context);
                return BodyStep::Leave(mark);
            }
            HoldStep::Broken => {
                // The last character is handled below.
                self.hold.text.pop();
                self.text.push_str(&std::mem::take(&mut self.hold.text));
            }
            HoldStep::Other => {}
        }
        match character {
            '"' | '\'' => self.quote = Some(character),
            '(' | '[' | '{' => self.depth += 1,
            ')' if self.depth == 0 => return self.close(context),
            ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.text.push(character);
        BodyStep::More
    }

    fn close(&mut self, context: &mut BodyContext<'_, '_>) -> BodyStep {
        self.state = ExpressionState::Between;
        context.sink.begin();
        context.sink.name.push_str(&self.name);
        match python_literal::arguments(&self.text) {
            Some(arguments) => {
                context.sink.args.push_str(&arguments);
                let whole = context.sink.complete(context.emit);
                if whole || !self.form.is_unmarked { BodyStep::More } else { BodyStep::Refuted }
            }
            None if self.form.is_unmarked => BodyStep::Refuted,
            None => {
                let text = format!("{}({})", self.name, self.text);
                context.sink.fail(NO_LITERALS, false, &text, context.emit);
                BodyStep::More
            }
        }
    }

    fn fail(&mut self, why: &str, truncated: bool, context: &mut BodyContext<'_, '_>) -> BodyStep {
        let text = format!("{}({}", self.name, self.text);
        context.sink.begin();
        context.sink.name.push_str(&self.name);
        context.sink.fail(why, truncated, &text, context.emit);
        BodyStep::Done
    }
}

/// The length in bytes of the longest name of a tool.
const MAX_NAME: usize = 256;

const NO_LITERALS: &str = "the arguments are not literals with names; write each as `name=value`";
