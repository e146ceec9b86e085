//! The server that the official conformance suite of the Model Context Protocol tests.
//!
//! The suite asks for tools with names of its own. Here each of them is a workflow of a real agent,
//! so a call is a run in a store as for every other client, and not an answer made for the suite.
//! It prints the address at which it serves.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::{Agent, Workflow};
use silcrow_event::{Call, CallKind};
use silcrow_mcp_server::{DeclaredTool, McpEndpoint, Options};
use silcrow_provider::ScriptedModel;
use silcrow_server::{RunPlace, Server, ServerUser};
use silcrow_store::MemoryStore;
use silcrow_tool::{
    ApprovalNeed, CallContext, CancellationToken, ParkAll, Tool, ToolArgs, ToolError, ToolOutput,
    ToolPolicy, Toolbox,
};
use tokio::net::TcpListener;
use tokio::time::sleep;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let store = Arc::new(MemoryStore::new());
    let agent = agent(Arc::clone(&store));
    let declared: Vec<_> = agent
        .tools()
        .iter_as(CallKind::Workflow)
        .map(|tool| DeclaredTool::from_tool(CallKind::Workflow, tool))
        .collect();
    let server = Server::new(store, move |_: &RunPlace| agent.clone())
        .with_authenticator(|_| Some(ServerUser::default()));
    let mut options = Options::default();
    options.task_after = Duration::from_millis(500);
    let endpoint = McpEndpoint::new(server.clone()).with_declared(&declared).with_options(options);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    #[expect(clippy::print_stdout, reason = "the one who has started it reads the address")]
    {
        println!("http://{}/mcp", listener.local_addr()?);
    }
    let router = server.router().merge(endpoint.router());
    server.serve_router(router, listener, CancellationToken::new()).await;
    Ok(())
}

/// Returns an agent with the workflows that the suite calls.
fn agent(store: Arc<MemoryStore>) -> Agent {
    let mut tools = Toolbox::new();
    let mut add = |name, does| tools.add(SuiteTool { name, does }).expect("the names differ");
    add("say", Does::Say);
    add("fail", Does::Fail);
    add("wait", Does::Wait);
    add("ask", Does::Ask);
    let agent = Agent::new(ScriptedModel::parse("", 1), store).with_approver(ParkAll);
    let host = agent.clone().with_tools(tools.clone());
    for (name, schema, actions) in WORKFLOWS {
        let actions = actions.iter().zip(["a", "b", "c"]);
        let actions = actions.map(|(content, id)| Call::parse(id, *content).expect("it is a call"));
        let actions: Vec<_> = actions.collect();
        let last = actions.last().map(|last| last.id().to_owned()).unwrap_or_default();
        let host = host.clone();
        let workflow =
            Workflow::new(*name, "Does what the suite wants.", actions, move || host.clone())
                .with_inputs(*schema, [])
                .with_output(last);
        tools.add_as(CallKind::Workflow, workflow).expect("the names differ");
    }
    agent.with_tools(tools)
}

/// The workflows: name, schema of the arguments, and calls.
const WORKFLOWS: &[(&str, &str, &[&str])] = &[
    (
        "test_simple_text",
        NONE,
        &[r#"{"name":"say","args":{"text":"This is a simple text response for testing."}}"#],
    ),
    ("test_error_handling", NONE, &[r#"{"name":"fail","args":{}}"#]),
    (
        "test_tool_with_progress",
        NONE,
        &[
            r#"{"name":"wait","args":{"seconds":0.05}}"#,
            r#"{"name":"wait","args":{"seconds":0.05}}"#,
            r#"{"name":"say","args":{"text":"done"}}"#,
        ],
    ),
    ("test_elicitation", ANY, &[r#"{"name":"ask","args":{}}"#]),
    ("test_input_required_result_elicitation", NONE, &[r#"{"name":"ask","args":{}}"#]),
    ("test_input_required_result_capabilities", NONE, &[r#"{"name":"ask","args":{}}"#]),
    ("test_streaming_elicitation", ANY, &[r#"{"name":"ask","args":{}}"#]),
    ("test_logging_tool", ANY, &[r#"{"name":"say","args":{"text":"done"}}"#]),
    ("json_schema_2020_12_tool", JSON_SCHEMA, &[r#"{"name":"say","args":{"text":"done"}}"#]),
    (
        "greet",
        r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#,
        &[r#"{"name":"say","args":{"text":"Hello, $name!"}}"#],
    ),
    ("slow_compute", ANY, &[r#"{"name":"wait","args":{"seconds":"$seconds"}}"#]),
    (
        "failing_job",
        NONE,
        &[r#"{"name":"wait","args":{"seconds":1}}"#, r#"{"name":"fail","args":{}}"#],
    ),
    ("confirm_delete", ANY, &[r#"{"name":"ask","args":{}}"#]),
    (
        "multi_input",
        NONE,
        &[r#"{"name":"ask","args":{"n":1}}"#, r#"{"name":"ask","args":{"n":2}}"#],
    ),
];

const NONE: &str = r#"{"type":"object"}"#;

const ANY: &str = r#"{"type":"object","properties":{"seconds":{"type":"number"},"label":{"type":"string"},"filename":{"type":"string"},"message":{"type":"string"}}}"#;

const JSON_SCHEMA: &str = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}"##;

/// A tool of the workflows.
struct SuiteTool {
    name: &'static str,
    does: Does,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Say,
    Fail,
    Wait,
    Ask,
}

impl Tool for SuiteTool {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        "Does one thing for the suite."
    }

    fn schema(&self) -> &str {
        NONE
    }

    fn policy(&self) -> ToolPolicy {
        let approval = match self.does {
            Does::Ask => ApprovalNeed::Always,
            _ => ApprovalNeed::Never,
        };
        ToolPolicy { approval, timeout: Duration::from_secs(120), ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let args: serde_json::Value = args.read()?;
            match self.does {
                Does::Say => Ok(ToolOutput::new("said", args["text"].as_str().unwrap_or_default())),
                Does::Fail => {
                    Err(ToolError::new("This tool intentionally returns an error for testing"))
                }
                Does::Wait => {
                    let seconds = args["seconds"].as_f64().unwrap_or_default();
                    sleep(Duration::try_from_secs_f64(seconds).unwrap_or_default()).await;
                    Ok(ToolOutput::new("waited", "It has waited."))
                }
                Does::Ask => Ok(ToolOutput::new("allowed", "It was allowed.")),
            }
        }
        .boxed()
    }
}
