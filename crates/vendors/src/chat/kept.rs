//! The reasoning of an answer of Chat Completions, as it goes back with the calls of the answer.
//!
//! Servers of thinking models want it under the name under which they sent it. Those that sign it
//! have a list of details, which goes back as a whole.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use silcrow_provider::Delta;

use crate::answer::DeltaQueue;
use crate::lenient::LenientField;
use crate::text::SurrogateJoiner;

/// The reasoning so far.
#[derive(Default)]
pub(super) struct KeptReasoning {
    reasoning_content: SentReasoning,
    reasoning: SentReasoning,
    details: Vec<Map<String, Value>>,
    /// Whether it was given, before the first call.
    is_given: bool,
}

/// Reasoning under one name.
#[derive(Default)]
struct SentReasoning {
    text: String,
    joiner: SurrogateJoiner,
}

impl KeptReasoning {
    /// Takes the reasoning in a message, or in a piece of one: its fields `reasoning_content`,
    /// `reasoning` and `reasoning_details`.
    pub(super) fn take(&mut self, [content, reasoning, details]: [LenientField<'_>; 3]) {
        if self.is_given {
            return;
        }
        self.reasoning_content.take(content);
        self.reasoning.take(reasoning);
        for detail in details.items() {
            if let Some(detail) = detail.read::<Map<String, Value>>() {
                self.take_detail(detail);
            }
        }
    }

    /// Gives the reasoning, in front of the first call.
    pub(super) fn give(&mut self, out: &mut DeltaQueue) {
        if std::mem::replace(&mut self.is_given, true) {
            return;
        }
        let text = |sent: &mut SentReasoning| {
            let text = std::mem::take(&mut sent.text) + sent.joiner.finish();
            (!text.is_empty()).then_some(text)
        };
        let details = std::mem::take(&mut self.details);
        // The details have the text, too.
        let kept = match details.is_empty() {
            true => GivenReasoning {
                reasoning_content: text(&mut self.reasoning_content),
                reasoning: text(&mut self.reasoning),
                reasoning_details: Vec::new(),
            },
            false => GivenReasoning { reasoning_details: details, ..GivenReasoning::default() },
        };
        if kept != GivenReasoning::default() {
            let kept = serde_json::to_string(&kept).expect("strings are JSON");
            out.push_back(Ok(Delta::Opaque(kept)));
        }
    }

    /// Takes a detail, which continues the last one if it has its place and its kind.
    fn take_detail(&mut self, detail: Map<String, Value>) {
        let is_next = |last: &Map<String, Value>| {
            ["type", "index"].iter().all(|key| last.get(*key) == detail.get(*key))
        };
        let Some(last) = self.details.last_mut().filter(|last| is_next(last)) else {
            self.details.push(detail);
            return;
        };
        for (key, value) in detail {
            match (last.get_mut(&key), value) {
                (_, Value::Null) => {}
                (Some(Value::String(text)), Value::String(more)) if is_text(&key) => {
                    text.push_str(&more);
                }
                (_, value) => {
                    last.insert(key, value);
                }
            }
        }
    }
}

impl SentReasoning {
    fn take(&mut self, field: LenientField<'_>) {
        if let Some(piece) = field.text() {
            self.text.push_str(&self.joiner.push(&piece));
        }
    }
}

/// Returns whether a member of a detail comes in pieces.
fn is_text(key: &str) -> bool {
    matches!(key, "text" | "summary" | "data")
}

#[derive(Default, PartialEq, Serialize)]
struct GivenReasoning {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<Map<String, Value>>,
}

/// The same in a request.
#[derive(Default, Deserialize, Serialize)]
pub(super) struct ReturnedReasoning<'a> {
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<&'a RawValue>,
}

impl<'a> ReturnedReasoning<'a> {
    /// Returns the part of a call's data that is sent back.
    pub(super) fn parse(data: &'a str) -> Self {
        serde_json::from_str(data).unwrap_or_default()
    }
}
