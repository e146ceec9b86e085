//! A bounded queue of spans that wait to be sent.

use std::collections::VecDeque;

use silcrow_otlp::{AttributeValue, TraceSpan};

/// Spans that wait to be sent. One that does not fit pushes out the oldest.
#[derive(Debug)]
pub(crate) struct SpanQueue {
    spans: VecDeque<(TraceSpan, usize)>,
    bytes: usize,
    max_spans: usize,
    max_bytes: usize,
    /// The number of spans that were pushed out.
    pub(crate) dropped: u64,
}

impl SpanQueue {
    pub(crate) const fn new(max_spans: usize, max_bytes: usize) -> Self {
        Self { spans: VecDeque::new(), bytes: 0, max_spans, max_bytes, dropped: 0 }
    }

    pub(crate) fn push(&mut self, span: TraceSpan) {
        let size = size(&span);
        self.bytes += size;
        self.spans.push_back((span, size));
        while self.spans.len() > self.max_spans || self.bytes > self.max_bytes {
            let Some((_, size)) = self.spans.pop_front() else { break };
            self.bytes -= size;
            self.dropped += 1;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Takes the oldest spans.
    pub(crate) fn take(&mut self, most: usize) -> Vec<TraceSpan> {
        let count = most.min(self.spans.len());
        let taken = self.spans.drain(..count).map(|(span, size)| {
            self.bytes -= size;
            span
        });
        taken.collect()
    }
}

/// Returns the approximate number of bytes of a span in memory.
fn size(span: &TraceSpan) -> usize {
    let texts = span.attributes.iter().map(|attribute| match &attribute.value {
        AttributeValue::Text(text) => text.len(),
        _ => 0,
    });
    let message = span.message.as_ref().map_or(0, String::len);
    let attributes = span.attributes.len() * size_of::<silcrow_otlp::Attribute>();
    size_of::<TraceSpan>() + span.name.len() + message + attributes + texts.sum::<usize>()
}
