//! The event `metric`: the usage of requests.

use crate::spending::Balances;
use crate::usage::Usage;

/// The resources that a step, and the run so far, used.
///
/// ```
/// use silcrow_event::{Event, Metric, Usage};
///
/// let step = Usage { input: 120, output: 8, ..Usage::default() };
/// let earlier = Usage { input: 100, output: 30, ..Usage::default() };
/// let metric = Metric { window: Some(8192), ..Metric::new(step, earlier + step) };
/// assert_eq!(metric.total.tokens(), 258);
/// assert!(!Event::Metric(metric).is_stored());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Metric {
    /// The usage of the last request.
    pub step: Usage,
    /// The usage of the agent's own requests in the run so far.
    pub total: Usage,
    /// The usage of the whole run so far, if its calls also asked models. Only the run's own agent
    /// reports it.
    pub all: Option<Box<Usage>>,
    /// The accounts that limit the run, if any does.
    pub budget: Option<Box<Balances>>,
    /// The greatest number of tokens that the model can read and write in one request, if it is
    /// known. The input of the step takes a part of it.
    pub window: Option<u64>,
}

impl Metric {
    /// Creates the metric of an agent that shares no budget and whose calls ask no models.
    pub const fn new(step: Usage, total: Usage) -> Self {
        Self { step, total, all: None, budget: None, window: None }
    }
}
