//! The questions of servers in the middle of a call, asked at the terminal, one field after the other.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, json};
use silcrow_console::approve::{LineDesk, QuestionDesk};
use silcrow_console::live::{LiveQuestion, QuestionReply};
use silcrow_console::question::{QuestionStyle, restart_question, server_question};
use silcrow_mcp::{Elicitation, ElicitationAnswer, ElicitationField, Elicitor};
use tokio::sync::{mpsc, oneshot};

/// Asks the person at the terminal the questions of MCP servers: one field after the other.
///
/// ```
/// use silcrow_interactive::PersonElicitor;
///
/// // The other end is for the live screen.
/// let (desk, _questions) = tokio::sync::mpsc::channel(16);
/// assert!(PersonElicitor::live(&desk).is_some());
/// ```
pub struct PersonElicitor {
    desk: QuestionDesk,
    /// The lock of a question, because several calls may ask at the same time.
    asking: tokio::sync::Mutex<()>,
}

impl PersonElicitor {
    /// Returns the elicitor that asks on a live screen.
    pub fn live(desk: &mpsc::Sender<LiveQuestion>) -> Option<Arc<dyn Elicitor>> {
        Some(Arc::new(Self { desk: QuestionDesk::Live(desk.clone()), asking: Default::default() }))
    }

    /// Returns the elicitor that asks in lines, if somebody is there to answer.
    pub fn lines(desk: &LineDesk) -> Option<Arc<dyn Elicitor>> {
        desk.can_ask().then(|| {
            let desk = QuestionDesk::Lines(desk.clone());
            Arc::new(Self { desk, asking: Default::default() }) as Arc<dyn Elicitor>
        })
    }

    async fn ask(&self, question: Elicitation) -> ElicitationAnswer {
        let _asking = self.asking.lock().await;
        let mut values = Map::new();
        let consent = [consent()];
        let fields = if question.fields.is_empty() { &consent[..] } else { &question.fields };
        for field in fields {
            match self.ask_field(&question, field).await {
                FieldAnswer::Value(value) => drop(values.insert(field.name.clone(), value)),
                FieldAnswer::LeftOut => {}
                FieldAnswer::Declined => return ElicitationAnswer::Decline,
            }
        }
        if question.fields.is_empty() {
            return match values.get(CONSENT) == Some(&json!(true)) {
                true => ElicitationAnswer::Accept(Map::new()),
                false => ElicitationAnswer::Decline,
            };
        }
        ElicitationAnswer::Accept(values)
    }

    /// Asks for a field until the answer can be its value.
    async fn ask_field(&self, question: &Elicitation, field: &ElicitationField) -> FieldAnswer {
        let mut wrong = None;
        for _ in 0..MOST_TRIES {
            let style = QuestionStyle::of_process();
            let (server, message) = (&question.server, &question.message);
            let text = server_question(server, message, &field.label(), wrong.as_deref(), style);
            let Some(typed) = self.put(text).await else { return FieldAnswer::Declined };
            match field.parse(&typed) {
                Ok(Some(value)) => return FieldAnswer::Value(value),
                Ok(None) => return FieldAnswer::LeftOut,
                Err(why) => wrong = Some(why),
            }
        }
        FieldAnswer::Declined
    }

    /// Returns the typed text, or `None` if the person types nothing.
    async fn put(&self, text: String) -> Option<String> {
        match &self.desk {
            QuestionDesk::Lines(desk) => {
                let typed = desk.ask(&text).await.ok()?;
                Some(typed.trim().to_owned()).filter(|typed| !typed.is_empty())
            }
            QuestionDesk::Live(desk) => {
                let (answer, answered) = oneshot::channel();
                desk.send(LiveQuestion::of_words(text, answer)).await.ok()?;
                match answered.await.ok()? {
                    QuestionReply::Words(words) => words,
                    _ => None,
                }
            }
        }
    }
}

impl fmt::Debug for PersonElicitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PersonElicitor").finish_non_exhaustive()
    }
}

impl Elicitor for PersonElicitor {
    fn elicit(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        self.ask(question).boxed()
    }

    fn allow_restart<'a>(&'a self, server: &'a str, changed: &'a Path) -> BoxFuture<'a, bool> {
        async move {
            let _asking = self.asking.lock().await;
            let style = QuestionStyle::of_process();
            let text = restart_question(server, &changed.to_string_lossy(), style);
            let typed = self.put(text).await;
            typed.is_some_and(|typed| matches!(&*typed.to_lowercase(), "y" | "yes"))
        }
        .boxed()
    }
}

/// A person's answer about a field.
enum FieldAnswer {
    Value(serde_json::Value),
    LeftOut,
    Declined,
}

/// Returns the field that stands for a yes to a question without fields.
fn consent() -> ElicitationField {
    ElicitationField::new(CONSENT, json!({"type": "boolean"}), true)
}

const CONSENT: &str = "yes or no";

/// The number of times that the person is asked for a field.
const MOST_TRIES: usize = 5;
