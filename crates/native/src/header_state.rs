//! The part of the parser that reads the headers of messages.

use crate::body_encoding::BodyEncoding;
use crate::body_reader::BodyReader;
use crate::body_state::context;
use crate::call_sink::Emit;
use crate::json_body::{JsonBody, JsonShape};
use crate::messages::{HeaderStyle, MessageForm, MessageRole};
use crate::native_parser::{NativeParser, ParserMode, length};
use crate::parameter_form::NameForm;
use crate::parameters::ParameterBody;

impl NativeParser {
    pub(crate) fn begin_header(&mut self, mark: &str, family: usize, emit: &mut Emit<'_>) {
        self.begin_section(false, 0, emit);
        self.header.clear();
        self.header.push_str(mark);
        self.header_family = family;
        self.is_prompted = false;
        self.mode = ParserMode::Header;
        self.look_for_body(emit);
    }

    /// Reads a character of a header.
    pub(crate) fn read_header(&mut self, character: char, emit: &mut Emit<'_>) {
        self.header.push(character);
        self.look_for_body(emit);
        if self.mode != ParserMode::Header {
            return;
        }
        let Some(form) = self.message_form() else { return };
        // A message that begins with two marks begins with the second.
        if self.header.len() > form.starts[0].len() && self.header.ends_with(form.starts[0]) {
            self.header = form.starts[0].to_owned();
            self.is_prompted = false;
        }
        let rest = self.header.strip_prefix(form.starts[0]).unwrap_or(&self.header);
        if !form.may_be_header(rest) {
            self.give_header_back(form, emit);
        }
    }

    /// Ends a header that the end of the text cut off. None of it is shown, unless it contains no
    /// mark.
    pub(crate) fn end_header(&mut self, emit: &mut Emit<'_>) {
        match self.message_form() {
            Some(form) if self.is_prompted && !self.header.contains("<|") => {
                self.give_header_back(form, emit);
            }
            _ => self.mode = ParserMode::Text,
        }
    }

    fn message_form(&self) -> Option<&'static MessageForm> {
        self.families.get(self.header_family).and_then(|family| family.messages)
    }

    fn give_header_back(&mut self, form: &'static MessageForm, emit: &mut Emit<'_>) {
        self.mode = ParserMode::Text;
        let mut text = std::mem::take(&mut self.header);
        if !self.is_prompted {
            for mark in form.starts.iter().chain(form.bodies) {
                text = text.replace(mark, "");
            }
            self.is_prompted = false;
        }
        self.at -= length(&text);
        self.feed(&text, emit);
    }

    fn look_for_body(&mut self, emit: &mut Emit<'_>) {
        let Some(form) = self.message_form() else { return };
        let Some(mark) = form.bodies.iter().find(|mark| self.header.ends_with(**mark)) else {
            return;
        };
        let header = &self.header[..self.header.len() - mark.len()];
        let role = form.role(header, mark);
        self.mode = ParserMode::Text;
        match role {
            MessageRole::Answer => self.begin_section(false, 0, emit),
            MessageRole::Thought => self.begin_section(true, 0, emit),
            MessageRole::Call(name) => self.begin_message_body(form, &name, emit),
        }
        if form.style == HeaderStyle::Mark {
            self.header.clear();
        }
    }

    fn begin_message_body(&mut self, form: &MessageForm, name: &str, emit: &mut Emit<'_>) {
        self.mode = ParserMode::Body;
        self.is_committed = true;
        self.raw.clear();
        self.openers.clear();
        self.sink.close(emit);
        self.sink.at = u64::try_from(self.at).unwrap_or(0);
        self.sink.begin();
        self.reader = Some(match form.call {
            BodyEncoding::Json(json) if json.shape == JsonShape::Arguments => {
                BodyReader::Json(Box::new(JsonBody::named(json, name)))
            }
            BodyEncoding::Parameters(parameters) if matches!(parameters.name, NameForm::Bare) => {
                let tools = self.tools.clone();
                let mut context = context(&mut self.sink, tools.as_deref(), true, emit);
                BodyReader::Parameters(Box::new(ParameterBody::named(
                    parameters,
                    name,
                    &mut context,
                )))
            }
            other => Self::reader_of(other),
        });
    }
}
