//! The part of the parser that reads the bodies of calls.
//!
//! Until it is certain that a call follows a mark, the text is kept. If it turns out otherwise, the
//! text is read in the next way that the mark may have, and at last as text.

use silcrow_event::DiagnosticKind;

use crate::body::{BodyContext, BodyStep};
use crate::body_encoding::BodyEncoding;
use crate::body_reader::BodyReader;
use crate::call_sink::{CallSink, Emit};
use crate::elements::ElementBody;
use crate::expression::ExpressionBody;
use crate::family_data::CallOpener;
use crate::json_body::JsonBody;
use crate::loose::LooseBody;
use crate::marks::MarkRole;
use crate::native_parser::{NativeParser, ParserMode, length};
use crate::parameters::ParameterBody;
use crate::quote_tracker::QuoteTracker;
use crate::tool_schemas::ToolSchemas;

impl NativeParser {
    /// Begins the body after a mark.
    pub(crate) fn begin_body(&mut self, mark: &'static str, at: u64, emit: &mut Emit<'_>) {
        let marks = self.table.marks.iter().enumerate();
        let is_opener = |role| matches!(role, MarkRole::Call(..));
        let same = marks.filter(|(_, one)| one.text == mark && is_opener(one.role));
        let same = same.filter(|(_, one)| self.counts(one, false));
        let openers: Vec<usize> = same.map(|(number, _)| number).collect();
        self.openers = openers;
        self.sink.at = at;
        self.raw.clear();
        self.raw.push_str(mark);
        self.open(0, emit);
    }

    /// Reads a part of a body, and returns its length.
    pub(crate) fn read_body(&mut self, text: &str, character: char, emit: &mut Emit<'_>) -> usize {
        let tools = self.tools.as_deref();
        let mut context = context(&mut self.sink, tools, self.is_committed, emit);
        let run = self.reader.as_mut().map_or(0, |reader| reader.run(text, &mut context));
        if run > 0 {
            if !self.is_committed {
                self.raw.push_str(&text[..run]);
            }
            self.at += length(&text[..run]);
            return run;
        }
        let used = character.len_utf8();
        self.at += length(&text[..used]);
        if !self.is_committed {
            self.raw.push(character);
        }
        self.step(character, emit);
        used
    }

    /// Ends a body that the end of the text cuts off.
    pub(crate) fn end_open_body(&mut self, emit: &mut Emit<'_>) {
        let tools = self.tools.as_deref();
        let mut context = context(&mut self.sink, tools, self.is_committed, emit);
        let step = self.reader.as_mut().map(|reader| reader.finish(&mut context));
        self.follow(step.unwrap_or(BodyStep::Done), emit);
    }

    pub(crate) fn reader_of(form: BodyEncoding) -> BodyReader {
        match form {
            BodyEncoding::Json(form) => BodyReader::Json(Box::new(JsonBody::new(form))),
            BodyEncoding::Parameters(form) => {
                BodyReader::Parameters(Box::new(ParameterBody::new(form)))
            }
            BodyEncoding::Elements(form) => BodyReader::Elements(Box::new(ElementBody::new(form))),
            BodyEncoding::Expression(form) => {
                BodyReader::Expression(Box::new(ExpressionBody::new(form)))
            }
            BodyEncoding::Loose(form) => BodyReader::Loose(Box::new(LooseBody::new(form))),
        }
    }

    /// Begins to read the body in one of the ways that its mark may have.
    fn open(&mut self, number: usize, emit: &mut Emit<'_>) {
        self.opener = number;
        self.mode = ParserMode::Body;
        self.is_committed = false;
        self.sink.begin();
        let Some(opener) = self.call_opener() else { return };
        self.reader = Some(Self::reader_of(opener.body));
        if opener.is_in_body {
            for character in opener.mark.chars() {
                if self.mode == ParserMode::Body && self.opener == number {
                    self.step(character, emit);
                }
            }
        }
    }

    fn call_opener(&self) -> Option<&'static CallOpener> {
        let mark = self.table.marks[*self.openers.get(self.opener)?];
        match mark.role {
            MarkRole::Call(number, _) => self.families[mark.family].calls.get(number),
            _ => None,
        }
    }

    fn step(&mut self, character: char, emit: &mut Emit<'_>) {
        let tools = self.tools.as_deref();
        let mut context = context(&mut self.sink, tools, self.is_committed, emit);
        let step = self.reader.as_mut().map(|reader| reader.step(character, &mut context));
        self.follow(step.unwrap_or(BodyStep::Done), emit);
    }

    fn follow(&mut self, step: BodyStep, emit: &mut Emit<'_>) {
        match step {
            BodyStep::More => {}
            BodyStep::Commit => self.commit(emit),
            BodyStep::Done => self.end_body(emit),
            BodyStep::Leave(left) => {
                self.end_body(emit);
                self.at -= length(&left);
                self.feed(&left, emit);
            }
            BodyStep::Refuted if self.is_committed => {
                self.sink.fail(UNREADABLE, false, "", emit);
                self.end_body(emit);
                self.is_hidden = true;
            }
            BodyStep::Refuted => self.refuse(emit),
        }
    }

    fn commit(&mut self, emit: &mut Emit<'_>) {
        if !self.is_committed {
            self.is_committed = true;
            self.prompt = 0;
            self.raw.clear();
            self.sink.close(emit);
        }
    }

    fn end_body(&mut self, emit: &mut Emit<'_>) {
        self.commit(emit);
        if self.sink.is_deferred {
            self.sink.release(emit);
        }
        let is_message = self.openers.is_empty();
        self.reader = None;
        self.mode = ParserMode::Text;
        self.is_committed = false;
        self.is_thought = false;
        self.is_blank = false;
        self.is_hidden = is_message;
        self.follows_call = true;
        self.line_breaks = 0;
        self.quotes = QuoteTracker::START;
        self.sink.begin();
    }

    /// Reads the text of a body that was refused in another way.
    fn refuse(&mut self, emit: &mut Emit<'_>) {
        self.sink.drop_deferred();
        let raw = std::mem::take(&mut self.raw);
        let mark = self.call_opener().map_or("", |opener| opener.mark);
        let left = &raw[mark.len()..];
        self.at -= length(left);
        if self.opener + 1 < self.openers.len() {
            self.raw.push_str(mark);
            self.open(self.opener + 1, emit);
            self.feed(left, emit);
            return;
        }
        self.mode = ParserMode::Text;
        self.reader = None;
        // A fence is seldom a call.
        if mark.len() > 1 && !mark.starts_with('`') && self.prompt == 0 {
            self.refused += 1;
            let at = self.sink.at;
            self.sink.diagnostic(DiagnosticKind::HiddenDelimiter, mark, at, emit);
        }
        self.give(mark, emit);
        self.feed(left, emit);
    }
}

/// Returns the state that a reader works with.
pub(crate) fn context<'c, 'e>(
    sink: &'c mut CallSink,
    tools: Option<&'c ToolSchemas>,
    is_committed: bool,
    emit: &'c mut Emit<'e>,
) -> BodyContext<'c, 'e> {
    BodyContext { sink, tools, emit, is_committed }
}

const UNREADABLE: &str = "the call is not written in the form that the model was trained for";
