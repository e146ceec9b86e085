//! The requests that a collector takes.

use silcrow_event::Timestamp;

use crate::json::JsonWriter;
use crate::message::{write_metrics, write_traces};
use crate::metrics::MetricRecorder;
use crate::protobuf::ProtobufWriter;
use crate::resource::Resource;
use crate::span::TraceSpan;

/// The spans of a request for traces.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "spans and what sends them")]
pub struct TraceExport<'a> {
    /// The program that sends them.
    pub resource: &'a Resource,
    /// The spans.
    pub spans: &'a [TraceSpan],
}

/// The metrics of a request for metrics. They are sums since the beginning.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "metrics, their times and what sends them")]
pub struct MetricExport<'a> {
    /// The program that sends them.
    pub resource: &'a Resource,
    /// The metrics.
    pub metrics: &'a MetricRecorder,
    /// The time of the beginning.
    pub start: Timestamp,
    /// The end of the time that they cover.
    pub time: Timestamp,
}

impl TraceExport<'_> {
    /// Returns an `ExportTraceServiceRequest` as protobuf.
    pub fn to_protobuf(&self) -> Vec<u8> {
        let mut writer = ProtobufWriter::default();
        write_traces(self.resource, self.spans, &mut writer);
        writer.bytes
    }

    /// Returns the same request as OTLP/JSON, on one line.
    pub fn to_json(&self) -> String {
        let mut writer = JsonWriter::default();
        write_traces(self.resource, self.spans, &mut writer);
        writer.finish()
    }
}

impl MetricExport<'_> {
    /// Returns an `ExportMetricsServiceRequest` as protobuf.
    pub fn to_protobuf(&self) -> Vec<u8> {
        let mut writer = ProtobufWriter::default();
        write_metrics(self.resource, self.metrics, (self.start, self.time), &mut writer);
        writer.bytes
    }

    /// Returns the same request as OTLP/JSON, on one line.
    pub fn to_json(&self) -> String {
        let mut writer = JsonWriter::default();
        write_metrics(self.resource, self.metrics, (self.start, self.time), &mut writer);
        writer.finish()
    }
}
