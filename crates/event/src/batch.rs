use serde_json::value::RawValue;

use crate::json::Object;
use crate::outcome::{CallResult, ResultStatus};

/// The results of one batch in one: the seed's batch form of a `result`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct ResultBatch {
    /// A JSON array of `{"tool","status","content"}`, by position; in between and behind them are
    /// `origin`, `notices` and `truncated` where there is something to say.
    pub content: String,
    /// How many ended well.
    pub success_count: u64,
    /// How many did not.
    pub failure_count: u64,
}

impl ResultBatch {
    /// The results of one batch, in the order of the calls.
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
            object.string("content", &result.content.text());
            if let Some(truncated) = result.truncated() {
                object.object("truncated", |to| truncated.write(to));
            }
            object.close();
        }
        content.push(']');
        Self { content, success_count, failure_count }
    }

    /// The results that it holds; all of its content is one if it is not a list. An item that is
    /// not an object is content.
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
