//! The effects of a project's file: it narrows, it never widens, and settings that send something
//! elsewhere count only once the person trusts the file.

use std::cell::Cell;
use std::fs;

use silcrow_settings::{FileSettings, GivenSettings, SettingKey, Settings};

use super::{Home, shown};

#[test]
fn project_cannot_set_person_only_keys() {
    let home = Home::new();
    for (text, why) in [
        (
            "[[policy.rules]]\neffect = \"allow\"\ntool = \"*\"",
            "can only narrow, so it allows nothing",
        ),
        ("policy = \"mine.toml\"", "a project names no policy file"),
        ("profile = \"work\"", "the person chooses the profile"),
        ("[profiles.work]\nmodel = \"x\"", "profiles are the person's own"),
        ("learn_profile = true", "the person decides what is noted of them"),
        ("title_model = \"x\"", "the person decides which model reads a conversation"),
        ("otlp_endpoint = \"http://x\"", "the person decides who sees runs"),
        ("instructions = true", "a project can only leave its instructions out"),
        ("[mcp.x]\ncommand = [\"x\"]\ntrust = true", "the person decides whether a server is"),
    ] {
        let file = home.project(text);
        let error = home.load().unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}, line", file.display())), "{error}");
        assert!(error.contains(why), "{text}: {error}");
    }
}

#[test]
fn project_narrows_given_values() {
    let home = Home::new();
    home.own("tools = [\"file_read\", \"file_list\"]\n");
    home.project("tools = [\"file_list\", \"shell\"]\ninstructions = false\n");
    let offers = |given: Option<&str>| {
        let mut settings = GivenSettings::default();
        settings.tools = given.map(|tools| tools.parse().unwrap());
        let settings = Settings::resolve(settings, &home.load().unwrap());
        assert!(!settings.instructions.project.value && settings.instructions.all.value);
        ["file_read", "file_list", "shell"].map(|tool| settings.tools.offers(tool))
    };
    // It does not restore tools that the person left out, and narrows the requested ones.
    assert_eq!(offers(None), [false, true, false]);
    assert_eq!(offers(Some("file_read,shell")), [false, false, true]);
    let files = home.load().unwrap();
    let narrows: Vec<_> = files.entries().into_iter().filter(|entry| entry.narrows).collect();
    assert_eq!(narrows.len(), 2, "{narrows:?}");
}

/// A file above the root counts up to the folder of the repository.
#[test]
fn project_lookup_stops_at_the_repository() {
    let home = Home::new();
    home.project("dialect = \"phase\"\n");
    let sub = home.path("root/sub");
    fs::create_dir_all(&sub).unwrap();
    let counts = || {
        let files = FileSettings::load(&home.environment(&[]), &sub, None).unwrap();
        shown(&files, SettingKey::Dialect).is_some()
    };
    assert!(!counts());
    fs::create_dir(home.path("root/.git")).unwrap();
    assert!(counts());
    fs::create_dir(home.path("root/sub/.git")).unwrap();
    assert!(!counts());
}

#[test]
fn external_destinations_need_a_currently_trusted_file() {
    let home = Home::new();
    home.own("model = \"mine\"\n");
    let text =
        |model: &str| format!("model = \"{model}\"\nstore = \"/tmp/x\"\ndialect = \"phase\"\n");
    home.project(&text("one"));
    let model = || shown(&home.load().unwrap(), SettingKey::Model).unwrap().0;
    let files = home.load().unwrap();
    let untrusted: Vec<_> = files.untrusted().collect();
    let keys: Vec<_> = untrusted[0].keys().collect();
    assert_eq!(keys, [(SettingKey::Model, 1), (SettingKey::Store, 2)]);
    assert_eq!((model(), files.get(SettingKey::Store).is_none()), ("mine".to_owned(), true));
    assert_eq!(shown(&files, SettingKey::Dialect).unwrap().0, "phase");
    let trusted = FileSettings::trust_projects(&home.environment(&[]), &home.root()).unwrap();
    assert_eq!(trusted[0].rows[0], ("model".to_owned(), "one".to_owned()));
    assert_eq!(model(), "one");
    home.project(&text("two"));
    assert_eq!(model(), "mine");
    // Contents that the person has trusted once are trusted again.
    home.project(&text("one"));
    assert_eq!(model(), "one");
}

#[test]
fn trust_is_asked_once_and_only_if_needed() {
    let home = Home::new();
    let asked = Cell::new(0);
    let load = |answer: bool| {
        let ask = |_: &silcrow_settings::UntrustedFile<'_>| {
            asked.set(asked.get() + 1);
            Ok(answer)
        };
        let environment = home.environment(&[]);
        let files = FileSettings::load_asking(&environment, &home.root(), None, &ask).unwrap();
        (shown(&files, SettingKey::Model).map(|(model, _)| model), asked.get())
    };
    home.project("dialect = \"phase\"\n");
    assert_eq!(load(true), (None, 0));
    home.project("model = \"theirs\"\n");
    assert_eq!(load(false), (None, 1));
    assert_eq!(load(true), (Some("theirs".to_owned()), 2));
    assert_eq!(load(false), (Some("theirs".to_owned()), 2));
}
