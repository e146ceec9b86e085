//! A conversation without the inputs and outputs of tools, so that it can be shown to others.

use serde_json::Value;
use silcrow_event::{Call, Entry, Event};

use crate::stored_conversation::StoredConversation;

impl StoredConversation {
    /// Leaves out the inputs and outputs of tools: results, long texts of arguments, and questions.
    /// Prompts, thoughts, answers and short arguments, such as names of files, stay.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use silcrow_event::{CallEnd, CallResult, Event};
    /// use silcrow_history::StoredConversation;
    /// use silcrow_store::{MemoryStore, Store as _};
    ///
    /// let store = MemoryStore::new();
    /// let notice = Event::Notice { content: "kept".to_owned() };
    /// store.append("c1", 0, vec![notice.into()]).await.unwrap();
    /// let mut stored = StoredConversation::read(&store, "c1").await.unwrap();
    /// stored.leave_contents_out();
    /// assert!(stored.to_markdown().contains("kept"));
    /// # });
    /// ```
    pub fn leave_contents_out(&mut self) {
        self.entries.iter_mut().for_each(leave_out);
    }
}

fn leave_out(entry: &mut Entry) {
    match &mut entry.event {
        Event::Call(call) => {
            let args = serde_json::from_str::<Value>(call.args()).ok().map(shortened);
            let args = args.map(|args| args.to_string());
            let content = args.and_then(|args| {
                let name = Value::from(call.name());
                Call::parse(call.id(), format!("{{\"name\":{name},\"args\":{args}}}")).ok()
            });
            if let Some(content) = content {
                *call = content;
            }
        }
        Event::Result(result) => result.content = left_out(&result.content.text()).into(),
        Event::Batch(batch) => batch.content = left_out(&batch.content),
        Event::PersonCommand(ran) => ran.content = left_out(&ran.content),
        Event::Hook(run) => run.content = left_out(&run.content),
        Event::Parked(parked) => {
            parked.wire.clear();
            parked.questions.clear();
        }
        _ => {}
    }
}

/// Returns a value without its long texts.
fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > LONGEST => Value::String(left_out(&text)),
        Value::Array(values) => values.into_iter().map(shortened).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, shortened(value))).collect()
        }
        other => other,
    }
}

fn left_out(text: &str) -> String {
    format!("[{} bytes are left out]", text.len())
}

/// The length in bytes of the longest text of arguments that is kept.
const LONGEST: usize = 60;

#[cfg(test)]
mod tests {
    use serde_json::json;
    use silcrow_event::read_entry;

    use super::*;

    #[test]
    fn long_texts_of_arguments_are_left_out() {
        let args = format!(r#"{{"path":"a.txt","content":"{}"}}"#, "x".repeat(100));
        let call = Call::parse("a1", format!(r#"{{"name":"file_write","args":{args}}}"#)).unwrap();
        let mut entry = Entry::from(Event::Call(call));
        leave_out(&mut entry);
        let Event::Call(call) = &entry.event else { panic!("{entry:?}") };
        let args: Value = serde_json::from_str(call.args()).unwrap();
        assert_eq!(args, json!({"path": "a.txt", "content": "[100 bytes are left out]"}));
    }

    #[test]
    fn results_are_left_out() {
        let json =
            r#"{"type":"result","id":"a1","content":"a secret","payload":{"status":"success"}}"#;
        let mut entry = read_entry(json).unwrap();
        leave_out(&mut entry);
        let Event::Result(result) = &entry.event else { panic!("{entry:?}") };
        assert_eq!(result.content.text(), "[8 bytes are left out]");
    }
}
