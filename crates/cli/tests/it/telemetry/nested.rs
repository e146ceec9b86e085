//! Agents and workflows in calls: the places of their spans in the trace that a run sends while it
//! works, and in the trace of its log.

use std::process::Stdio;

use serde_json::Value;

use super::receiver::{Receiver, ReceiverReply};
use super::{output, spans};
use crate::support::Sandbox;

/// A run that calls an agent and a workflow; the agent calls a tool, and so does the workflow.
const PERSON: &str = r#"<action type="agent" id="who">{"name":"reader","parameters":{"task":"Read a.txt."}}</action>
<action type="workflow" id="flow">{"name":"digest","parameters":{"file":"a.txt"}}</action>
<response>$who | $flow</response>"#;

const READER: &str = r#"<action id="r">{"name":"file_read","parameters":{"file":"a.txt"}}</action>
<response final="true">I read: $r</response>"#;

fn manifest(sandbox: &Sandbox) -> String {
    let reader = sandbox.write("reader", READER);
    let manifest = format!(
        r#"
[agents.reader]
description = "Reads files."
model = "script:{reader}"
tools = ["file_read"]

[workflows.digest]
description = "Lists the folder and reads a file."
output = "text"

[workflows.digest.inputs.file]
type = "string"

[[workflows.digest.actions]]
id = "text"
name = "file_read"
parameters = {{ file = "$file" }}
"#
    );
    let manifest = sandbox.write("manifest.toml", &manifest);
    sandbox.trust(&manifest);
    manifest
}

/// Draws the tree of the spans, each with its name and id.
fn tree(spans: &[Value]) -> Vec<String> {
    let mut lines = Vec::new();
    below(spans, None, 0, &mut lines);
    assert_eq!(lines.len(), spans.len(), "some spans have no parent: {spans:#?}");
    lines
}

fn below(spans: &[Value], parent: Option<&Value>, depth: usize, lines: &mut Vec<String>) {
    let id = parent.map(|parent| &parent["spanId"]);
    let mut inside: Vec<_> = spans.iter().filter(|span| span.get("parentSpanId") == id).collect();
    inside.sort_by_key(|span| {
        let number = |name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
        (number("startTimeUnixNano"), number("endTimeUnixNano"))
    });
    for span in inside {
        let name = span["name"].as_str().unwrap();
        let operation = name.split(' ').next().unwrap();
        // The log has no names of models.
        let name = if operation == "chat" { operation } else { name };
        lines.push(format!("{}{name} {}", "  ".repeat(depth), span["spanId"]));
        below(spans, Some(span), depth + 1, lines);
    }
}

/// Returns an attribute of the first span with this name.
fn attribute<'a>(spans: &'a [Value], span: &str, name: &str) -> &'a Value {
    let span = spans.iter().find(|one| one["name"].as_str().unwrap().starts_with(span)).unwrap();
    let attributes = span["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|attribute| attribute["key"] == name);
    found.map_or(&Value::Null, |attribute| &attribute["value"])
}

#[test]
fn agent_and_workflow_spans_nest_while_running() {
    let (sandbox, receiver) = (Sandbox::new(), Receiver::start(ReceiverReply::Status(200)));
    std::fs::write(sandbox.root().join("a.txt"), "alpha\n").unwrap();
    let (manifest, script) = (manifest(&sandbox), sandbox.write("person", PERSON));
    let model = format!("script:{script}");
    let args = ["run", "Read.", "--model", &model, "--new", "c1", "--dialect", "action"];
    let mut command = sandbox.command(&[&args[..], &["--manifest", &manifest]].concat());
    command
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.address)
        .env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
        .stdin(Stdio::null());
    let said = output(&mut command);
    assert!(said.ends(0).out.starts_with("I read: "), "{}", said.out);
    let sent = receiver.requests();
    let sent = sent.iter().filter(|one| one.head.contains("/v1/traces"));
    let live: Vec<_> = sent.flat_map(|one| spans(&one.body)).collect();
    assert!(live.iter().all(|span| span["traceId"] == live[0]["traceId"]));
    let drawn = tree(&live);
    let names = drawn.iter().map(|line| line.split(" \"").next().unwrap()).collect::<Vec<_>>();
    assert_eq!(
        names,
        [
            "invoke_agent silcrow",
            "  chat",
            "  execute_tool reader",
            "    invoke_agent reader",
            "      chat",
            "      execute_tool file_read",
            "  execute_tool digest",
            "    invoke_workflow digest",
            "      execute_tool file_read",
        ]
    );

    let exported = sandbox.silcrow(&["log", "export", "c1", "--format", "otlp-json"]);
    let stored = spans(&exported.ends(0).out);
    assert_eq!(tree(&stored), drawn);
    for (spans, is_live) in [(&live, true), (&stored, false)] {
        let id = |name| attribute(spans, name, "gen_ai.agent.id")["stringValue"].as_str();
        assert_eq!(id("invoke_agent silcrow"), Some("silcrow"));
        assert_eq!(id("invoke_agent reader"), Some("silcrow/reader"));
        assert_eq!(attribute(spans, "invoke_workflow", "gen_ai.agent.id"), &Value::Null);
        let finish = attribute(spans, "chat", "gen_ai.response.finish_reasons");
        assert_eq!(finish["arrayValue"]["values"][0]["stringValue"], "stop");
        // A log has no descriptions of tools.
        let description = attribute(spans, "execute_tool reader", "gen_ai.tool.description");
        assert_eq!(description["stringValue"] == "Reads files.", is_live, "{description}");
    }
}
