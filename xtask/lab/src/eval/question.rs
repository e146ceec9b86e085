//! The questions, and their answers.
//!
//! Half of them take one call. The others take two steps, several calls in one turn, a word for word
//! copy, an edit, a call that fails, or none.

use std::path::Path;

use serde_json::Value;

/// A question, the calls that it begins with, and the words of its answer.
pub(super) struct Question {
    pub(super) text: String,
    /// `one`, `two`, `parallel`, `bound`, `edit`, `failing` or `none`.
    pub(super) kind: String,
    /// The tool of the first turn; any if it is empty.
    tool: String,
    /// The targets of the calls in the first turn.
    targets: Vec<String>,
    /// All of these are in the answer.
    answer: Vec<String>,
    /// If there are any, one of these is in the answer.
    any: Vec<String>,
    pub(super) changed: Option<WantedChange>,
}

/// A file and its contents in the end.
pub(super) struct WantedChange {
    file: String,
    holds: String,
}

impl WantedChange {
    /// Returns whether the file in this folder holds it.
    pub(super) fn is_made(&self, root: &Path) -> bool {
        let text = std::fs::read_to_string(root.join(&self.file));
        text.is_ok_and(|text| text.contains(&self.holds))
    }
}

impl Question {
    /// Returns at most `count` questions, evenly out of all.
    pub(super) fn all(count: usize) -> Result<Vec<Self>, String> {
        let all: Vec<_> = include_str!("questions.jsonl").lines().collect();
        let count = count.min(all.len());
        let lines = (0..count).map(|index| all[index * all.len() / count]);
        lines.map(|line| Self::read(line).ok_or_else(|| format!("no question: {line}"))).collect()
    }

    fn read(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |value: &Value| Some(value.as_str()?.to_owned());
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array().map_or(Some(Vec::new()), |list| list.iter().map(text).collect())
        };
        let changed = &value["changed"];
        let change = || {
            Some(WantedChange { file: text(&changed["file"])?, holds: text(&changed["holds"])? })
        };
        Some(Self {
            text: text(&value["question"])?,
            kind: text(&value["kind"])?,
            tool: text(&value["tool"])?,
            targets: texts(&value["targets"])?,
            answer: texts(&value["answer"])?,
            any: texts(&value["any"])?,
            changed: if changed.is_null() { None } else { Some(change()?) },
        })
    }

    /// Returns whether the first turn calls the right tool about the right things, and nothing if
    /// nothing is needed.
    pub(super) fn is_called_for(&self, events: &[Value]) -> bool {
        let calls: Vec<_> = events.iter().filter(|event| event["type"] == "call").collect();
        let Some(first) = calls.first() else { return self.kind == "none" };
        if self.kind == "none" {
            return false;
        }
        let first = calls.iter().filter(|call| call["turn"] == first["turn"]);
        let contents = first.filter_map(|call| call["content"].as_str());
        let read: Vec<Value> =
            contents.filter_map(|content| serde_json::from_str(content).ok()).collect();
        let asks = |target: &String| {
            read.iter().any(|call| {
                let mut args = call["args"].as_object().into_iter().flat_map(|args| args.values());
                call["name"] == self.tool.as_str() && args.any(|value| is_target(value, target))
            })
        };
        !read.is_empty() && self.targets.iter().all(asks)
    }

    pub(super) fn is_answered_by(&self, answer: &str) -> bool {
        let answer = answer.to_lowercase().replace('’', "'");
        let has = |word: &String| answer.contains(&word.to_lowercase());
        self.answer.iter().all(has) && (self.any.is_empty() || self.any.iter().any(has))
    }
}

/// Returns whether an argument is a path, or a list with it.
fn is_target(value: &Value, target: &str) -> bool {
    let is = |value: &Value| {
        let value = value.as_str().unwrap_or_default();
        value.trim_start_matches("./").trim_end_matches('/') == target
    };
    is(value) || value.as_array().is_some_and(|values| values.iter().any(is))
}
