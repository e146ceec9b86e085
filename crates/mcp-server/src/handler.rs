//! The requests of a client.

use axum::http::request::Parts;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, ErrorData, Extensions,
    GetTaskParams, GetTaskResult, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer};
use silcrow_server::ServerUser;

use crate::abilities::elicits;
use crate::offer::McpOffer;
use crate::run_call::RunCall;
use crate::task;

/// Answers the requests of one client.
pub(crate) struct AgentHandler {
    offer: McpOffer,
    users: UserSource,
}

/// The source of a request's user.
pub(crate) enum UserSource {
    /// All requests are of one user.
    One(ServerUser),
    /// The server has put the user of each request there.
    Request,
}

impl AgentHandler {
    pub(crate) const fn new(offer: McpOffer, users: UserSource) -> Self {
        Self { offer, users }
    }

    fn user(&self, extensions: &Extensions) -> Result<ServerUser, ErrorData> {
        let user = match &self.users {
            UserSource::One(user) => Some(user.clone()),
            UserSource::Request => {
                extensions.get::<Parts>().and_then(|parts| parts.extensions.get().cloned())
            }
        };
        user.ok_or_else(|| ErrorData::invalid_request("nobody is logged in", None))
    }
}

impl ServerHandler for AgentHandler {
    fn get_info(&self) -> ServerConfig {
        let can = ServerCapabilities::builder().enable_tools().enable_tasks().build();
        ServerConfig::new(can)
            .with_server_info(
                Implementation::new("silcrow", env!("CARGO_PKG_VERSION")).with_title("silcrow"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = self.offer.tools.iter().find(|tool| tool.definition.name == name)?;
        Some(tool.definition.clone())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.offer.tools.iter().map(|tool| tool.definition.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let user = self.user(&context.extensions)?;
        let call = RunCall::new(self.offer.clone(), user, context);
        call.run(request).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let user = self.user(&context.extensions)?;
        let elicits = elicits(&context);
        task::get(&self.offer.server, user, &request.task_id, elicits).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let user = self.user(&context.extensions)?;
        let server = &self.offer.server;
        task::update(server, user, &request.task_id, request.input_responses).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let user = self.user(&context.extensions)?;
        task::cancel(&self.offer.server, user, &request.task_id).await
    }
}

const INSTRUCTIONS: &str = "Each tool runs an agent, which may take minutes and may ask the person. \
                            Its answer names a conversation; pass its id to `run` to continue there.";
