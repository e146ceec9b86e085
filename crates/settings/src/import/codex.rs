//! The files of Codex.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::servers::servers;
use super::{ForeignItem, ImportPlan, file, text};

/// Reads the setup in a home folder.
pub(super) fn read(home: &Path) -> Vec<ForeignItem> {
    let mut found = Vec::new();
    let folder = home.join(".codex");
    let path = folder.join("config.toml");
    let settings = text(&path).map(|text| {
        toml::from_str::<Value>(&text?)
            .map_err(|error| format!("it is not TOML: {}", error.message()))
    });
    match settings {
        Some(Ok(settings)) => {
            let provider = settings.get("model_provider").and_then(Value::as_str);
            match (settings.get("model").and_then(Value::as_str), provider) {
                (Some(model), None | Some("openai")) => {
                    let name = format!("openai:{model}");
                    let plan = ImportPlan::Model(name.clone());
                    found.push(ForeignItem { kind: "model", name, from: path.clone(), plan });
                }
                (Some(model), Some(provider)) => {
                    let why = format!(
                        "it is of the provider {provider}; silcrow config set model names one"
                    );
                    found.push(ForeignItem::left_out("model", model, &path, why));
                }
                (None, _) => {}
            }
            found.extend(servers(settings.get("mcp_servers"), &path));
        }
        Some(Err(why)) => found.push(ForeignItem::left_out("file", "settings", &path, why)),
        None => {}
    }
    found.extend(file("instructions", &folder.join("AGENTS.md"), "AGENTS.md"));
    let prompts = fs::read_dir(folder.join("prompts")).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        prompts.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(".md"));
    names.sort();
    for name in names {
        let to = format!("commands/{name}");
        found.extend(file("command", &folder.join("prompts").join(&name), &to));
    }
    found
}
