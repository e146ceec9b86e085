//! `silcrow config set` and `unset`, which keep the rest of a file.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{config, own, project, says};
use crate::support::{Sandbox, file};

const COMMENTED: &str = "\
# My settings.
model   = \"openai:one\"   # the usual one
tools = [\"file_read\"]

# For work.
[profiles.work]
dialect = \"phase\" # odd
";

#[test]
fn set_and_unset_keep_comments_and_order() {
    let sandbox = Sandbox::new();
    let path = own(&sandbox, COMMENTED);
    let text = || file(path.as_ref());
    config(&sandbox, &["set", "model", "openai:two"]).ends(0);
    assert_eq!(text(), COMMENTED.replace("openai:one", "openai:two"));
    config(&sandbox, &["set", "dialect", "action", "--profile", "work"]).ends(0);
    config(&sandbox, &["set", "model", "openai:one"]).ends(0);
    assert_eq!(text(), COMMENTED.replace("phase", "action"));
    config(&sandbox, &["set", "dialect", "phase", "--profile", "work"]).ends(0);
    config(&sandbox, &["set", "tools", "except:shell,web_search"]).ends(0);
    let tools = "{ except = [\"shell\", \"web_search\"] }";
    assert_eq!(text(), COMMENTED.replace("[\"file_read\"]", tools));
    config(&sandbox, &["set", "tools", "file_read"]).ends(0);
    config(&sandbox, &["set", "policy.mode", "ask"]).ends(0);
    assert!(text().contains("[policy]\nmode = \"ask\"\n"), "{}", text());
    config(&sandbox, &["unset", "policy.mode"]).ends(0);
    assert_eq!(text(), COMMENTED);
    config(&sandbox, &["set", "model", "gemini:x", "--profile", "new"]).ends(0);
    assert!(text().ends_with("[profiles.new]\nmodel = \"gemini:x\"\n"), "{}", text());
    config(&sandbox, &["unset", "model", "--profile", "new"]).ends(0);
    assert_eq!(text(), COMMENTED);
}

#[test]
fn new_settings_file_is_private_others_keep_mode() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("config/silcrow/config.toml");
    config(&sandbox, &["set", "model", "openai:x"]).ends(0);
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!((file(&path).as_str(), mode()), ("model = \"openai:x\"\n", 0o600));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    config(&sandbox, &["set", "model", "openai:y"]).ends(0);
    assert_eq!((file(&path).as_str(), mode()), ("model = \"openai:y\"\n", 0o640));
    // Line ends of other systems stay.
    own(&sandbox, "model = \"openai:x\"\r\n");
    config(&sandbox, &["set", "dialect", "phase"]).ends(0);
    assert_eq!(file(&path), "model = \"openai:x\"\r\ndialect = \"phase\"\r\n");
    let folder = fs::read_dir(sandbox.path("config/silcrow")).unwrap();
    assert_eq!(folder.count(), 2, "only the policy and the settings are there");
}

#[test]
fn invalid_value_or_key_changes_nothing() {
    let sandbox = Sandbox::new();
    let path = own(&sandbox, COMMENTED);
    for (args, why) in [
        (&["set", "modle", "x"][..], "did you mean `mode` or `model` or `models`?"),
        (&["set", "dialect", "xml"], "write one of"),
        (&["set", "model", ""], "write a text in quotes"),
        (&["set", "tools", "a,,b"], "use names with commas"),
        (&["set", "openai.key", "x"], "OPENAI_API_KEY"),
        (&["set", "profile", "nobody"], "unknown profile `nobody`"),
        (&["unset", "store"], "`store` is not set in this file"),
        (&["get", "colour"], "unknown key `colour`"),
    ] {
        let said = config(&sandbox, args);
        assert!(said.ends(2).err.contains(why), "{args:?}: {}", said.err);
        assert_eq!(file(path.as_ref()), COMMENTED);
    }
    own(&sandbox, "model = ");
    assert!(config(&sandbox, &["set", "model", "x"]).ends(2).err.contains("line 1"));
    // An obsolete key can be removed.
    own(&sandbox, "modle = \"x\"\nmodel = \"y\"\n");
    config(&sandbox, &["unset", "modle"]).ends(0);
    assert_eq!(file(path.as_ref()), "model = \"y\"\n");
}

#[test]
fn setting_a_value_keeps_a_trusted_project_trusted() {
    let sandbox = Sandbox::new();
    let (one, two) = (says(&sandbox, "one"), says(&sandbox, "two"));
    let answer = || sandbox.silcrow(&["run", "go"]).ends(0).out.trim().to_owned();
    config(&sandbox, &["set", "--project", "model", &one]).ends(0);
    assert_eq!(answer(), "one");
    config(&sandbox, &["set", "--project", "model", &two]).ends(0);
    assert_eq!(answer(), "two");
    // Somebody else changes the file, and the person sets something else in it.
    project(&sandbox, &format!("model = \"{one}\"\nstore = \"/tmp/elsewhere\"\n"));
    config(&sandbox, &["set", "--project", "model", &two]).ends(0);
    assert_ne!(answer(), "two");
    assert_eq!(config(&sandbox, &["path"]).ends(0).out.lines().count(), 2);
}
