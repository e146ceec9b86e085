//! The metrics that follow from spans.

use std::collections::BTreeMap;

use crate::attribute::{Attribute, AttributeValue};
use crate::histogram::{MetricSeries, SECONDS, TOKENS};
use crate::names::{self, SemanticVocabulary, TokenMetrics};
use crate::span::TraceSpan;

/// Adds up the durations and tokens of spans.
///
/// ```
/// use silcrow_event::{Entry, Event, RunEventRef, Timestamp};
/// use silcrow_otlp::{
///     MetricExport, MetricRecorder, Resource, SemanticVocabulary, TraceOptions, TraceReader,
/// };
///
/// let mut reader = TraceReader::new("sums", TraceOptions::default());
/// for (event, second) in [Event::user("2 + 2?"), Event::respond("4")].into_iter().zip(1..) {
///     let timestamp = Some(Timestamp::from_nanos(second * 1_000_000_000));
///     reader.push(RunEventRef::Entry(&Entry { timestamp, turn: Some(1), ..Entry::from(event) }));
/// }
/// reader.finish();
///
/// let mut metrics = MetricRecorder::new(SemanticVocabulary::default());
/// assert!(metrics.is_empty());
/// reader.take_spans().iter().for_each(|span| metrics.record(span));
/// let (start, time) = (Timestamp::from_nanos(0), Timestamp::from_nanos(2_000_000_000));
/// let resource = &Resource::new("silcrow");
/// let export = MetricExport { resource, metrics: &metrics, start, time };
/// assert!(export.to_json().contains("gen_ai.client.operation.duration"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct MetricRecorder {
    vocabulary: SemanticVocabulary,
    series: BTreeMap<&'static str, MetricSeries>,
}

impl MetricRecorder {
    /// Creates a recorder that has seen no span.
    pub fn new(vocabulary: SemanticVocabulary) -> Self {
        Self { vocabulary, series: BTreeMap::new() }
    }

    /// Returns whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// Counts a span.
    pub fn record(&mut self, span: &TraceSpan) {
        let Some(AttributeValue::Text(operation)) = span.attribute(names::OPERATION) else {
            return;
        };
        match &**operation {
            names::CHAT => self.record_request(span),
            names::INVOKE_AGENT => self.duration(names::AGENT_DURATION, &[names::AGENT_NAME], span),
            names::INVOKE_WORKFLOW => {
                self.duration(names::WORKFLOW_DURATION, &[names::WORKFLOW_NAME], span);
            }
            names::EXECUTE_TOOL => self.duration(names::TOOL_DURATION, &[names::TOOL_NAME], span),
            _ => {}
        }
    }

    pub(crate) fn series(&self) -> impl Iterator<Item = (&'static str, &MetricSeries)> {
        self.series.iter().map(|(name, series)| (*name, series))
    }

    fn record_request(&mut self, span: &TraceSpan) {
        self.duration(self.vocabulary.request_duration(), REQUEST, span);
        if let Some(AttributeValue::Number(first)) = span.attribute(names::TIME_TO_FIRST_CHUNK) {
            let name = self.vocabulary.time_to_first_chunk();
            self.record_in(name, "s", SECONDS, common(REQUEST, span), *first);
        }
        match self.vocabulary.token_metrics() {
            TokenMetrics::Histogram(name) => {
                for (usage, kind) in
                    [(names::USAGE_INPUT, "input"), (names::USAGE_OUTPUT, "output")]
                {
                    let Some(count) = count(usage, span) else { continue };
                    let mut attributes = common(REQUEST, span);
                    attributes.push(Attribute::new(names::TOKEN_TYPE, kind));
                    self.record_in(name, "{token}", TOKENS, attributes, count);
                }
            }
            TokenMetrics::Counters(counters) => {
                for (usage, name) in counters {
                    let Some(count) = count(usage, span) else { continue };
                    self.record_in(name, "{token}", &[], common(REQUEST, span), count);
                }
            }
        }
    }

    fn duration(&mut self, name: &'static str, attributes: &[&str], span: &TraceSpan) {
        let mut attributes = common(attributes, span);
        attributes.extend(common(&[names::ERROR_TYPE], span));
        let seconds = span.end.duration_since(span.start).as_secs_f64();
        self.record_in(name, "s", SECONDS, attributes, seconds);
    }

    fn record_in(
        &mut self,
        name: &'static str,
        unit: &'static str,
        bounds: &'static [f64],
        attributes: Vec<Attribute>,
        amount: f64,
    ) {
        let series = self.series.entry(name).or_insert_with(|| MetricSeries::new(unit, bounds));
        series.record(attributes, amount);
    }
}

/// Returns the named attributes that a span has.
fn common(names: &[&str], span: &TraceSpan) -> Vec<Attribute> {
    let is_named = |attribute: &&Attribute| names.contains(&&*attribute.name);
    span.attributes.iter().filter(is_named).cloned().collect()
}

fn count(name: &str, span: &TraceSpan) -> Option<f64> {
    match span.attribute(name)? {
        AttributeValue::Integer(count) => Some(*count as f64),
        _ => None,
    }
}

/// The attributes of a request that its metrics have.
const REQUEST: &[&str] = &[
    names::OPERATION,
    names::PROVIDER,
    names::REQUEST_MODEL,
    names::SERVER_ADDRESS,
    names::SERVER_PORT,
];
