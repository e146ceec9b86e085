//! Spans as lines of a tree, and properties of every trace.

use std::collections::{BTreeMap, BTreeSet};

use silcrow_event::{Entry, RunEventRef, SpanId, TraceId};
use silcrow_otlp::{TraceOptions, TraceReader, TraceSpan};

/// Returns the spans of a log.
pub(crate) fn read(conversation: &str, log: &[Entry]) -> Vec<TraceSpan> {
    let mut reader = TraceReader::new(conversation, TraceOptions::default());
    log.iter().for_each(|entry| reader.push(RunEventRef::Entry(entry)));
    reader.finish();
    reader.take_spans()
}

/// Checks that each span has a unique id, that its parent is in its trace, that no span is its own
/// ancestor, and that each has an end.
pub(crate) fn check(spans: &[TraceSpan]) {
    let ids: BTreeSet<_> =
        spans.iter().map(|span| (span.context.trace, span.context.span)).collect();
    assert_eq!(ids.len(), spans.len(), "two spans have one id: {}", drawn(spans));
    let parents: BTreeMap<_, _> =
        spans.iter().map(|span| ((span.context.trace, span.context.span), span.parent)).collect();
    for span in spans {
        assert!(span.start <= span.end, "{} ends before it begins", span.name);
        let (mut at, mut steps) = (span.parent, 0);
        while let Some(parent) = at {
            let found = parents.get(&(span.context.trace, parent));
            at = *found.unwrap_or_else(|| panic!("{} has no parent: {}", span.name, drawn(spans)));
            steps += 1;
            assert!(steps <= spans.len(), "{} is its own ancestor", span.name);
        }
    }
}

/// Draws the trees of spans, each with its times after the first one.
pub(crate) fn drawn(spans: &[TraceSpan]) -> String {
    let first = spans.iter().map(|span| span.start).min().unwrap_or_default();
    let mut lines = Vec::new();
    let traces: BTreeSet<_> = spans.iter().map(|span| span.context.trace).collect();
    let begin = |trace: &TraceId| {
        spans.iter().filter(|span| span.context.trace == *trace).map(|span| span.start).min()
    };
    let mut traces: Vec<_> = traces.into_iter().collect();
    traces.sort_by_key(begin);
    for trace in traces {
        lines.push("trace".to_owned());
        let of_trace: Vec<_> = spans.iter().filter(|span| span.context.trace == trace).collect();
        let drawing = TreeDrawing { spans: &of_trace, first: first.as_nanos() };
        drawing.below(None, 1, &mut lines);
    }
    lines.join("\n")
}

struct TreeDrawing<'a> {
    spans: &'a [&'a TraceSpan],
    first: i64,
}

impl TreeDrawing<'_> {
    fn below(&self, parent: Option<SpanId>, depth: usize, lines: &mut Vec<String>) {
        let mut children: Vec<_> = self.spans.iter().filter(|span| span.parent == parent).collect();
        children.sort_by_key(|span| (span.start, span.end, &span.name));
        for span in children {
            let after = |nanos: i64| (nanos - self.first) as f64 / 1e9;
            let (start, end) = (after(span.start.as_nanos()), after(span.end.as_nanos()));
            let mut line = format!("{}{} {start}..{end}", "  ".repeat(depth), span.name);
            if span.is_error {
                let kind = span.attribute("error.type");
                line += &format!(" failed: {kind:?}");
            }
            if !span.links.is_empty() {
                line += &format!(" linked {}", span.links.len());
            }
            lines.push(line);
            self.below(Some(span.context.span), depth + 1, lines);
        }
    }
}
