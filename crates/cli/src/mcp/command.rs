//! `silcrow mcp`, which lists, tries, adds and removes servers.

use std::io::{self, IsTerminal as _};

use serde_json::json;
use silcrow_sanitize::sanitize_line;
use silcrow_session::servers::{ServerLaunch as _, TriedServer};
use silcrow_settings::{DeclaredPlace, DeclaredProgram, DeclaredServer};

use super::chosen::{ServerList, found, patience, print};
use super::logins::AttendedLogin;
use super::{login, written};
use crate::args::{McpServerArgs, ServerListCommand};
use crate::failure::Failure;
use crate::runtime;

/// Runs a subcommand of `silcrow mcp`.
pub(crate) fn command(
    args: &McpServerArgs,
    command: &ServerListCommand,
    servers: &[DeclaredServer],
) -> Result<(), Failure> {
    let about = ServerList { root: &args.root, json: args.json, servers };
    match command {
        ServerListCommand::List => {
            let rows = servers.iter().map(|server| match args.json {
                true => format!("{}\n", to_json(server)),
                false => to_line(server),
            });
            let rows: String = rows.collect();
            let none = "no server is declared; silcrow mcp add NAME COMMAND adds one\n";
            let text = if rows.is_empty() && !args.json { none } else { &*rows };
            print(text)
        }
        ServerListCommand::Test { name, mcp } => test(about, name.as_deref(), mcp),
        ServerListCommand::Login { name, mcp } => login::log_in(about, name, mcp),
        ServerListCommand::Logout { name, mcp } => login::log_out(about, name, mcp),
        ServerListCommand::Add(server) => {
            let declared = server.declared().map_err(Failure::given)?;
            print(&written::add(about, &declared, server.project)?)
        }
        ServerListCommand::Remove { name, project } => {
            print(&written::remove(about, name, *project)?)
        }
    }
}

/// Starts servers in parallel, and prints a report about each as it was declared. At a terminal the
/// person may log in at a server that is named.
fn test(
    about: ServerList<'_>,
    name: Option<&str>,
    typed: &[DeclaredServer],
) -> Result<(), Failure> {
    let ServerList { root, json, servers } = about;
    let all = typed.iter().chain(servers);
    let chosen: Vec<_> = match name {
        Some(name) => vec![found(about, name, typed)?],
        None => all
            .filter(|server| typed.contains(server) || (typed.is_empty() && !server.is_off))
            .collect(),
    };
    if chosen.is_empty() {
        let why = "no server is declared; silcrow mcp add NAME COMMAND adds one";
        return Err(Failure::given(why));
    }
    let is_attended = name.is_some() && io::stdin().is_terminal() && io::stderr().is_terminal();
    let login = is_attended.then(AttendedLogin::new).transpose()?;
    let runtime = runtime::current()?;
    let is_well = runtime.block_on(async {
        let tests = chosen.iter().map(async |server| match &login {
            Some(login) => {
                TriedServer::attended(server, root, patience(server), &login.login).await
            }
            None => TriedServer::make(server, root, patience(server)).await,
        });
        let mut is_well = true;
        for report in futures_util::future::join_all(tests).await {
            is_well &= report.is_well();
            print(&if json { report.to_json() } else { report.to_text() })?;
        }
        Ok::<_, Failure>(is_well)
    });
    runtime.shutdown_background();
    match is_well? {
        true => Ok(()),
        // The reports describe the errors.
        false => Err(Failure::running("")),
    }
}

/// Returns a server as a line, and a line with its source and state.
fn to_line(server: &DeclaredServer) -> String {
    let believed = if server.is_trusted { ", trusted" } else { "" };
    let off = if server.is_off { ", off" } else { "" };
    let login = if server.has_login() { ", logged in" } else { "" };
    let line = format!("{:<16} {}", server.name, server.place);
    let more = format!("{:<16} {}{believed}{login}{off}", "", server.source);
    format!("{}\n{}\n", sanitize_line(&line), sanitize_line(&more))
}

fn to_json(server: &DeclaredServer) -> serde_json::Value {
    let (command, url) = match &server.place {
        DeclaredPlace::Command { words, .. } => (Some(words), None),
        DeclaredPlace::Url { url, .. } => (None, Some(url)),
    };
    let folder = server.program().and_then(DeclaredProgram::folder_words);
    json!({
        "name": server.name,
        "command": command,
        "url": url,
        "folder": folder,
        "trusted": server.is_trusted,
        "logged_in": server.has_login(),
        "off": server.is_off,
        "timeout": server.timeout.map(|timeout| timeout.as_secs()),
        "start_timeout": server.start_timeout.map(|timeout| timeout.as_secs()),
        "source": server.source,
    })
}
