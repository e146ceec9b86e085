//! MCP servers as other tools write them.

use std::path::Path;

use serde_json::{Map, Value};
use silcrow_environment::is_key_name;

use super::{ForeignItem, ImportPlan};
use crate::mcp::{DeclaredPlace, DeclaredServer, DeclaredText};

/// Returns the servers of a table, in the order of their names.
pub(super) fn servers(table: Option<&Value>, from: &Path) -> Vec<ForeignItem> {
    let servers = table.and_then(Value::as_object).into_iter().flatten();
    servers
        .map(|(name, server)| match place(server) {
            Ok(place) => {
                let declared = DeclaredServer::new(name.clone(), place, from.display().to_string());
                match declared.check() {
                    Ok(()) => ForeignItem {
                        kind: KIND,
                        name: name.clone(),
                        from: from.to_owned(),
                        plan: ImportPlan::Server(Box::new(declared)),
                    },
                    Err(why) => ForeignItem::left_out(KIND, name, from, why),
                }
            }
            Err(why) => ForeignItem::left_out(KIND, name, from, why),
        })
        .collect()
}

fn place(server: &Value) -> Result<DeclaredPlace, String> {
    let text = |key: &str| server.get(key).and_then(Value::as_str);
    if let Some(url) = text("url") {
        let has_headers = ["headers", "http_headers", "env_http_headers"].iter().any(|key| {
            server.get(*key).and_then(Value::as_object).is_some_and(|headers| !headers.is_empty())
        });
        if has_headers {
            return Err("its headers may have keys; silcrow mcp add --help says how to give them"
                .to_owned());
        }
        let token =
            text("bearer_token_env_var").map(|name| DeclaredText::Variable(name.to_owned()));
        return Ok(DeclaredPlace::Url { url: url.to_owned(), token, headers: Vec::new() });
    }
    let command = text("command").ok_or("it has neither a command nor an address")?;
    let args = server.get("args").and_then(Value::as_array).into_iter().flatten();
    let mut words = vec![command.to_owned()];
    for arg in args {
        words.push(arg.as_str().ok_or("an argument is not a string")?.to_owned());
    }
    if words.iter().any(|word| word.contains("${")) {
        return Err("its words name variables; silcrow mcp add takes them by --env".to_owned());
    }
    let env = server.get("env").and_then(Value::as_object);
    Ok(DeclaredPlace::Command { words, env: env.map(variables).unwrap_or_default(), folder: None })
}

/// Returns the variables of a program. The value of a key is not copied: the environment has it.
fn variables(env: &Map<String, Value>) -> Vec<(String, DeclaredText)> {
    let variable = |(name, value): (&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let named = text.strip_prefix("${").and_then(|text| text.strip_suffix('}'));
        let text = match named {
            Some(named) => DeclaredText::Variable(named.to_owned()),
            None if is_key_name(name) => DeclaredText::Variable(name.clone()),
            None => DeclaredText::read(&text),
        };
        (name.clone(), text)
    };
    env.iter().map(variable).collect()
}

const KIND: &str = "server";
