//! Series of metrics: counters and histograms, with a point for each set of attributes.

use crate::attribute::Attribute;
use crate::names::OVERFLOW;

/// The points of a metric. One without bounds is a counter.
#[derive(Clone, Debug)]
pub(crate) struct MetricSeries {
    pub(crate) unit: &'static str,
    /// The upper bounds of all buckets except the last.
    pub(crate) bounds: &'static [f64],
    pub(crate) points: Vec<MetricPoint>,
}

/// The counts with equal attributes.
#[derive(Clone, Debug)]
pub(crate) struct MetricPoint {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) value: PointValue,
}

/// The value of a point.
#[derive(Clone, Debug)]
pub(crate) enum PointValue {
    Count(u64),
    Buckets {
        /// The number of values in each bucket.
        counts: Vec<u64>,
        sum: f64,
    },
}

impl MetricSeries {
    pub(crate) const fn new(unit: &'static str, bounds: &'static [f64]) -> Self {
        Self { unit, bounds, points: Vec::new() }
    }

    /// Counts a value. Once there are too many points, all others share one.
    pub(crate) fn record(&mut self, mut attributes: Vec<Attribute>, amount: f64) {
        let bounds = self.bounds;
        let find = |points: &[MetricPoint], attributes: &[Attribute]| {
            points.iter().position(|point| point.attributes == attributes)
        };
        let mut at = find(&self.points, &attributes);
        if at.is_none() && self.points.len() >= MOST_POINTS {
            attributes = vec![Attribute::new(OVERFLOW, true)];
            at = find(&self.points, &attributes);
        }
        let at = at.unwrap_or_else(|| {
            let value = match bounds.is_empty() {
                true => PointValue::Count(0),
                false => PointValue::Buckets { counts: vec![0; bounds.len() + 1], sum: 0.0 },
            };
            self.points.push(MetricPoint { attributes, value });
            self.points.len() - 1
        });
        match &mut self.points[at].value {
            PointValue::Count(count) => *count = count.saturating_add(amount as u64),
            PointValue::Buckets { counts, sum } => {
                // A bucket has its upper bound.
                counts[bounds.partition_point(|bound| *bound < amount)] += 1;
                *sum += amount;
            }
        }
    }
}

/// The bounds of durations, in seconds.
pub(crate) const SECONDS: &[f64] =
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// The bounds of numbers of tokens.
pub(crate) const TOKENS: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// The number of points after which further ones are counted together. A model may invent names of
/// tools, so there could be any number.
const MOST_POINTS: usize = 1_000;
