//! `silcrow mcp`, which lists, tries, adds and removes servers.

use std::io::{self, Write as _};
use std::time::Duration;

use serde_json::json;
use silcrow_sanitize::sanitize_line;
use tokio::runtime::Builder;

use super::declared::{DeclaredPlace, DeclaredServer};
use super::report::TriedServer;
use super::written;
use crate::args::{McpServerArgs, ServerListCommand};
use crate::failure::{self, Failure};

/// Runs a subcommand of `silcrow mcp`.
pub(crate) fn command(args: &McpServerArgs, command: &ServerListCommand) -> Result<(), Failure> {
    match command {
        ServerListCommand::List => {
            let rows = args.servers.iter().map(|server| match args.json {
                true => format!("{}\n", to_json(server)),
                false => to_line(server),
            });
            let rows: String = rows.collect();
            let none = "no server is declared; silcrow mcp add NAME COMMAND adds one\n";
            let text = if rows.is_empty() && !args.json { none } else { &*rows };
            print(text)
        }
        ServerListCommand::Test { name, mcp } => test(args, name.as_deref(), mcp),
        ServerListCommand::Add(server) => print(&written::add(args, server)?),
        ServerListCommand::Remove { name, project } => {
            print(&written::remove(args, name, *project)?)
        }
    }
}

/// Starts servers beside each other, and prints a report about each as it was declared.
fn test(args: &McpServerArgs, name: Option<&str>, typed: &[DeclaredServer]) -> Result<(), Failure> {
    let all = typed.iter().chain(&args.servers);
    let chosen: Vec<_> = all
        .filter(|server| match name {
            Some(name) => server.name == name,
            None => typed.contains(server) || (typed.is_empty() && !server.is_off),
        })
        .take(if name.is_some() { 1 } else { usize::MAX })
        .collect();
    if chosen.is_empty() {
        let names: Vec<_> = args.servers.iter().map(|server| &*server.name).collect();
        return Err(Failure::given(match (name, &names[..]) {
            (Some(name), []) => format!("there is no server `{name}`, and none is declared"),
            (Some(name), names) => {
                format!("there is no server `{name}`; there are: {}", names.join(", "))
            }
            (None, _) => "no server is declared; silcrow mcp add NAME COMMAND adds one".to_owned(),
        }));
    }
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::running(format!("cannot start: {error}")))?;
    let is_well = runtime.block_on(async {
        let tests = chosen.iter().map(|server| TriedServer::make(server, &args.root, PATIENCE));
        let mut is_well = true;
        for report in futures_util::future::join_all(tests).await {
            is_well &= report.is_well();
            print(&if args.json { report.to_json() } else { report.to_text() })?;
        }
        Ok(is_well)
    });
    runtime.shutdown_background();
    match is_well? {
        true => Ok(()),
        // The reports say what is wrong.
        false => Err(Failure::running("")),
    }
}

/// Returns a server as a line, and one about what counts for it.
fn to_line(server: &DeclaredServer) -> String {
    let believed = if server.is_trusted { ", trusted" } else { "" };
    let off = if server.is_off { ", off" } else { "" };
    let line = format!("{:<16} {}", server.name, server.place);
    let more = format!("{:<16} {}{believed}{off}", "", server.source);
    format!("{}\n{}\n", sanitize_line(&line), sanitize_line(&more))
}

fn to_json(server: &DeclaredServer) -> serde_json::Value {
    let (command, url) = match &server.place {
        DeclaredPlace::Command { words, .. } => (Some(words), None),
        DeclaredPlace::Url { url, .. } => (None, Some(url)),
    };
    json!({
        "name": server.name,
        "command": command,
        "url": url,
        "trusted": server.is_trusted,
        "off": server.is_off,
        "timeout": server.timeout.map(|timeout| timeout.as_secs()),
        "source": server.source,
    })
}

fn print(text: &str) -> Result<(), Failure> {
    failure::written(io::stdout().write_all(text.as_bytes()))
}

/// The longest time that a test waits for a server.
const PATIENCE: Duration = Duration::from_secs(40);
