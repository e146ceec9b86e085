//! This client as a server sees it: its capabilities, and its answers to the server's requests.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::ClientHandler;
use rmcp::ErrorData;
use rmcp::handler::client::progress::ProgressDispatcher;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, FormElicitationCapability, Implementation, ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::client::served_calls::ServedCalls;
use crate::elicit::{Elicitation, ElicitationAnswer, Elicitor};

/// The client as a server sees it. It offers no roots and no sampling.
#[derive(Clone)]
pub(crate) struct ClientFace {
    pub(crate) server: String,
    pub(crate) progress: ProgressDispatcher,
    /// Whether the server has said that its lists have changed.
    pub(crate) is_stale: Arc<AtomicBool>,
    pub(crate) calls: ServedCalls,
    elicitor: Option<Arc<dyn Elicitor>>,
    /// The number of questions that a person has not answered yet.
    open_questions: Arc<watch::Sender<usize>>,
}

impl fmt::Debug for ClientFace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientFace").field("server", &self.server).finish_non_exhaustive()
    }
}

impl ClientFace {
    pub(crate) fn new(server: &str, elicitor: Option<Arc<dyn Elicitor>>) -> Self {
        let (progress, is_stale) = (ProgressDispatcher::new(), Arc::default());
        let (calls, open_questions) = Default::default();
        Self { server: server.to_owned(), progress, is_stale, calls, elicitor, open_questions }
    }

    /// Returns whether a person is there to answer.
    pub(crate) const fn has_elicitor(&self) -> bool {
        self.elicitor.is_some()
    }

    /// Waits for this time, not counting the time in which a person is asked.
    pub(crate) async fn time_over(&self, limit: Duration) {
        let mut questions = self.open_questions.subscribe();
        let mut left = limit;
        // No wait can fail, because `self` holds the sender.
        loop {
            let _ = questions.wait_for(|open| *open == 0).await;
            let began = Instant::now();
            tokio::select! {
                () = sleep(left) => return,
                _ = questions.wait_for(|open| *open > 0) => {}
            }
            left = left.saturating_sub(began.elapsed());
        }
    }

    /// Asks the person a server's question for a conversation. Requests to visit an address are
    /// never shown. If nobody can be asked, the open calls report that.
    pub(crate) async fn elicit(
        &self,
        request: ElicitRequestParams,
        conversation: Option<String>,
    ) -> ElicitResult {
        let (message, schema) = match request {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                (message, Some(requested_schema))
            }
            ElicitRequestParams::UrlElicitationParams { message, .. } => (message, None),
            _ => (String::new(), None),
        };
        let (Some(elicitor), Some(schema)) = (&self.elicitor, schema) else {
            let why = match &self.elicitor {
                Some(_) => "it asks for an address to be visited, which is not supported",
                None => "nobody can be asked here",
            };
            let message: String = message.chars().take(LONGEST_SHOWN).collect();
            let server = &self.server;
            self.calls.tell(&format!(
                "the server {server} asked, and got no answer: {message:?}; {why}\n"
            ));
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let schema = serde_json::to_value(schema).unwrap_or_default();
        let question = Elicitation::new(&*self.server, message).with_conversation(conversation);
        let question = question.with_schema(&schema);
        let _open = AwaitedAnswer::new(&self.open_questions);
        match elicitor.elicit(question).await {
            ElicitationAnswer::Accept(values) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(values))
            }
            ElicitationAnswer::Decline => ElicitResult::new(ElicitationAction::Decline),
            ElicitationAnswer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
        }
    }

    /// Returns whether a person allows the start of a server although one of its files has changed.
    pub(crate) async fn allows_restart(&self, changed: &Path) -> bool {
        let Some(elicitor) = &self.elicitor else { return false };
        timeout(ANSWER_TIME, elicitor.allow_restart(&self.server, changed)).await.unwrap_or(false)
    }

    fn become_stale(&self) {
        self.is_stale.store(true, Ordering::Relaxed);
    }
}

/// Counts a question as open until it is dropped.
struct AwaitedAnswer<'a>(&'a watch::Sender<usize>);

impl<'a> AwaitedAnswer<'a> {
    fn new(open: &'a watch::Sender<usize>) -> Self {
        open.send_modify(|open| *open += 1);
        Self(open)
    }
}

impl Drop for AwaitedAnswer<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}

impl ClientHandler for ClientFace {
    fn get_info(&self) -> ClientConfig {
        let mut can = ClientCapabilities::default();
        if self.elicitor.is_some() {
            let form = FormElicitationCapability::default();
            can.elicitation = Some(ElicitationCapability::new().with_form(form));
        }
        ClientConfig::new(can, Implementation::new("silcrow", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.elicit(request, self.calls.conversation()).await)
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.progress.handle_notification(progress).await;
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.become_stale();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.become_stale();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.become_stale();
    }
}

/// The time that a person has for the questions of one call.
pub(crate) const ANSWER_TIME: Duration = Duration::from_secs(15 * 60);

/// The maximum number of characters of an unanswered question that a call shows.
const LONGEST_SHOWN: usize = 300;
