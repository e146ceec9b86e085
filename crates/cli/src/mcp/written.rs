//! Servers that are added to a file of settings, and removed from one.

use std::path::Path;

use silcrow_settings::{DeclaredServer, Environment, SettingsEditor};

use super::chosen::ServerList;
use super::logins::{kept_logins, unforgotten};
use crate::failure::Failure;

/// Adds a server, and returns a message.
pub(super) fn add(
    about: ServerList<'_>,
    server: &DeclaredServer,
    project: bool,
) -> Result<String, Failure> {
    let file = editor(about.root, project)?;
    file.add_server(server)?;
    let name = &server.name;
    let login = match server.login_url() {
        Some(_) => format!(", and silcrow mcp login {name} logs in if it wants that"),
        None => String::new(),
    };
    Ok(format!("{name} is in {}; silcrow mcp test {name} tries it{login}\n", file.name()))
}

/// Removes a server, forgets its login, and returns a message.
pub(super) fn remove(about: ServerList<'_>, name: &str, project: bool) -> Result<String, Failure> {
    let file = editor(about.root, project)?;
    let url = file.remove_server(name).map_err(|error| {
        let failure = Failure::from(error);
        let elsewhere = about.servers.iter().find(|server| server.name == name);
        match elsewhere {
            Some(server) => failure.with_way_on(&format!("; it is declared in {}", server.source)),
            None => failure,
        }
    })?;
    // Another declaration of the same server keeps its login.
    let is_other = |server: &DeclaredServer| {
        server.login_url() == url.as_deref()
            && (server.name != name || !server.source.starts_with(&file.name()))
    };
    let forgotten = match url.as_deref().zip(kept_logins()) {
        Some((url, kept)) if !about.servers.iter().any(is_other) => {
            kept.forget(url).map_err(|error| unforgotten(name, &error))?
        }
        _ => false,
    };
    let forgotten = if forgotten { ", and its login is forgotten" } else { "" };
    Ok(format!("{name} is no longer in {}{forgotten}\n", file.name()))
}

/// Returns the editor of the person's own file, or of the file of the project.
fn editor(root: &Path, in_project: bool) -> Result<SettingsEditor, Failure> {
    let environment = Environment::process();
    Ok(match in_project {
        true => SettingsEditor::of_project(root, &environment)?,
        false => SettingsEditor::of_person(&environment)?,
    })
}
