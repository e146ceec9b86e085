//! `silcrow tools`, which lists the tools as a model gets them.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use silcrow_console::live::TerminalSize;
use silcrow_console::printer::write_json;
use silcrow_event::Json;
use silcrow_sanitize::sanitize_line;
use silcrow_session::tools::BuiltInTools;
use silcrow_settings::{DeclaredServer, OfferedTools};
use silcrow_term::fit::words;
use silcrow_tool::{ApprovalNeed, CancellationToken, Tool, ToolPolicy, ToolSource as _, Toolbox};

use crate::args::ListToolsArgs;
use crate::failure::{Failure, written};
use crate::runtime;
use silcrow_session::servers::{RunServers, ServerSurroundings};
use silcrow_settings::ServerNames;

/// Prints the name, the description, the arguments and the policy of each tool.
pub(crate) fn list(
    args: &ListToolsArgs,
    servers: &[DeclaredServer],
    offered: &OfferedTools,
) -> Result<(), Failure> {
    let names = ServerNames::Declared(servers);
    let mut all = BuiltInTools::to_list(&args.root)?.toolbox;
    silcrow_session::add_workflow(&mut all)?;
    silcrow_session::add_subagents(&mut all)?;
    let tools = offered.among(&all, names)?;
    let tools = with_servers((servers, offered), &args.root, tools)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let for_programs = args.json || !io::stdout().is_terminal();
    let wide = TerminalSize::now().columns.clamp(NARROWEST, WIDEST);
    let mut print = || {
        for (index, tool) in tools.iter().enumerate() {
            match for_programs {
                true => write_json(&mut out, &json(tool))?,
                false if index > 0 => write!(out, "\n{}", described(tool, wide))?,
                false => write!(out, "{}", described(tool, wide))?,
            }
        }
        out.flush()
    };
    written(print())
}

/// Adds the tools of the servers, which are started for that, and names those that are not there.
fn with_servers(
    (declared, offered): (&[DeclaredServer], &OfferedTools),
    root: &Path,
    mut tools: Toolbox,
) -> Result<Toolbox, Failure> {
    if declared.is_empty() {
        return Ok(tools);
    }
    runtime::block_on(async {
        let none = ServerSurroundings::default();
        let servers = RunServers::begin(declared, offered, root, none);
        for line in servers.settle(&CancellationToken::new()).await {
            // If stderr is closed, the line is lost.
            let _ = writeln!(io::stderr(), "silcrow: {}", sanitize_line(&line));
        }
        for tool in servers.tools().tools().await.iter() {
            let added = tools.add(Arc::clone(tool));
            added.map_err(|twice| Failure::running(twice.to_string()))?;
        }
        servers.close().await;
        Ok(tools)
    })
}

/// The numbers of columns between which text is wrapped at the end of the terminal's rows.
const NARROWEST: usize = 40;
const WIDEST: usize = 100;

/// Returns a tool as one JSON object. The arguments are as the model reads them.
fn json(tool: &dyn Tool) -> String {
    let (name, description) = (Json::string(tool.name()), Json::string(tool.description()));
    let ToolPolicy { read_only, sends_out, idempotent, approval, timeout, .. } = tool.policy();
    let (schema, seconds) = (compact(tool.schema()), timeout.as_secs_f64());
    let approval = match approval {
        ApprovalNeed::Never => "never",
        ApprovalNeed::IfRisky => "if_risky",
        ApprovalNeed::Always => "always",
    };
    format!(
        "{{\"name\":{name},\"description\":{description},\"read_only\":{read_only},\
         \"sends_out\":{sends_out},\"idempotent\":{idempotent},\"approval\":\"{approval}\",\
         \"timeout\":{seconds},\"schema\":{schema}}}"
    )
}

/// Returns the schema on one line.
fn compact(schema: &str) -> String {
    let lines = schema.lines().map(str::trim);
    lines.collect()
}

/// The parts of a schema that a person reads. Everything else is in the JSON.
#[derive(Deserialize)]
struct ShownSchema {
    #[serde(default)]
    properties: BTreeMap<String, ShownArgument>,
    #[serde(default)]
    required: Vec<String>,
}

#[derive(Deserialize)]
struct ShownArgument {
    #[serde(default, rename = "type")]
    kind: Value,
    #[serde(default)]
    description: String,
}

/// Returns a tool as a person reads it.
fn described(tool: &dyn Tool, wide: usize) -> String {
    let mut out = format!("{}: {}\n", tool.name(), behaviour(tool.policy()));
    indent(&mut out, 2, tool.description(), wide);
    let Ok(schema) = serde_json::from_str::<ShownSchema>(tool.schema()) else { return out };
    let is_required = |name: &str| schema.required.iter().any(|required| required == name);
    let (required, optional): (Vec<_>, Vec<_>) =
        schema.properties.iter().partition(|(name, _)| is_required(name));
    for (name, argument) in required.into_iter().chain(optional) {
        let kind = match &argument.kind {
            Value::String(kind) => format!(", {kind}"),
            Value::Array(kinds) => {
                let kinds: Vec<_> = kinds.iter().filter_map(Value::as_str).collect();
                format!(", {}", kinds.join(" or "))
            }
            _ => String::new(),
        };
        let needed = if is_required(name) { "" } else { ", optional" };
        indent(&mut out, 4, &format!("{name}{kind}{needed}: {}", argument.description), wide);
    }
    out
}

fn indent(out: &mut String, by: usize, text: &str, wide: usize) {
    for row in words(text, wide - by) {
        out.push_str(&format!("{:by$}{row}\n", ""));
    }
}

/// Returns the effects of the tool, and when a person is asked, in a few words.
fn behaviour(policy: ToolPolicy) -> String {
    let does = match (policy.read_only, policy.sends_out) {
        (true, false) => "reads",
        (true, true) => "sends requests out",
        (false, false) => "changes things",
        (false, true) => "changes things and sends out",
    };
    let asks = match policy.approval {
        ApprovalNeed::Never => "never asks",
        ApprovalNeed::IfRisky => "asks where there is a risk",
        ApprovalNeed::Always => "asks",
    };
    format!("{does}, {asks}")
}
