//! The tools of one MCP server under one name, and tools of servers under other names.
//!
//! A server may come and go, so its tools are looked up when they are called.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use silcrow_tool::{
    AliasTool, ApprovalNeed, CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput,
    ToolPolicy, ToolSource,
};

/// A relic that calls the tools of a server: `name {tool, …arguments}`. Without a `tool` it lists
/// them with their schemas.
pub(crate) struct ServerRelic {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) server: String,
    pub(crate) source: Arc<dyn ToolSource>,
}

impl ServerRelic {
    /// Returns the tool that a call means, with its arguments; no tool if it asks for the list.
    async fn find(&self, args: &str) -> Result<Option<(Arc<dyn Tool>, String)>, ToolError> {
        let not_read = |why| ToolError::new(format!("the arguments do not fit: {why}"));
        let mut given: Map<String, Value> = serde_json::from_str(args).map_err(not_read)?;
        let Some(tool) = given.remove("tool") else { return Ok(None) };
        let tool = tool.as_str().unwrap_or_default().to_owned();
        let arguments = match (given.len(), given.get("arguments")) {
            (1, Some(Value::Object(arguments))) => arguments.clone(),
            _ => given,
        };
        let tools = self.source.tools().await;
        let found = tools.iter().find(|known| self.short(known.name()) == Some(&tool));
        let found = found.cloned().ok_or_else(|| {
            let names = tools.iter().filter_map(|known| self.short(known.name()));
            let names = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let server = &self.server;
            ToolError::new(match &*names {
                "" => format!("the server `{server}` has no tools now"),
                names => format!("`{server}` has no tool `{tool}`; use one of {names}"),
            })
        })?;
        Ok(Some((found, Value::Object(arguments).to_string())))
    }

    /// Returns the name of a tool without the server's prefix.
    fn short<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_prefix(&*self.server)?.strip_prefix('.')
    }

    async fn list(&self) -> ToolOutput {
        let tools = self.source.tools().await;
        let entries = tools.iter().filter_map(|tool| {
            let schema: Value = serde_json::from_str(tool.schema()).unwrap_or_default();
            let name = self.short(tool.name())?;
            Some(serde_json::json!({
                "tool": name, "description": tool.description(), "arguments": schema,
            }))
        });
        let entries: Vec<Value> = entries.collect();
        ToolOutput::new(format!("{} tools", entries.len()), Value::Array(entries).to_string())
    }
}

impl Tool for ServerRelic {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    /// Returns a policy that trusts no hint of the server: every call needs an approval.
    fn policy(&self) -> ToolPolicy {
        let approval = ApprovalNeed::Always;
        ToolPolicy { sends_out: true, approval, ..ToolPolicy::default() }
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            match self.find(args.as_str()).await? {
                None => Ok(Preview::new("list").with_effect("lists the tools of the server")),
                Some((tool, arguments)) => {
                    let mut preview = tool.preview(ToolArgs::new(&arguments), context).await?;
                    preview.scope = format!("{} {}", tool.name(), preview.scope);
                    preview.target.get_or_insert_with(|| tool.name().to_owned());
                    Ok(preview)
                }
            }
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            match self.find(args.as_str()).await? {
                None => Ok(self.list().await),
                Some((tool, arguments)) => tool.call(ToolArgs::new(&arguments), context).await,
            }
        }
        .boxed()
    }
}

/// Tools of servers, also under their aliases.
pub(crate) struct AliasedTools {
    source: Arc<dyn ToolSource>,
    /// The names and the tools that they stand for.
    aliases: Vec<(String, String)>,
    /// The tools that there were, and these with aliases.
    last: Mutex<Option<(RelicTools, RelicTools)>>,
}

/// The tools of a source.
type RelicTools = Arc<[Arc<dyn Tool>]>;

impl AliasedTools {
    pub(crate) fn new(source: Arc<dyn ToolSource>, aliases: Vec<(String, String)>) -> Self {
        Self { source, aliases, last: Mutex::new(None) }
    }
}

impl ToolSource for AliasedTools {
    fn tools(&self) -> BoxFuture<'_, RelicTools> {
        async {
            let tools = self.source.tools().await;
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((before, all)) = &*last
                && Arc::ptr_eq(before, &tools)
            {
                return Arc::clone(all);
            }
            let alias = |(alias, name): &(String, String)| {
                let tool = tools.iter().find(|tool| tool.name() == name)?;
                Some(Arc::new(AliasTool::new(alias, Arc::clone(tool))) as Arc<dyn Tool>)
            };
            let all: Vec<_> =
                tools.iter().cloned().chain(self.aliases.iter().filter_map(alias)).collect();
            let all: RelicTools = all.into();
            *last = Some((tools, Arc::clone(&all)));
            all
        }
        .boxed()
    }
}

const SCHEMA: &str = r#"{"type":"object","properties":{"tool":{"type":"string","description":"the tool; leave it out to list them with their arguments"},"arguments":{"type":"object","description":"the arguments of the tool"}},"additionalProperties":true}"#;
