//! The spans of one run while it works.

use std::sync::Arc;

use silcrow_agent::ObservedRun;
use silcrow_event::{CallKind, RunEventRef, TraceId};
use silcrow_otlp::{TraceOptions, TraceReader};

use crate::shared_state::SharedState;

/// Reads the events of a run, and passes on each span that is over. When this value is dropped, at
/// the end of the run, all open spans end.
pub(crate) struct RunSpans {
    reader: TraceReader,
    shared: Arc<SharedState>,
    /// Whether the caller records the trace that the run is a part of.
    is_recorded: bool,
}

impl RunSpans {
    pub(crate) fn new(run: &ObservedRun<'_>, shared: Arc<SharedState>) -> Self {
        let options = &shared.options;
        let mut facts = (options.facts)(run.provider);
        facts.streams = run.options.streaming;
        facts.max_tokens = run.options.sampling.max_tokens.map(Into::into);
        facts.temperature = run.options.sampling.temperature;
        let mut trace = TraceOptions::default();
        trace.vocabulary = options.vocabulary;
        trace.has_contents = options.has_contents;
        trace.has_whole_input = options.has_whole_input;
        if options.has_contents && options.has_whole_input {
            trace.system = Some(run.system.to_owned());
        }
        trace.request = Some(facts);
        // If two kinds have the same name, it is the tool's.
        let tools = CallKind::ALL.into_iter().rev().flat_map(|kind| run.tools.iter_as(kind));
        trace.tools =
            tools.map(|tool| (tool.name().to_owned(), tool.description().to_owned())).collect();
        let reader = TraceReader::new(run.conversation, trace)
            .with_trace(TraceId::of_log(run.conversation, run.log), run.time)
            .with_log(run.log);
        let is_recorded = run.caller.is_none_or(|caller| caller.is_recorded);
        Self { reader, shared, is_recorded }
    }

    pub(crate) fn push(&mut self, event: RunEventRef<'_>) {
        // No span is over before its entry.
        let is_entry = matches!(event, RunEventRef::Entry(_));
        self.reader.push(event);
        if is_entry {
            self.pass();
        }
    }

    fn pass(&mut self) {
        let spans = self.reader.take_spans();
        if !spans.is_empty() {
            self.shared.take(spans, self.is_recorded);
        }
    }
}

impl Drop for RunSpans {
    fn drop(&mut self) {
        self.reader.finish();
        self.pass();
    }
}
