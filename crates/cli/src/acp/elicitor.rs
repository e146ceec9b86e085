//! The questions of servers in the middle of a call, as forms of the editor.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_acp::{AcpFormAnswer, AcpPerson};
use silcrow_mcp::{Elicitation, ElicitationAnswer, Elicitor};

use crate::mcp::form_schema;

/// Asks in the session whose call the server works on. Sessions share servers.
#[derive(Default)]
pub(super) struct EditorElicitor(Mutex<HashMap<String, Weak<AcpPerson>>>);

impl EditorElicitor {
    /// Adds the person of a session, who can be asked until its prompt is over.
    pub(super) fn meet(&self, session: &str, person: &Arc<AcpPerson>) {
        let mut people = self.lock();
        people.retain(|_, person| person.strong_count() > 0);
        people.insert(session.to_owned(), Arc::downgrade(person));
    }

    fn person(&self, conversation: &str) -> Option<Arc<AcpPerson>> {
        // The id of a called agent's conversation begins with its session's.
        let session = conversation.split('/').next().unwrap_or(conversation);
        self.lock().get(session)?.upgrade()
    }

    async fn ask(&self, question: Elicitation) -> ElicitationAnswer {
        let person = question.conversation.as_ref().and_then(|one| self.person(one));
        let Some(person) = person else { return ElicitationAnswer::Decline };
        let message = format!("The server {} asks: {}", question.server, question.message);
        match person.fill(&message, &form_schema(&question)).await {
            AcpFormAnswer::Accepted(values) => ElicitationAnswer::Accept(values),
            AcpFormAnswer::Declined => ElicitationAnswer::Decline,
            AcpFormAnswer::Cancelled => ElicitationAnswer::Cancel,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Weak<AcpPerson>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Elicitor for EditorElicitor {
    fn elicit(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        self.ask(question).boxed()
    }
}
