//! The tool `todo`, with which an agent keeps a list of its remaining tasks.
//!
//! Only the calls are stored, and the last one has the list. So a reader of a log, or a fork of it, has the
//! list of that position.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::exhaustive_structs, reason = "the schema names its members")]
pub struct TodoItem {
    /// The task, in at most 200 characters.
    pub content: String,
    /// Whether it is done.
    pub status: TodoStatus,
}

/// The state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the schema names them all")]
pub enum TodoStatus {
    /// It is not begun.
    Pending,
    /// The agent works on it.
    InProgress,
    /// It is done.
    Completed,
    /// It is not done, and no longer needed.
    Cancelled,
}

/// Reads the list of a call from its arguments. Arguments that are not a list have none.
///
/// ```
/// use silcrow_tools::{TodoStatus, todo_items};
///
/// let args = r#"{"items":[{"content":"Find the cause","status":"completed"}]}"#;
/// assert_eq!(todo_items(args).unwrap()[0].status, TodoStatus::Completed);
/// assert!(todo_items("{}").is_none());
/// ```
pub fn todo_items(args: &str) -> Option<Vec<TodoItem>> {
    ToolArgs::new(args).read::<TodoArgs>().ok().map(|args| args.items)
}

/// The tool `todo {items: [{content, status}]}`. A call has the whole list, and replaces the
/// previous one.
///
/// ```
/// use silcrow_tool::Tool as _;
/// use silcrow_tools::Todo;
///
/// assert_eq!(Todo::new().name(), "todo");
/// ```
#[derive(Debug, Default)]
pub struct Todo {
    /// The items of each conversation that were not done after its last call.
    unfinished: Mutex<HashMap<String, Vec<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TodoArgs {
    items: Vec<TodoItem>,
}

impl Todo {
    /// Creates the tool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores the list of a conversation. Returns the items that were not done and are not in it
    /// any more.
    fn replace(&self, conversation: &str, items: &[TodoItem]) -> Vec<String> {
        let open = |item: &&TodoItem| !item.status.is_over();
        let open: Vec<_> = items.iter().filter(open).map(|item| item.content.clone()).collect();
        let mut unfinished = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match open.is_empty() {
            true => unfinished.remove(conversation),
            false => unfinished.insert(conversation.to_owned(), open),
        };
        let is_missing = |content: &String| items.iter().all(|item| item.content != *content);
        before.unwrap_or_default().into_iter().filter(is_missing).collect()
    }
}

impl TodoStatus {
    /// Returns whether nothing is left to do.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Cancelled)
    }
}

impl Tool for Todo {
    fn name(&self) -> &str {
        "todo"
    }

    fn description(&self) -> &str {
        "Keeps your list of steps for a long task, which the person sees. Send the whole list each time."
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { read_only: true, idempotent: true, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let TodoArgs { items } = args.read()?;
            if items.len() > MOST_ITEMS {
                return Err(ToolError::new(format!("a list has at most {MOST_ITEMS} items; join some")));
            }
            let is_wrong = |item: &&TodoItem| {
                item.content.trim().is_empty() || item.content.chars().count() > MOST_CHARACTERS
            };
            if let Some(place) = items.iter().position(|item| is_wrong(&item)) {
                let place = place + 1;
                let why = format!("item {place} needs a text of at most {MOST_CHARACTERS} characters");
                return Err(ToolError::new(why));
            }
            let done = items.iter().filter(|item| item.status.is_over()).count();
            let missing = self.replace(context.conversation_id(), &items);
            let summary = format!("{done} of {} done", items.len());
            let output = ToolOutput::new(summary.clone(), summary);
            Ok(match &missing[..] {
                [] => output,
                missing => output.with_notice(format!(
                    "no longer in the list, and not done: {}; add them again unless the task has changed",
                    missing.join("; ")
                )),
            })
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"#,
    r#""content":{"type":"string"},"#,
    r#""status":{"enum":["pending","in_progress","completed","cancelled"]}},"#,
    r#""required":["content","status"],"additionalProperties":false}}},"#,
    r#""required":["items"],"additionalProperties":false}"#,
);

/// The number of items at most.
const MOST_ITEMS: usize = 40;

/// The number of characters of an item at most.
const MOST_CHARACTERS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    async fn call(todo: &Todo, conversation: &str, items: &str) -> Result<ToolOutput, ToolError> {
        let args = format!("{{\"items\":[{items}]}}");
        todo.call(ToolArgs::new(&args), &CallContext::new(conversation, "a1")).await
    }

    fn item(content: &str, status: &str) -> String {
        format!("{{\"content\":\"{content}\",\"status\":\"{status}\"}}")
    }

    #[tokio::test]
    async fn lost_item_is_named_once() {
        let todo = Todo::new();
        let first = [item("find", "completed"), item("mend", "in_progress")].join(",");
        let output = call(&todo, "c1", &first).await.unwrap();
        assert_eq!((&*output.summary, output.notices.len()), ("1 of 2 done", 0));
        // Another conversation has a separate list.
        assert!(call(&todo, "c2", &item("other", "pending")).await.unwrap().notices.is_empty());
        let output = call(&todo, "c1", &item("test", "pending")).await.unwrap();
        assert!(output.notices[0].starts_with("no longer in the list, and not done: mend;"));
        let output = call(&todo, "c1", &item("test", "cancelled")).await.unwrap();
        assert_eq!((&*output.summary, output.notices.len()), ("1 of 1 done", 0));
    }

    #[tokio::test]
    async fn invalid_lists_are_explained() {
        let todo = Todo::new();
        let many = vec![item("x", "pending"); 41].join(",");
        for (items, why) in [
            (many.as_str(), "at most 40 items"),
            (&item("", "pending"), "item 1 needs a text"),
            (&item("x", "done"), "unknown variant `done`"),
        ] {
            let error = call(&todo, "c", items).await.unwrap_err().into_words();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn request_size_is_bounded() {
        let todo = Todo::new();
        assert!(todo.description().len() + todo.schema().len() < 420);
    }
}
