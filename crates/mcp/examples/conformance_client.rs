//! The client that the official conformance suite of the Model Context Protocol tests.
//!
//! The suite starts it with the address of a server. It uses all offers of the server: it calls
//! each tool, reads each resource and gets each prompt. If a login is required, it follows the link
//! itself, as a person would with a browser.

use std::env;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use silcrow_mcp::{
    Elicitation, ElicitationAnswer, Elicitor, LoginPrompt, McpServers, OAuthLogin, Options,
    RegisteredClient, ServerAddress, ServerConfig, ServerUrl,
};
use silcrow_tool::{CallContext, Tool, ToolArgs};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().unwrap_or_default();
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context: Value =
        serde_json::from_str(&env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default())
            .unwrap_or_default();
    let mut login = OAuthLogin::new(FollowsLinks)
        .with_patience(Duration::from_secs(20))
        .with_metadata_url("https://conformance-test.local/client-metadata.json");
    if let (Some(id), Some(issuer)) = (context["client_id"].as_str(), context["issuer"].as_str()) {
        login = login.with_registered(RegisteredClient {
            issuer: issuer.to_owned(),
            id: id.to_owned(),
            secret: context["client_secret"].as_str().map(str::to_owned),
        });
    }
    let mut server = ServerUrl::default().with_login(login);
    server.url = url;
    let config = ServerConfig::new("suite", ServerAddress::Url(server))?;
    let mut options = Options::default();
    options.patience = Duration::from_secs(25);
    options.elicitor = Some(Arc::new(TakesDefaults));
    let servers = McpServers::start(vec![config], options).await;
    if let Some(failure) = &servers.statuses()[0].failure {
        return Err(failure.clone().into());
    }
    let tools = servers.tools();
    let planned = context["toolCalls"].as_array().cloned().unwrap_or_default();
    let schemas: Vec<_> = tools.iter().map(|tool| tool.schema().to_owned()).collect();
    let mut ended = Vec::new();
    if planned.is_empty() {
        for tool in &tools {
            ended.push(call(tool, &args(tool.schema(), &schemas)).await);
        }
    }
    for planned in &planned {
        let name = format!("suite.{}", planned["name"].as_str().unwrap_or_default());
        let tool = tools.iter().find(|tool| tool.name() == name).ok_or("a tool is missing")?;
        ended.push(call(tool, &planned["arguments"]).await);
    }
    servers.close().await;
    // A tool may fail; the suite wants to see a failed login.
    let lost = ended.into_iter().find(|ended| scenario.starts_with("auth/") && ended.is_err());
    lost.unwrap_or(Ok(()))
}

async fn call(tool: &Arc<dyn Tool>, args: &Value) -> Result<(), Box<dyn Error>> {
    let args = args.to_string();
    let context = CallContext::new("conformance", "call");
    tool.call(ToolArgs::new(&args), &context)
        .await
        .map(drop)
        .map_err(|error| error.to_string().into())
}

/// Makes arguments that a schema takes. A tool that wants a schema gets one that another tool has.
fn args(schema: &str, all: &[String]) -> Value {
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let mut args = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let richest = all.iter().max_by_key(|schema| schema.len());
        let value = match (&**name, property["type"].as_str()) {
            ("schema", _) => {
                richest.and_then(|schema| serde_json::from_str(schema).ok()).unwrap_or_default()
            }
            (_, Some("number" | "integer")) => json!(1),
            (_, Some("boolean")) => json!(true),
            (_, Some("object")) => json!({}),
            (_, Some("array")) => json!([]),
            _ => json!("text"),
        };
        args.insert(name.clone(), value);
    }
    Value::Object(args)
}

/// Answers each question with the defaults of its fields.
struct TakesDefaults;

impl Elicitor for TakesDefaults {
    fn elicit(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        let value = |schema: &Value| match (schema.get("default"), schema["type"].as_str()) {
            (Some(value), _) => value.clone(),
            (None, Some("boolean")) => json!(true),
            (None, Some("number" | "integer")) => json!(1),
            (None, _) => schema["enum"].get(0).cloned().unwrap_or_else(|| json!("text")),
        };
        let fields = question.fields.iter();
        let answer = fields.map(|field| (field.name.clone(), value(&field.schema))).collect();
        async move { ElicitationAnswer::Accept(answer) }.boxed()
    }
}

/// Follows a link as a browser does, in a separate task.
struct FollowsLinks;

impl LoginPrompt for FollowsLinks {
    fn show(&self, _: &str, link: &str) {
        let link = link.to_owned();
        tokio::spawn(async move {
            // The suite's issuer sends the browser back at once. If anything fails here, the login
            // never arrives.
            drop(reqwest::get(link).await);
        });
    }
}
