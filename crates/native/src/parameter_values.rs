//! Collects the values of a call's parameters and writes them as JSON.
//!
//! A value that is certainly a string is emitted as it arrives; any other waits for its end.

use std::collections::HashMap;
use std::ops::Range;

use crate::body::BodyContext;
use crate::call_sink::CallSink;
use crate::json_text;
use crate::parameter_form::{CDATA, ParameterForm};
use crate::typed_value::{self, TypeHint};

/// The type of a value that the text gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum WrittenType {
    #[default]
    Unknown,
    String,
    Json,
    Named(String),
}

impl WrittenType {
    fn hint(&self) -> TypeHint<'_> {
        match self {
            Self::Unknown => TypeHint::None,
            Self::String => TypeHint::String,
            Self::Json => TypeHint::Json,
            Self::Named(name) => TypeHint::Named(name),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct ParameterValues {
    key: String,
    kind: WrittenType,
    /// The value so far. If a value is emitted as it arrives, only the part that was not emitted
    /// yet.
    text: String,
    /// Whether the value is written as it comes.
    is_text: bool,
    is_first: bool,
    may_be_cdata: bool,
    /// The members so far: their keys and their places in the arguments.
    members: Vec<(String, Range<usize>)>,
    member_start: usize,
}

impl ParameterValues {
    /// Begins a call.
    pub(crate) fn begin(&mut self) {
        self.members.clear();
        self.text.clear();
        self.is_first = false;
    }

    /// Begins a value.
    pub(crate) fn begin_value(&mut self, key: String, kind: WrittenType) {
        (self.key, self.kind) = (key, kind);
        self.text.clear();
    }

    /// Sets the type that the text names.
    pub(crate) fn set_kind(&mut self, name: &str) {
        self.kind = WrittenType::Named(name.to_owned());
    }

    /// Begins the text of a value.
    pub(crate) fn begin_text(&mut self, form: &ParameterForm, context: &mut BodyContext<'_, '_>) {
        let sink = &mut *context.sink;
        let schema = context.tools.and_then(|tools| tools.get(&sink.name));
        let schema = schema.and_then(|schema| schema.member(&self.key));
        self.is_text = typed_value::is_text(schema, self.kind.hint());
        self.may_be_cdata = !form.cdata_close.is_empty();
        self.is_first = true;
        sink.args.push(if sink.args.is_empty() { '{' } else { ',' });
        self.member_start = sink.args.len();
        json_text::string(&self.key, &mut sink.args);
        sink.args.push(':');
        if self.writes_at_once() {
            sink.args.push('"');
        }
    }

    /// Returns whether the value ends at the mark of a value that begins with [`CDATA`].
    pub(crate) fn is_cdata(&self) -> bool {
        self.may_be_cdata && self.text.starts_with(CDATA)
    }

    /// Returns whether the value may still turn out to begin with [`CDATA`].
    pub(crate) fn may_become_cdata(&self) -> bool {
        self.may_be_cdata && self.text.len() < CDATA.len() && CDATA.starts_with(&self.text)
    }

    fn writes_at_once(&self) -> bool {
        self.is_text && !self.may_be_cdata
    }

    /// Adds text to the value.
    pub(crate) fn push(&mut self, mut text: &str, form: &ParameterForm, sink: &mut CallSink) {
        if text.is_empty() {
            return;
        }
        if !self.writes_at_once() {
            self.text.push_str(text);
            return;
        }
        if form.has_framing {
            // The line break before a value is not part of it; the one after it may be.
            if self.is_first {
                if self.text.is_empty() && text.starts_with('\r') && text.len() == 1 {
                    self.text.push('\r');
                    return;
                }
                let is_return = std::mem::take(&mut self.text) == "\r";
                if is_return && !text.starts_with('\n') {
                    json_text::escape("\r", &mut sink.args);
                }
                let line = text.strip_prefix("\r\n").filter(|_| !is_return);
                text = line.or_else(|| text.strip_prefix('\n')).unwrap_or(text);
                self.is_first = false;
            }
            if text.is_empty() {
                return;
            }
            let kept = framing(text);
            if kept < text.len() || !self.text.is_empty() {
                // A carriage return may come before the line break that is kept.
                if kept == 0 && text == "\n" && self.text == "\r" {
                    self.text.push('\n');
                    return;
                }
                json_text::escape(&self.text, &mut sink.args);
                self.text.clear();
            }
            json_text::escape(&text[..kept], &mut sink.args);
            self.text.push_str(&text[kept..]);
            return;
        }
        json_text::escape(text, &mut sink.args);
    }

    /// Ends the value.
    pub(crate) fn end(&mut self, form: &ParameterForm, context: &mut BodyContext<'_, '_>) {
        let sink = &mut *context.sink;
        if self.writes_at_once() {
            if self.text == "\r" {
                json_text::escape("\r", &mut sink.args);
            }
            self.text.clear();
            sink.args.push('"');
        } else {
            let schema = context.tools.and_then(|tools| tools.get(&sink.name));
            let schema = schema.and_then(|schema| schema.member(&self.key));
            let mut text = self.text.as_str();
            if self.may_be_cdata
                && let Some(inner) = text.strip_prefix(CDATA)
            {
                text = inner;
            } else if form.has_framing {
                let inner = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n'));
                text = inner.unwrap_or(text);
                let inner = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n'));
                text = inner.unwrap_or(text);
            }
            typed_value::write(text, schema, self.kind.hint(), &mut sink.args);
            self.text.clear();
        }
        self.members.push((std::mem::take(&mut self.key), self.member_start..sink.args.len()));
    }

    /// Ends the call. Of several values of one key, the last counts.
    pub(crate) fn complete(&mut self, context: &mut BodyContext<'_, '_>) {
        let sink = &mut *context.sink;
        sink.args.push_str(if sink.args.is_empty() { "{}" } else { "}" });
        let numbered = self.members.iter().enumerate().map(|(nth, (key, _))| (key.as_str(), nth));
        let last: HashMap<&str, usize> = numbered.collect();
        if last.len() == self.members.len() {
            sink.complete(context.emit);
            return;
        }
        let mut args = String::with_capacity(sink.args.len());
        for (nth, (key, range)) in self.members.iter().enumerate() {
            if last.get(key.as_str()) == Some(&nth) {
                args.push(if args.is_empty() { '{' } else { ',' });
                args.push_str(&sink.args[range.clone()]);
            }
        }
        args.push('}');
        sink.flush(context.emit);
        sink.complete_with(&args, context.emit);
        sink.begin();
    }

    /// Returns the text of a call that cannot run.
    pub(crate) fn written(&self, stray: &str) -> String {
        let keys = self.members.iter().map(|(key, _)| key.as_str());
        let mut written: Vec<&str> = keys.collect();
        written.extend(
            [self.key.as_str(), self.text.as_str(), stray].iter().filter(|s| !s.is_empty()),
        );
        written.join(" ")
    }
}

/// Returns the length of a text without the line break that it ends with, or without a carriage
/// return that may become one.
fn framing(text: &str) -> usize {
    let line = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n'));
    line.or_else(|| text.strip_suffix('\r')).unwrap_or(text).len()
}
