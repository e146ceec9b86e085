//! The tools of an endpoint: the agent, and each declared agent and workflow.

use std::collections::BTreeSet;
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use silcrow_event::CallKind;

/// An agent or a workflow that is offered as a separate tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredTool {
    /// The kind of the called thing.
    pub kind: CallKind,
    /// The name.
    pub name: String,
    /// A description for the model of the client.
    pub description: String,
    /// The JSON schema of the arguments.
    pub schema: String,
}

impl DeclaredTool {
    /// Describes something that actions call, as it describes itself.
    pub fn from_tool(kind: CallKind, tool: &dyn silcrow_tool::Tool) -> Self {
        let (name, description, schema) = (tool.name(), tool.description(), tool.schema());
        Self {
            kind,
            name: name.to_owned(),
            description: description.to_owned(),
            schema: schema.to_owned(),
        }
    }
}

/// A tool as clients see it.
#[derive(Clone, Debug)]
pub(crate) struct OfferedTool {
    pub(crate) definition: Tool,
    /// The kind and name of the called thing; `None` for the agent itself.
    pub(crate) calls: Option<(CallKind, String)>,
}

/// Returns the tools in the order of their names, which are unique.
pub(crate) fn offered(declared: &[DeclaredTool]) -> Vec<OfferedTool> {
    let run = definition(RUN, RUN_DESCRIPTION.to_owned(), object(&run_schema()));
    let mut tools = vec![OfferedTool { definition: run, calls: None }];
    let mut taken = BTreeSet::from([RUN.to_owned()]);
    for declared in declared {
        let word = declared.kind.as_str();
        let mut name = declared.name.clone();
        while !taken.insert(name.clone()) {
            name = format!("{word}_{name}");
        }
        let schema = serde_json::from_str(&declared.schema).unwrap_or_default();
        let description = format!("{} (a {word} of silcrow)", declared.description);
        tools.push(OfferedTool {
            definition: definition(&name, description, object(&schema)),
            calls: Some((declared.kind, declared.name.clone())),
        });
    }
    tools.sort_by(|one, other| one.definition.name.cmp(&other.definition.name));
    tools
}

fn definition(name: &str, description: String, schema: JsonObject) -> Tool {
    Tool::new(name.to_owned(), description, Arc::new(schema))
        .with_raw_output_schema(Arc::new(object(&output_schema())))
        .with_annotations(
            ToolAnnotations::new()
                .read_only(false)
                .destructive(true)
                .idempotent(false)
                .open_world(true),
        )
}

fn object(schema: &Value) -> JsonObject {
    match schema {
        Value::Object(object) => object.clone(),
        _ => JsonObject::from_iter([("type".to_owned(), json!("object"))]),
    }
}

fn run_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "prompt": {"type": "string", "description": "The task, with everything that it needs."},
            "conversation": {
                "type": "string",
                "description": "The id of the conversation to continue; a new one begins without it.",
            },
        },
        "required": ["prompt"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "conversation": {"type": "string"},
            "outcome": {"enum": ["answered", "waiting", "stopped", "failed"]},
            "answer": {"type": "string"},
            "questions": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["conversation", "outcome", "answer"],
    })
}

/// The name of the tool that runs the agent.
pub(crate) const RUN: &str = "run";

const RUN_DESCRIPTION: &str = "Lets a silcrow agent do a task with its own tools, and returns its \
                               answer. The answer names the conversation, which a later call can \
                               continue.";
