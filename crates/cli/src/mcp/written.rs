//! Servers that are added to a file of settings, and removed from one.

use std::collections::BTreeMap;
use std::path::Path;

use silcrow_environment::split_words;
use silcrow_settings::{
    DeclaredHeader, DeclaredPlace, DeclaredServer, DeclaredText, Environment, HeaderText,
    SettingsEditor, is_url,
};

use super::chosen::ServerList;
use super::logins::{kept_logins, unforgotten};
use crate::args::{AddServerArgs, McpServerArgs};
use crate::failure::Failure;

/// Adds a server, and returns what to say.
pub(super) fn add(args: &McpServerArgs, added: &AddServerArgs) -> Result<String, Failure> {
    let server = declared(added)?;
    server.check().map_err(Failure::given)?;
    let file = editor(args, added.project)?;
    let mut table = toml_edit::Table::new();
    match &server.place {
        DeclaredPlace::Command { words, env, folder } => {
            let words: toml_edit::Array = words.iter().map(String::as_str).collect();
            table.insert("command", toml_edit::value(words));
            if !env.is_empty() {
                let mut variables = toml_edit::InlineTable::new();
                for (name, text) in env {
                    variables.insert(name, text.to_string().into());
                }
                table.insert("env", toml_edit::value(variables));
            }
            if let Some(folder) = folder.as_deref().and_then(Path::to_str) {
                table.insert("folder", toml_edit::value(folder));
            }
        }
        DeclaredPlace::Url { url, token, headers } => {
            table.insert("url", toml_edit::value(url));
            let texts = headers.iter().filter_map(|header| match &header.value {
                HeaderText::Text(text) => Some((&*header.name, &**text)),
                // A command is written into the file by hand.
                HeaderText::Command { .. } | HeaderText::Hidden(_) => None,
            });
            let texts: toml_edit::InlineTable = texts.collect();
            if !texts.is_empty() {
                table.insert("headers", toml_edit::value(texts));
            }
            if let Some(token) = token {
                table.insert("token", toml_edit::value(token.to_string()));
            }
        }
    }
    if let Some(timeout) = added.timeout {
        table.insert("timeout", toml_edit::value(i64::from(timeout)));
    }
    if let Some(timeout) = added.start_timeout {
        table.insert("start_timeout", toml_edit::value(i64::from(timeout)));
    }
    if added.trust {
        table.insert("trust", toml_edit::value(true));
    }
    file.add_server(&server.name, &table)?;
    let name = &server.name;
    let login = match server.login_url() {
        Some(_) => format!(", and silcrow mcp login {name} logs in if it wants that"),
        None => String::new(),
    };
    Ok(format!("{name} is in {}; silcrow mcp test {name} tries it{login}\n", file.name()))
}

/// Removes a server, forgets its login, and returns what to say.
pub(super) fn remove(about: ServerList<'_>, name: &str, project: bool) -> Result<String, Failure> {
    let file = editor(about.args, project)?;
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
fn editor(args: &McpServerArgs, in_project: bool) -> Result<SettingsEditor, Failure> {
    let environment = Environment::process();
    Ok(match in_project {
        true => SettingsEditor::of_project(&args.root, &environment)?,
        false => SettingsEditor::of_person(&environment)?,
    })
}

fn declared(added: &AddServerArgs) -> Result<DeclaredServer, Failure> {
    let place = match &added.words[..] {
        [url] if is_url(url) => {
            if !added.env.is_empty() {
                return Err(Failure::given("--env is for programs, and this server is at a URL"));
            }
            if added.folder.is_some() {
                return Err(Failure::given(
                    "--folder is for programs, and this server is at a URL",
                ));
            }
            let token = added.token.as_deref().map(DeclaredText::read);
            if let Some(DeclaredText::Text(_)) = token {
                return Err(Failure::given(
                    "--token takes the variable that has the token, such as '$ISSUES_TOKEN': a \
                     file of settings holds no key",
                ));
            }
            let headers = added.header.iter().map(|header| header_of(header));
            let headers = headers.collect::<Result<_, _>>()?;
            DeclaredPlace::Url { url: url.clone(), token, headers }
        }
        words => {
            if !added.header.is_empty() {
                return Err(Failure::given("--header is for servers at a URL"));
            }
            if added.token.is_some() {
                return Err(Failure::given(
                    "--token is for servers at a URL; a program gets its secrets by \
                     --env 'NAME=$VARIABLE'",
                ));
            }
            // One word with blanks is a command as it is typed in a shell.
            let words = match words {
                [line] if line.contains(' ') => split_words(line).ok_or_else(|| {
                    Failure::given("the command has a quotation mark without another one")
                })?,
                words => words.to_vec(),
            };
            let mut env = BTreeMap::new();
            for variable in &added.env {
                let (name, text) = variable.split_once('=').ok_or_else(|| {
                    Failure::given("use --env NAME=TEXT, or --env 'NAME=$VARIABLE'")
                })?;
                env.insert(name.to_owned(), DeclaredText::read(text));
            }
            let folder = added.folder.clone();
            DeclaredPlace::Command { words, env: env.into_iter().collect(), folder }
        }
    };
    Ok(DeclaredServer::new(&*added.name, place, "silcrow mcp add"))
}

fn header_of(written: &str) -> Result<DeclaredHeader, Failure> {
    let read = match written.split_once('=') {
        Some((name, text)) => DeclaredHeader::read(name, &toml::Value::String(text.to_owned())),
        None => Err("use --header 'NAME=TEXT', or --header 'NAME=$VARIABLE'".to_owned()),
    };
    read.map_err(|why| Failure::given(format!("--header: {why}")))
}
