//! The files of Claude Code.

use std::path::Path;

use serde_json::{Value, json};

use super::servers::servers;
use super::{ForeignItem, ImportPlan, file, text};

/// Reads the setup in a home folder and a project.
pub(super) fn read(home: &Path, root: &Path) -> Vec<ForeignItem> {
    let mut found = Vec::new();
    let own = home.join(".claude.json");
    if let Some(settings) = object(&own, &mut found) {
        found.extend(servers(settings.get("mcpServers"), &own));
        let project = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let project = &settings["projects"][&*project.to_string_lossy()];
        found.extend(servers(project.get("mcpServers"), &own));
    }
    let shared = root.join(".mcp.json");
    if let Some(settings) = object(&shared, &mut found) {
        found.extend(servers(settings.get("mcpServers"), &shared));
    }
    let path = home.join(".claude/settings.json");
    if let Some(settings) = object(&path, &mut found) {
        if let Some(hooks) = settings.get("hooks").filter(|hooks| !hooks.is_null()) {
            let text = format!("{:#}\n", json!({"hooks": hooks}));
            let plan = ImportPlan::File { path: "hooks.json".into(), text };
            let name = "hooks.json".to_owned();
            found.push(ForeignItem { kind: "hooks", name, from: path.clone(), plan });
        }
        for list in ["allow", "ask", "deny"] {
            let count = settings["permissions"][list].as_array().map_or(0, Vec::len);
            if count > 0 {
                let name = format!("permissions.{list} ({count})");
                let why = "its rules mean other things; silcrow asks, and keeps your answers";
                found.push(ForeignItem::left_out("rules", &name, &path, why));
            }
        }
        if let Some(model) = settings.get("model").and_then(Value::as_str) {
            let why = "the name is one of that tool; silcrow config set model names one";
            found.push(ForeignItem::left_out("model", model, &path, why));
        }
    }
    found.extend(file("instructions", &home.join(".claude/CLAUDE.md"), "AGENTS.md"));
    found
}

/// Returns the object of a file. A file that is not JSON is an item that is left out.
fn object(path: &Path, found: &mut Vec<ForeignItem>) -> Option<Value> {
    let read = text(path)?.and_then(|text| {
        serde_json::from_str::<Value>(&text).map_err(|error| format!("it is not JSON: {error}"))
    });
    match read {
        Ok(value) => Some(value),
        Err(why) => {
            found.push(ForeignItem::left_out("file", "settings", path, why));
            None
        }
    }
}
