//! The batch form of the event `result`: the results of several calls in one event.
//!
//! This module folds results into one event, and unfolds them again.

use serde_json::value::RawValue;

use crate::call_result::CallResult;
use crate::json::Object;
use crate::result_status::ResultStatus;

/// The results of one batch in a single event.
///
/// ```
/// use silcrow_event::{CallResult, Json, ResultBatch};
///
/// let results = [
///     CallResult::success("a1", "add", "", Json::parse("4").unwrap()),
///     CallResult::failure("a2", Some("divide"), "division by zero", "divide by something else"),
/// ];
/// let batch = ResultBatch::fold(&results);
/// assert_eq!((batch.success_count, batch.failure_count), (1, 1));
/// // The content is a JSON value, so the array has the number and not a string.
/// assert!(batch.content.contains(r#""status":"success","content":4}"#), "{}", batch.content);
/// assert_eq!(batch.unfold()[1].tool(), Some("divide"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct ResultBatch {
    /// A JSON array with one object `{"tool","status","content"}` for each call, in order. Content
    /// that is one JSON value is that value, other content is a string. An object also has the
    /// members `outcome`, `origin`, `notices` and `truncated` if they are not empty, and `id` if it
    /// is about an item of a loop or about a control block. One with `kept` has no content
    /// ([`KeptValue`](crate::KeptValue)).
    pub content: String,
    /// The number of calls that succeeded.
    pub success_count: u64,
    /// The number of calls that failed.
    pub failure_count: u64,
}

impl ResultBatch {
    /// Creates the batch form of `results`, which are in the order of their calls.
    pub fn fold<'a>(results: impl IntoIterator<Item = &'a CallResult>) -> Self {
        let mut content = String::from("[");
        let (mut success_count, mut failure_count) = (0, 0);
        for result in results {
            match result.status() {
                ResultStatus::Success => success_count += 1,
                ResultStatus::Failure => failure_count += 1,
            }
            if content.len() > 1 {
                content.push(',');
            }
            let mut object = Object::open(&mut content);
            result.write_status(&mut object);
            if result.kept().is_some() {
                result.write_kept(&mut object);
            } else {
                result.content.write_value("content", &mut object);
            }
            if let Some(truncated) = result.truncated() {
                object.object("truncated", |to| truncated.write(to));
            }
            object.close();
        }
        content.push(']');
        Self { content, success_count, failure_count }
    }

    /// Returns the results in order. Content that is not a list is a single result, and an item
    /// that is not an object is the content of its result.
    pub fn unfold(&self) -> Vec<CallResult> {
        match serde_json::from_str::<Vec<&RawValue>>(&self.content) {
            Ok(items) => items.into_iter().map(|item| CallResult::read_item(item.get())).collect(),
            Err(_) => vec![CallResult::unknown(&self.content)],
        }
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("content", &self.content);
        to.object("payload", |payload| {
            payload.integer("tools_executed", self.success_count + self.failure_count);
            payload.integer("success_count", self.success_count);
            payload.integer("failure_count", self.failure_count);
        });
    }
}
