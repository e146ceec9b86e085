//! A span of a trace as it is exported.

use silcrow_event::{SpanId, Timestamp, TraceContext};

use crate::attribute::{Attribute, AttributeValue};

/// Something that took time: a run, a request or a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TraceSpan {
    /// The ids of its trace and of itself.
    pub context: TraceContext,
    /// The span around it, in the same trace.
    pub parent: Option<SpanId>,
    /// The operation, and the thing that it is done with.
    pub name: String,
    /// Whether it is work of this program or a request to another one.
    pub kind: SpanKind,
    /// The time of its beginning.
    pub start: Timestamp,
    /// The time of its end, which is not before its beginning.
    pub end: Timestamp,
    /// The facts that are known about it.
    pub attributes: Vec<Attribute>,
    /// Spans of this or other traces that it continues or copies.
    pub links: Vec<TraceContext>,
    /// Whether it failed.
    pub is_error: bool,
    /// The description of a failure, where contents are written.
    pub message: Option<String>,
}

/// Whether a span is work of this program or a request to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpanKind {
    /// Work of this program.
    Internal,
    /// A request to another program.
    Client,
}

impl TraceSpan {
    /// Names the conversation whose log the span is of, unless it does.
    pub(crate) fn in_conversation(mut self, conversation: &str) -> Self {
        let key = crate::names::CONVERSATION;
        if self.attributes.iter().all(|attribute| attribute.name != key) {
            self.set_attribute(key, conversation);
        }
        self
    }

    pub(crate) fn new(
        context: TraceContext,
        parent: Option<SpanId>,
        operation: &str,
        subject: Option<&str>,
    ) -> Self {
        let subject = subject.filter(|subject| !subject.is_empty());
        Self {
            context,
            parent,
            name: subject.map_or_else(|| operation.to_owned(), |it| format!("{operation} {it}")),
            kind: SpanKind::Internal,
            start: Timestamp::UNIX_EPOCH,
            end: Timestamp::UNIX_EPOCH,
            attributes: vec![Attribute::new(crate::names::OPERATION, operation)],
            links: Vec::new(),
            is_error: false,
            message: None,
        }
    }

    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        let mut attributes = self.attributes.iter();
        attributes.find(|attribute| attribute.name == name).map(|attribute| &attribute.value)
    }

    /// Changes every text in it that is not a name, such as to mask secrets.
    pub fn rewrite_texts(&mut self, rewrite: &mut dyn FnMut(&mut String)) {
        for attribute in &mut self.attributes {
            if let AttributeValue::Text(text) = &mut attribute.value {
                rewrite(text);
            }
        }
        rewrite(&mut self.name);
        if let Some(message) = &mut self.message {
            rewrite(message);
        }
    }

    pub(crate) fn set_attribute(&mut self, name: &'static str, value: impl Into<AttributeValue>) {
        self.attributes.push(Attribute::new(name, value));
    }

    pub(crate) fn set_optional(
        &mut self,
        name: &'static str,
        value: Option<impl Into<AttributeValue>>,
    ) {
        if let Some(value) = value {
            self.set_attribute(name, value);
        }
    }

    pub(crate) fn set_times(&mut self, start: Timestamp, end: Timestamp) {
        (self.start, self.end) = (start, end.max(start));
    }

    pub(crate) fn fail(&mut self, kind: &str, message: Option<String>) {
        self.set_attribute(crate::names::ERROR_TYPE, kind);
        self.is_error = true;
        self.message = message;
    }
}
