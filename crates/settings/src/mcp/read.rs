//! The tables `[mcp.NAME]` of a file of settings.

use std::time::Duration;

use silcrow_environment::split_words;
use silcrow_tool::closest_names;
use toml::Value;

use super::declared::{DeclaredPlace, DeclaredServer};
use super::declared_header::DeclaredHeader;
use super::declared_text::DeclaredText;
use crate::file_folder::FileFolder;

/// Reads the servers of a file. The error names the field below `mcp`, and the correction. A
/// project cannot declare that a server is trusted, and its folders are relative to its own.
pub(crate) fn read_servers(
    written: &Value,
    at: FileFolder<'_>,
    is_project: bool,
    source: &dyn Fn(&str) -> String,
) -> Result<Vec<DeclaredServer>, (String, String)> {
    let shape = "write each server below a line [mcp.NAME]";
    let table = written.as_table().ok_or_else(|| (String::new(), shape.to_owned()))?;
    let servers = table.iter().map(|(name, written)| {
        let table = written.as_table().ok_or_else(|| (name.clone(), shape.to_owned()))?;
        let read = read_server(name, table, at, is_project, source(name));
        read.map_err(|(key, why)| match &*key {
            "" => (name.clone(), why),
            key => (format!("{name}.{key}"), why),
        })
    });
    servers.collect()
}

fn read_server(
    name: &str,
    table: &toml::Table,
    at: FileFolder<'_>,
    is_project: bool,
    source: String,
) -> Result<DeclaredServer, (String, String)> {
    let wrong = |key: &str, why: &str| (key.to_owned(), why.to_owned());
    if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&&***key)) {
        let why = match closest_names(unknown, KEYS).first() {
            Some(near) => format!("unknown key `{unknown}`; did you mean `{near}`?"),
            None => format!("unknown key `{unknown}`; use {}", KEYS.join(", ")),
        };
        return Err((unknown.clone(), why));
    }
    let switch = |key: &str| match table.get(key) {
        None => Ok(false),
        Some(Value::Boolean(is_on)) => Ok(*is_on),
        Some(_) => Err(wrong(key, "write true or false")),
    };
    let text = |key: &str| match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong(key, "write a text in quotes")),
    };
    let place = match (table.get("command"), text("url")?) {
        (Some(command), None) => {
            if let Some(key) = ["token", "headers"].iter().find(|key| table.contains_key(**key)) {
                return Err(wrong(key, "a program gets its secrets by `env`"));
            }
            let words = words(command).map_err(|why| wrong("command", &why))?;
            let folder = text("folder")?.map(|text| {
                match (text.strip_prefix("~/"), at.environment.home()) {
                    (Some(rest), Some(home)) => home.join(rest),
                    // The root of the run, and its contents.
                    _ if is_root(&text) => ".".into(),
                    // A variable is evaluated when the server starts.
                    _ if !is_project || text.starts_with('$') => text.into(),
                    _ => at.folder.join(text),
                }
            });
            DeclaredPlace::Command { words, env: variables(table)?, folder }
        }
        (None, Some(url)) => {
            if let Some(key) = ["env", "folder"].iter().find(|key| table.contains_key(**key)) {
                return Err(wrong(key, "only a program has it, and this server is at a URL"));
            }
            let token = text("token")?.map(|text| DeclaredText::read(&text));
            if let Some(DeclaredText::Text(_)) = token {
                let why = "name the variable of the environment that has the token, such as \
                           \"$ISSUES_TOKEN\"; a file of settings holds no key";
                return Err(wrong("token", why));
            }
            let headers = headers(table)?;
            if token.is_some() && headers.iter().any(DeclaredHeader::is_authorization) {
                return Err(wrong("token", "the header Authorization is declared, too; keep one"));
            }
            DeclaredPlace::Url { url, token, headers }
        }
        (Some(_), Some(_)) => return Err(wrong("url", "a server has a `command` or a `url`")),
        (None, None) => {
            return Err(wrong("", "write command = [\"PROGRAM\", \"ARGUMENT\"] or url = \"URL\""));
        }
    };
    let is_trusted = switch("trust")?;
    if is_trusted && is_project {
        let why = "the person decides whether a server is believed, not a project; leave it out";
        return Err(wrong("trust", why));
    }
    let seconds = |key: &str, what: &str| match table.get(key) {
        None => Ok(None),
        Some(Value::Integer(seconds)) if (1..=LONGEST_TIMEOUT).contains(seconds) => {
            Ok(Some(Duration::from_secs(seconds.unsigned_abs())))
        }
        Some(_) => Err(wrong(key, &format!("write the seconds of {what}, from 1 to 86400"))),
    };
    let server = DeclaredServer {
        is_trusted,
        is_off: switch("off")?,
        timeout: seconds("timeout", "a call")?,
        start_timeout: seconds("start_timeout", "the start")?,
        ..DeclaredServer::new(name, place, source)
    };
    server.check().map_err(|why| wrong("", &why))?;
    Ok(server)
}

/// Returns the program and its arguments: a list of words, or a text that is split as a shell does.
fn words(command: &Value) -> Result<Vec<String>, String> {
    let shape = || "write a list of words, such as [\"uvx\", \"mcp-server-time\"]".to_owned();
    match command {
        Value::String(text) => split_words(text).ok_or_else(shape),
        Value::Array(words) => {
            let words = words.iter().map(|word| Some(word.as_str()?.to_owned()));
            words.collect::<Option<_>>().ok_or_else(shape)
        }
        _ => Err(shape()),
    }
}

fn variables(table: &toml::Table) -> Result<Vec<(String, DeclaredText)>, (String, String)> {
    let shape = "write a table of texts, such as { TOKEN = \"$TOKEN\", LEVEL = \"debug\" }";
    let wrong = || ("env".to_owned(), shape.to_owned());
    let Some(written) = table.get("env") else { return Ok(Vec::new()) };
    let variables = written.as_table().ok_or_else(wrong)?.iter().map(|(name, text)| {
        let text = text.as_str().ok_or_else(wrong)?;
        Ok((name.clone(), DeclaredText::read(text)))
    });
    variables.collect()
}

fn headers(table: &toml::Table) -> Result<Vec<DeclaredHeader>, (String, String)> {
    let Some(written) = table.get("headers") else { return Ok(Vec::new()) };
    let shape = "write a table of headers, such as { X-API-Key = \"$ISSUES_KEY\" }";
    let wrong = |key: String, why: String| (key, why);
    let written = written.as_table().ok_or_else(|| wrong("headers".into(), shape.to_owned()))?;
    let headers = written.iter().map(|(name, value)| {
        let read = DeclaredHeader::read(name, value);
        read.map_err(|why| wrong(format!("headers.{name}"), why))
    });
    headers.collect()
}

fn is_root(folder: &str) -> bool {
    matches!(folder, "." | "./" | "{root}" | "{root}/")
}

/// The keys of a server.
const KEYS: [&str; 10] = [
    "command",
    "url",
    "env",
    "token",
    "headers",
    "folder",
    "trust",
    "timeout",
    "start_timeout",
    "off",
];

/// The number of seconds of the longest time limit.
const LONGEST_TIMEOUT: i64 = 86_400;
