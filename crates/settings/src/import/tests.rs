use std::fs;

use silcrow_environment::Environment;

use super::*;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn import_takes_servers_hooks_and_instructions_without_keys() {
    let home = tempfile::tempdir().unwrap();
    let (home, root) = (home.path(), home.path().join("work"));
    let servers = r#"{"mcpServers": {
        "time": {"command": "uvx", "args": ["mcp-server-time"],
            "env": {"ZONE": "UTC", "TIME_API_KEY": "sk-canary", "OTHER": "${HERE}"}},
        "pages": {"type": "http", "url": "https://pages.example/mcp"},
        "keyed": {"type": "http", "url": "https://k.example/mcp", "headers": {"X-Key": "sk-canary"}},
        "odd name": {"command": "x"}}}"#;
    write(home, ".claude.json", servers);
    write(&root, ".mcp.json", "{");
    let settings = r#"{"model": "opus", "permissions": {"allow": ["Bash(ls:*)"]},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "make"}]}]}}"#;
    write(home, ".claude/settings.json", settings);
    write(home, ".claude/CLAUDE.md", "Use tabs.\n");
    let found = ForeignTool::Claude.read(home, &root);
    let is_left_out = |item: &&ForeignItem| matches!(item.plan, ImportPlan::LeftOut(_));
    let left_out: Vec<_> = found.iter().filter(is_left_out).map(|item| &*item.name).collect();
    assert_eq!(left_out, ["keyed", "odd name", "settings", "permissions.allow (1)", "opus"]);
    let environment = Environment::from_vars([("XDG_CONFIG_HOME", home.join("config"))]);
    for item in &found {
        item.import(&environment).unwrap();
    }
    let own = home.join("config/silcrow");
    let written = fs::read_to_string(own.join("config.toml")).unwrap();
    assert!(written.contains("[mcp.time]") && written.contains("[mcp.pages]"), "{written}");
    assert!(written.contains("$TIME_API_KEY") && written.contains("$HERE"), "{written}");
    assert!(!written.contains("canary"), "{written}");
    assert_eq!(fs::read_to_string(own.join("AGENTS.md")).unwrap(), "Use tabs.\n");
    assert!(fs::read_to_string(own.join("hooks.json")).unwrap().contains("\"make\""));
    // Existing entries stay.
    let twice = found
        .iter()
        .filter(|item| !is_left_out(item))
        .all(|item| item.import(&environment).is_err());
    assert!(twice, "it was written again");
}

#[test]
fn prompts_of_codex_become_commands() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    write(home, ".codex/config.toml", "model = \"m\"\nmodel_provider = \"azure\"\n");
    write(home, ".codex/prompts/fix.md", "Fix $1.");
    write(home, ".codex/prompts/notes.txt", "");
    let found = ForeignTool::Codex.read(home, home);
    let names: Vec<_> = found.iter().map(|item| (item.kind, &*item.name)).collect();
    assert_eq!(names, [("model", "m"), ("command", "commands/fix.md")]);
    assert!(ForeignTool::Codex.read(&home.join("none"), home).is_empty());
}
