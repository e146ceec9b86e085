//! The tools of a run's client: their declarations for the model, and calls that wait for results.
//!
//! ```text
//! the model calls ─► asked about, and parked ─► the client gets the call ─► its next request has the
//! result: kept, and the question is answered ─► the run continues, anywhere ─► the call returns it
//! ```
//!
//! The declarations and the results are stored beside the conversation, so that any process with
//! the store can continue. Nothing runs here: the client carries out such calls.

mod asked;

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use silcrow_agent::Agent;
use silcrow_event::Json;
use silcrow_front::{ClientResult, ClientToolNames, ClientTools, open_client_calls};
use silcrow_store::Store;
use silcrow_tool::{
    ApprovalDecision, ApprovalNeed, ApprovalScope, CallContext, Preview, Tool, ToolArgs, ToolError,
    ToolOutput, ToolPolicy,
};

use crate::error::{Error, ErrorKind};
use crate::server::Server;
use crate::source::RunPlace;
use crate::work::TakenAnswers;
use asked::AskedOfClient;

/// A tool of the client.
struct DeclaredClientTool {
    name: String,
    description: String,
    schema: String,
    store: Arc<dyn Store>,
}

impl Tool for DeclaredClientTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &str {
        &self.schema
    }

    fn policy(&self) -> ToolPolicy {
        // Its effects are unknown here.
        ToolPolicy { sends_out: true, approval: ApprovalNeed::Always, ..ToolPolicy::default() }
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let preview = Preview::new(args.as_str()).with_effect(EFFECT);
            Ok(preview.with_risk(RISK))
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let key = question_id(context.turn(), context.call_id());
            let kept = self.store.get(&space(context.conversation_id()), &key).await;
            let kept = kept.map_err(|why| {
                ToolError::new(format!("its result cannot be read: {why}; call it again"))
            })?;
            let kept = kept.and_then(|kept| serde_json::from_slice::<Value>(&kept.value).ok());
            let Some(kept) = kept else {
                let why = "a person allowed this call, but the program that has the tool sent no \
                           result; ask the person to use that program, or do without";
                return Err(ToolError::new(why));
            };
            let content = kept["content"].as_str().unwrap_or_default();
            if kept["failed"] == true {
                return Err(ToolError::new(content));
            }
            let output = ToolOutput::new("done by the program that has it", content);
            Ok(output.with_value(Json::parse(content)))
        }
        .boxed()
    }
}

impl Server {
    /// Gives an agent the tools of the client of a conversation.
    pub(crate) fn with_client_tools(
        &self,
        agent: Agent,
        tools: &ClientTools,
    ) -> Result<Agent, Error> {
        if tools.is_empty() {
            return Ok(agent);
        }
        let asked = AskedOfClient::new(agent.approver(), tools.names());
        let mut agent = agent.with_approver(asked);
        for tool in tools.iter() {
            let store = Arc::clone(&self.store);
            let (name, description) = (tool.name.clone(), tool.description.clone());
            let schema = tool.schema.clone();
            let tool = DeclaredClientTool { name, description, schema, store };
            agent = agent.with_tool(tool).map_err(|taken| {
                let why = format!(
                    "the agent has a tool `{}` itself; give yours another name",
                    taken.name()
                );
                Error::new(ErrorKind::Malformed, why)
            })?;
        }
        Ok(agent)
    }

    /// Returns the names of the tools that the client of a conversation has declared.
    pub(crate) async fn client_tool_names(
        &self,
        conversation: &str,
    ) -> Result<ClientToolNames, Error> {
        Ok(self.kept_client_tools(conversation).await?.names())
    }

    /// Stores the results of calls of the client's tools, and answers to questions. Once nothing is
    /// open, the run continues. Results of calls that are not open are ignored; returns `None` if
    /// there are no others.
    pub(crate) async fn take_results(
        &self,
        place: RunPlace,
        results: &[ClientResult],
        answers: &[(String, ApprovalDecision)],
        message: Option<&str>,
    ) -> Result<Option<TakenAnswers>, Error> {
        let mut answers = answers.to_vec();
        if !results.is_empty() {
            let conversation = &*place.conversation;
            let tools = self.client_tool_names(conversation).await?;
            let head = self.store.head(conversation).await?;
            let log = match head {
                0 => Vec::new(),
                _ => self.entries(&place, 0).await?,
            };
            let open = open_client_calls(conversation, &tools, &log);
            for result in results {
                let Some(call) = open.iter().find(|open| open.call == result.call) else {
                    continue;
                };
                if answers.iter().any(|(question, _)| *question == call.question) {
                    continue;
                }
                self.keep_result(conversation, &call.question, result).await?;
                let yes = ApprovalDecision::Allow(ApprovalScope::Once);
                answers.push((call.question.clone(), yes));
            }
        }
        if answers.is_empty() {
            return Ok(None);
        }
        self.answer(place, &answers, message).await.map(Some)
    }

    async fn keep_result(
        &self,
        conversation: &str,
        question: &str,
        result: &ClientResult,
    ) -> Result<(), Error> {
        let space = space(conversation);
        let version = self.store.get(&space, question).await?.map_or(0, |kept| kept.version);
        let content = self.source.masked(result.content.clone());
        let kept = json!({ "content": content, "failed": result.has_failed }).to_string();
        self.store.put(&space, question, version, kept.into_bytes()).await?;
        Ok(())
    }
}

/// Returns the id of the question about a call.
fn question_id(turn: u32, call: &str) -> String {
    format!("{turn}/{}", call.replace('~', "~0").replace('/', "~1"))
}

/// Returns the key under which the results for a conversation are kept.
fn space(conversation: &str) -> String {
    format!("client/{conversation}")
}

const EFFECT: &str = "runs in the program that has the tool, on the person's side";

const RISK: &str = "nobody here knows what it does there";
