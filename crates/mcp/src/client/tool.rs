//! A tool of a server, as the runner calls it.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_tool::{
    BasicValidator, CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
    Validator as _,
};

use crate::client::call::call;
use crate::client::definition::ToolDefinition;
use crate::client::face::ANSWER_TIME;
use crate::client::result::output;
use crate::client::server::ServerHandle;
use crate::config::ServerAddress;

/// A tool of a server.
pub(crate) struct McpTool {
    server: Arc<ServerHandle>,
    definition: ToolDefinition,
    /// The first words of the description, if the model reads no more before it searches.
    brief: Option<String>,
}

impl McpTool {
    pub(crate) fn new(
        server: &Arc<ServerHandle>,
        definition: &ToolDefinition,
        is_brief: bool,
    ) -> Self {
        let brief = is_brief.then(|| brief(&definition.description));
        Self { server: Arc::clone(server), definition: definition.clone(), brief }
    }

    async fn run(
        &self,
        args: ToolArgs<'_>,
        context: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        let schema = &*self.definition.schema;
        if self.brief.is_some()
            && let Err(why) = BasicValidator.check(schema, args.as_str())
        {
            return Err(ToolError::new(format!("{why}; the schema of the arguments is {schema}")));
        }
        let result = call(&self.server, &self.definition, args.read()?, context).await?;
        let ServerHandle { spill, decoder, .. } = &*self.server;
        output(result, spill.as_ref(), decoder, context).await
    }
}

impl Tool for McpTool {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn description(&self) -> &str {
        self.brief.as_deref().unwrap_or(&self.definition.description)
    }

    fn schema(&self) -> &str {
        if self.brief.is_some() { ANY } else { &self.definition.schema }
    }

    fn policy(&self) -> ToolPolicy {
        let policy = self.definition.policy;
        match self.server.face.has_elicitor() {
            true => ToolPolicy { timeout: policy.timeout + ANSWER_TIME, ..policy },
            false => policy,
        }
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        let config = &self.server.config;
        let preview = Preview::new(args.as_str()).with_time_limit(config.timeout);
        let preview = match &config.address {
            ServerAddress::Url(url) => preview.with_target(&*url.url),
            command @ ServerAddress::Command(_) => {
                preview.with_effect(format!("is done by the program {command}"))
            }
        };
        async move { Ok(preview) }.boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.run(args, context).boxed()
    }
}

/// Returns the beginning of a description.
fn brief(description: &str) -> String {
    let line = description.lines().next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |end| end + 1).min(LONGEST_BRIEF);
    line[..line.floor_char_boundary(end)].to_owned()
}

/// The schema of any arguments.
const ANY: &str = r#"{"type":"object"}"#;

/// The number of bytes of the longest brief description.
const LONGEST_BRIEF: usize = 80;
