//! The results that a log has of calls, for a run that replays it.
//!
//! This module chooses the recorded result of a call.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use silcrow_event::{CallKind, CallResult, Entry, Event, ResultOrigin};
use silcrow_plan as plan;
use silcrow_tool::ToolPolicy;

use crate::canonical::canonical;
use crate::recorded_args::recorded_args;

/// The results of calls in a recorded conversation, for runners that replay it.
///
/// A call is identical to a recorded one if its kind, its name and its arguments are the same; white
/// space and the order of members in the arguments do not count. Calls that were recorded several
/// times get their results in order, and the last one again after that.
///
/// The arguments of an action are those with which it ran, with outputs in place of names; so each item of
/// a loop has its own result.
///
/// Only the words of tools are used. A call that the framework ended, for example because a person
/// denied it or because it took too long, has no recorded result.
///
/// ```
/// use silcrow_event::{Call, CallResult, Entry, Event};
/// use silcrow_exec::RecordedResults;
///
/// let call = Call::parse("a1", r#"{"name":"add","args":{"a":2}}"#).unwrap();
/// let log = [Event::Call(call), Event::Result(CallResult::success("a1", "add", "", "4"))];
/// let entry = |(index, event)| Entry { turn: Some(1), seq: Some(index), ..Entry::from(event) };
/// let log: Vec<_> = (7..).zip(log).map(entry).collect();
/// let recorded = RecordedResults::new("sums", &log);
/// assert_eq!((recorded.conversation(), recorded.head()), ("sums", 8));
/// ```
#[derive(Debug)]
pub struct RecordedResults {
    conversation: String,
    /// The position of the last event that was recorded.
    head: u64,
    results: Mutex<HashMap<RecordedCall, ResultQueue>>,
}

/// A call that was recorded: its kind, its name, and its arguments in canonical form.
#[derive(Debug, PartialEq, Eq, Hash)]
struct RecordedCall(&'static str, String, String);

/// The results of identical calls.
#[derive(Debug, Default)]
struct ResultQueue {
    results: Vec<CallResult>,
    /// The number of results that were taken.
    taken: usize,
}

impl RecordedCall {
    fn new(kind: CallKind, name: &str, args: &str) -> Option<Self> {
        Some(Self(kind.as_str(), name.to_owned(), canonical(args)?))
    }
}

impl RecordedResults {
    /// Takes the results from the log of a conversation.
    pub fn new(conversation: impl Into<String>, log: &[Entry]) -> Self {
        let mut by_call: HashMap<_, _> = log
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Result(result @ CallResult { id: Some(id), .. }) => {
                    Some(((entry.turn, &**id), result))
                }
                _ => None,
            })
            .collect();
        let args = recorded_args(log);
        let mut results: HashMap<RecordedCall, ResultQueue> = HashMap::new();
        for entry in log {
            let Event::Call(call) = &entry.event else { continue };
            let Some(result) = by_call.remove(&(entry.turn, call.id())) else { continue };
            if result.origin() != ResultOrigin::Tool {
                continue;
            }
            // Outputs took the place of names in the arguments with which an action ran (P-26).
            let args = match args.get(&(entry.turn, call.id().to_owned())) {
                Some(args) => args,
                None if call.action().is_some() && call.args().contains('$') => continue,
                None => call.args(),
            };
            let kind = call.action().map(|action| action.kind).unwrap_or_default();
            if let Some(call) = RecordedCall::new(kind, call.name(), args) {
                results.entry(call).or_default().results.push(result.clone());
            }
        }
        let head = log.last().and_then(|last| last.seq).unwrap_or_default();
        Self { conversation: conversation.into(), head, results: Mutex::new(results) }
    }

    /// Returns the recorded conversation.
    pub fn conversation(&self) -> &str {
        &self.conversation
    }

    /// Returns the position of the last event that was recorded.
    pub const fn head(&self) -> u64 {
        self.head
    }

    /// Returns the next recorded result of a call of a tool that may be repeated, with the call's
    /// own id.
    pub(crate) fn take(&self, ready: &plan::ReadyCall, policy: &ToolPolicy) -> Option<CallResult> {
        if !policy.is_repeatable() {
            return None;
        }
        let call = RecordedCall::new(ready.kind(), ready.name(), ready.args())?;
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let ResultQueue { results, taken } = results.get_mut(&call)?;
        let result = results.get(*taken).or_else(|| results.last())?.clone();
        *taken += 1;
        Some(result.with_id(ready.id()))
    }
}
