//! The messages of OTLP, each described once for both of its encodings.

use silcrow_event::Timestamp;

use crate::attribute::{Attribute, AttributeValue};
use crate::histogram::{MetricPoint, MetricSeries, PointValue};
use crate::metrics::MetricRecorder;
use crate::resource::Resource;
use crate::span::{SpanKind, TraceSpan};
use crate::writer::{MessageField, MessageWriter};

/// Writes an `ExportTraceServiceRequest`.
pub(crate) fn write_traces<W: MessageWriter>(program: &Resource, spans: &[TraceSpan], to: &mut W) {
    to.messages(MessageField(1, "resourceSpans"), [program], |to: &mut W, program| {
        resource(program, to);
        to.messages(MessageField(2, "scopeSpans"), [spans], |to: &mut W, spans| {
            scope(to);
            to.messages(MessageField(2, "spans"), spans, span);
        });
    });
}

/// Writes an `ExportMetricsServiceRequest`, with the times of the beginning and of the end.
pub(crate) fn write_metrics<W: MessageWriter>(
    program: &Resource,
    metrics: &MetricRecorder,
    times: (Timestamp, Timestamp),
    to: &mut W,
) {
    to.messages(MessageField(1, "resourceMetrics"), [program], |to: &mut W, program| {
        resource(program, to);
        to.messages(MessageField(2, "scopeMetrics"), [metrics], |to: &mut W, metrics| {
            scope(to);
            let series = metrics.series();
            to.messages(MessageField(2, "metrics"), series, |to, (name, series)| {
                metric(name, series, times, to);
            });
        });
    });
}

fn resource(resource: &Resource, to: &mut impl MessageWriter) {
    to.message(MessageField(1, "resource"), |to| attributes(1, &resource.attributes, to));
}

fn scope(to: &mut impl MessageWriter) {
    to.message(MessageField(1, "scope"), |to| {
        to.text(MessageField(1, "name"), env!("CARGO_PKG_NAME"));
        to.text(MessageField(2, "version"), env!("CARGO_PKG_VERSION"));
    });
}

fn span<W: MessageWriter>(to: &mut W, span: &TraceSpan) {
    to.id(MessageField(1, "traceId"), span.context.trace.as_bytes());
    to.id(MessageField(2, "spanId"), span.context.span.as_bytes());
    if let Some(parent) = &span.parent {
        to.id(MessageField(4, "parentSpanId"), parent.as_bytes());
    }
    to.text(MessageField(5, "name"), &span.name);
    let kind = match span.kind {
        SpanKind::Internal => 1,
        SpanKind::Client => 3,
    };
    to.word(MessageField(6, "kind"), kind);
    to.fixed(MessageField(7, "startTimeUnixNano"), nanos(span.start));
    to.fixed(MessageField(8, "endTimeUnixNano"), nanos(span.end));
    attributes(9, &span.attributes, to);
    if !span.links.is_empty() {
        to.messages(MessageField(13, "links"), &span.links, |to, link| {
            to.id(MessageField(1, "traceId"), link.trace.as_bytes());
            to.id(MessageField(2, "spanId"), link.span.as_bytes());
        });
    }
    to.message(MessageField(15, "status"), |to| {
        if let Some(message) = &span.message {
            to.text(MessageField(2, "message"), message);
        }
        if span.is_error {
            to.word(MessageField(3, "code"), 2);
        }
    });
}

fn metric(
    name: &str,
    series: &MetricSeries,
    times: (Timestamp, Timestamp),
    to: &mut impl MessageWriter,
) {
    to.text(MessageField(1, "name"), name);
    to.text(MessageField(3, "unit"), series.unit);
    let is_counter = series.bounds.is_empty();
    let field = if is_counter { MessageField(7, "sum") } else { MessageField(9, "histogram") };
    to.message(field, |to| {
        to.messages(MessageField(1, "dataPoints"), &series.points, |to, point| {
            data_point(point, series.bounds, times, to);
        });
        to.word(MessageField(2, "aggregationTemporality"), CUMULATIVE);
        if is_counter {
            to.switch(MessageField(3, "isMonotonic"), true);
        }
    });
}

fn data_point(
    point: &MetricPoint,
    bounds: &[f64],
    (start, time): (Timestamp, Timestamp),
    to: &mut impl MessageWriter,
) {
    to.fixed(MessageField(2, "startTimeUnixNano"), nanos(start));
    to.fixed(MessageField(3, "timeUnixNano"), nanos(time));
    match &point.value {
        PointValue::Count(count) => {
            to.fixed(MessageField(6, "asInt"), *count);
            attributes(7, &point.attributes, to);
        }
        PointValue::Buckets { counts, sum, .. } => {
            to.fixed(MessageField(4, "count"), counts.iter().sum());
            to.number(MessageField(5, "sum"), *sum);
            to.fixed_list(MessageField(6, "bucketCounts"), counts);
            to.number_list(MessageField(7, "explicitBounds"), bounds);
            attributes(9, &point.attributes, to);
        }
    }
}

fn attributes<W: MessageWriter>(number: u64, attributes: &[Attribute], to: &mut W) {
    to.messages(MessageField(number, "attributes"), attributes, |to: &mut W, attribute| {
        to.text(MessageField(1, "key"), &attribute.name);
        to.message(MessageField(2, "value"), |to| match &attribute.value {
            AttributeValue::Text(text) => to.text(MessageField(1, "stringValue"), text),
            AttributeValue::Words(words) => to.message(MessageField(5, "arrayValue"), |to| {
                to.messages(MessageField(1, "values"), words, |to, word| {
                    to.text(MessageField(1, "stringValue"), word);
                });
            }),
            AttributeValue::Switch(is_on) => to.switch(MessageField(2, "boolValue"), *is_on),
            AttributeValue::Integer(number) => to.integer(MessageField(3, "intValue"), *number),
            AttributeValue::Number(number) => to.number(MessageField(4, "doubleValue"), *number),
        });
    });
}

/// Returns the nanoseconds of a time. OTLP has no times before 1970.
fn nanos(time: Timestamp) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(0)
}

/// The number of the temporality of sums since the beginning.
const CUMULATIVE: u64 = 2;
