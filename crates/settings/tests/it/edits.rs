//! Changes of files, which keep the rest of a file.

use std::fs;

use silcrow_settings::{SettingKey, SettingsEditor};

use super::{Home, shown, text};

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
    let home = Home::new();
    let file = home.own(COMMENTED);
    let editor = SettingsEditor::of_person(&home.environment(&[])).unwrap();
    let set = |profile: Option<&str>, key: SettingKey, value: &str| {
        editor.set(profile, key, value).unwrap();
    };
    set(None, SettingKey::Model, "openai:two");
    assert_eq!(text(&file), COMMENTED.replace("openai:one", "openai:two"));
    set(Some("work"), SettingKey::Dialect, "action");
    set(None, SettingKey::Model, "openai:one");
    assert_eq!(text(&file), COMMENTED.replace("phase", "action"));
    set(Some("work"), SettingKey::Dialect, "phase");
    set(None, SettingKey::Tools, "except:shell,web_search");
    let tools = "{ except = [\"shell\", \"web_search\"] }";
    assert_eq!(text(&file), COMMENTED.replace("[\"file_read\"]", tools));
    set(None, SettingKey::Tools, "file_read");
    set(None, SettingKey::PolicyMode, "ask");
    assert!(text(&file).contains("[policy]\nmode = \"ask\"\n"));
    editor.unset(None, "policy.mode").unwrap();
    assert_eq!(text(&file), COMMENTED);
    set(Some("new"), SettingKey::Model, "gemini:x");
    assert!(text(&file).ends_with("[profiles.new]\nmodel = \"gemini:x\"\n"));
    editor.unset(Some("new"), "model").unwrap();
    assert_eq!(text(&file), COMMENTED);
}

#[test]
fn invalid_value_changes_nothing() {
    let home = Home::new();
    let file = home.own(COMMENTED);
    let editor = SettingsEditor::of_person(&home.environment(&[])).unwrap();
    for (key, value, why) in [
        (SettingKey::Dialect, "xml", "write one of"),
        (SettingKey::Model, "", "write a text in quotes"),
        (SettingKey::Tools, "a,,b", "use names with commas"),
        (SettingKey::Profile, "nobody", "unknown profile `nobody`"),
        (SettingKey::Window, "much", "write a whole number from 1"),
    ] {
        let error = editor.set(None, key, value).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert_eq!(text(&file), COMMENTED);
    }
    assert!(editor.unset(None, "store").unwrap_err().to_string().contains("is not set"));
    // A key that is no longer known to any version can be removed.
    home.own("modle = \"x\"\nmodel = \"y\"\n");
    editor.unset(None, "modle").unwrap();
    assert_eq!(text(&file), "model = \"y\"\n");
}

#[test]
fn line_ends_of_other_systems_stay() {
    let home = Home::new();
    let file = home.own("model = \"openai:x\"\r\n");
    let editor = SettingsEditor::of_person(&home.environment(&[])).unwrap();
    editor.set(None, SettingKey::Dialect, "phase").unwrap();
    assert_eq!(text(&file), "model = \"openai:x\"\r\ndialect = \"phase\"\r\n");
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn setting_a_value_keeps_a_trusted_project_trusted() {
    let home = Home::new();
    let editor = SettingsEditor::of_project(&home.root(), &home.environment(&[])).unwrap();
    let model = || shown(&home.load().unwrap(), SettingKey::Model).map(|(model, _)| model);
    for name in ["one", "two"] {
        editor.set(None, SettingKey::Model, name).unwrap();
        assert_eq!(model().as_deref(), Some(name));
    }
    // Somebody else changes the file, and the person sets something else in it.
    home.project("model = \"one\"\nstore = \"/tmp/elsewhere\"\n");
    editor.set(None, SettingKey::Model, "two").unwrap();
    assert_eq!(model(), None);
}
