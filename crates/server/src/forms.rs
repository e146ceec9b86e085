//! Forms that a call lets a person fill in, such as the questions of MCP servers, for a page that shows
//! them.
//!
//! ```text
//! a call asks ─► the form waits ─► a page lists it, and answers ─► the call goes on
//!                     └─ `forms` in the stream of the user ─┘
//! ```
//!
//! Nothing of a form is stored: it disappears with its call, or with the process.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::{Map, Value};
use silcrow_tool::{BasicValidator, Validator as _};
use tokio::sync::oneshot;

use crate::error::{Error, ErrorKind};
use crate::journal::UserJournal;
use crate::runs::Runs;

/// The open forms of calls, which people fill in. Clones are the same desk.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use serde_json::json;
/// use silcrow_server::{FormAnswer, FormDesk};
///
/// let desk = FormDesk::default();
/// let colour = json!({"type": "string", "enum": ["red", "blue"]});
/// let schema = json!({"type": "object", "properties": {"colour": colour}});
/// // No page of the conversation's user is open, so nobody can answer.
/// assert_eq!(desk.ask("c1", "Which colour?", &schema).await, FormAnswer::Declined);
/// # });
/// ```
#[derive(Clone, Default)]
pub struct FormDesk(Arc<FormDeskState>);

#[derive(Default)]
struct FormDeskState {
    forms: Mutex<OpenForms>,
    /// The runs of the server that shows the forms.
    runs: OnceLock<Arc<Runs>>,
}

#[derive(Default)]
struct OpenForms {
    last: u64,
    open: BTreeMap<u64, OpenForm>,
}

struct OpenForm {
    conversation: String,
    message: String,
    schema: Value,
    answer: oneshot::Sender<FormAnswer>,
}

/// The answer of a person to a form.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol of the questions has these three")]
pub enum FormAnswer {
    /// The values of the fields.
    Accepted(Map<String, Value>),
    /// The person does not answer, or is not there.
    Declined,
    /// The person wants the asking call to end.
    Cancelled,
}

/// A form that waits, as a page shows it.
pub(crate) struct ShownForm {
    pub(crate) id: u64,
    pub(crate) message: String,
    pub(crate) schema: Value,
}

impl FormDesk {
    /// Shows a form with a message on the pages of a conversation's user, and waits for an answer.
    /// `schema` is a JSON schema of an object whose fields are texts, numbers, switches and choices.
    /// If no page is open, it is declined.
    pub async fn ask(&self, conversation: &str, message: &str, schema: &Value) -> FormAnswer {
        // The conversation of a called agent has a name that begins with its run's.
        let conversation = conversation.split('/').next().unwrap_or(conversation);
        if !self.is_watched(conversation) {
            return FormAnswer::Declined;
        }
        let (sender, answer) = oneshot::channel();
        let id = {
            let mut forms = self.lock();
            forms.last += 1;
            let id = forms.last;
            let (conversation, message) = (conversation.to_owned(), message.to_owned());
            let schema = schema.clone();
            forms.open.insert(id, OpenForm { conversation, message, schema, answer: sender });
            id
        };
        let _open = WaitingForm { desk: self, conversation, id };
        self.tell_pages(conversation);
        answer.await.unwrap_or(FormAnswer::Declined)
    }

    /// Takes the runs of the server that shows the forms.
    pub(crate) fn serve(&self, runs: &Arc<Runs>) {
        // A desk belongs to one server.
        let _ = self.0.runs.set(Arc::clone(runs));
    }

    /// Returns the forms that a conversation waits for.
    pub(crate) fn in_conversation(&self, conversation: &str) -> Vec<ShownForm> {
        let forms = self.lock();
        let own = forms.open.iter().filter(|(_, form)| form.conversation == conversation);
        let shown = own.map(|(id, form)| ShownForm {
            id: *id,
            message: form.message.clone(),
            schema: form.schema.clone(),
        });
        shown.collect()
    }

    /// Answers a form of a conversation. Values that were not asked for are left out.
    pub(crate) fn answer(
        &self,
        conversation: &str,
        id: u64,
        answer: FormAnswer,
    ) -> Result<(), Error> {
        let mut forms = self.lock();
        let form = forms.open.get(&id).filter(|form| form.conversation == conversation);
        let form = form
            .ok_or_else(|| Error::new(ErrorKind::Stale, "nobody waits for this form any more"))?;
        let answer = match answer {
            FormAnswer::Accepted(values) => FormAnswer::Accepted(fitting(values, &form.schema)?),
            other => other,
        };
        if let Some(form) = forms.open.remove(&id) {
            // The call may be over.
            let _ = form.answer.send(answer);
        }
        Ok(())
    }

    fn is_watched(&self, conversation: &str) -> bool {
        self.journal(conversation).is_some_and(|journal| journal.is_read())
    }

    /// Has the pages of a conversation's user read its forms again.
    fn tell_pages(&self, conversation: &str) {
        if let Some(journal) = self.journal(conversation) {
            journal.publish_forms(conversation);
        }
    }

    fn journal(&self, conversation: &str) -> Option<Arc<UserJournal>> {
        let runs = self.0.runs.get()?;
        let run = runs.latest(conversation)?;
        runs.journal(run.place.user.as_deref()).ok()
    }

    fn lock(&self) -> MutexGuard<'_, OpenForms> {
        self.0.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for FormDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FormDesk").field("open", &self.lock().open.len()).finish()
    }
}

/// Returns the values that were asked for, if they fit.
fn fitting(values: Map<String, Value>, schema: &Value) -> Result<Map<String, Value>, Error> {
    let values = values
        .into_iter()
        .filter(|(name, value)| !value.is_null() && schema["properties"].get(name).is_some());
    let values: Map<_, _> = values.collect();
    let text = Value::from(values.clone()).to_string();
    match BasicValidator.check(&schema.to_string(), &text) {
        Ok(()) => Ok(values),
        Err(why) => Err(Error::new(ErrorKind::Malformed, why.into_words())),
    }
}

/// Forgets a form when it is dropped.
struct WaitingForm<'a> {
    desk: &'a FormDesk,
    conversation: &'a str,
    id: u64,
}

impl Drop for WaitingForm<'_> {
    fn drop(&mut self) {
        self.desk.lock().open.remove(&self.id);
        self.desk.tell_pages(self.conversation);
    }
}
