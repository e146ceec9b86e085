//! The precedence of several values.

use std::fs;

use silcrow_settings::{FileSettings, GivenSettings, SettingKey, SettingSource, Settings};

use super::{Home, shown};

/// Each row removes the layer that counted before.
#[test]
fn caller_wins_over_all_other_layers() {
    let home = Home::new();
    home.own("model = \"person\"\n[profiles.work]\nmodel = \"profile\"\n");
    fs::create_dir_all(home.path("root/.git")).unwrap();
    let near = home.write("root/sub/.silcrow/config.toml", "model = \"nearer\"\n");
    let far = home.project("model = \"farther\"\n");
    let root = home.path("root/sub");
    let plain = home.environment(&[]);
    FileSettings::trust_projects(&plain, &root).unwrap();
    let model = |given: Option<&str>, set: &[(&str, &str)], profile: Option<&str>| {
        let files = FileSettings::load(&home.environment(set), &root, profile).unwrap();
        let mut settings = GivenSettings::default();
        settings.model = given.map(str::to_owned);
        Settings::resolve(settings, &files).model.map(|found| (found.value, found.source))
    };
    let set = [("SILCROW_MODEL", "environment")];
    let work = Some("work");
    let (value, source) = model(Some("given"), &set, work).unwrap();
    assert_eq!((&*value, source), ("given", SettingSource::Flag("--model")));
    let (value, source) = model(None, &set, work).unwrap();
    assert_eq!((&*value, source), ("environment", SettingSource::Environment("SILCROW_MODEL")));
    let (value, source) = model(None, &[], work).unwrap();
    assert_eq!(value, "profile");
    assert!(source.to_string().ends_with("config.toml:3 (profile work)"), "{source}");
    assert_eq!(model(None, &[("SILCROW_MODEL", " ")], None).unwrap().0, "nearer");
    fs::remove_file(near).unwrap();
    assert_eq!(model(None, &[], None).unwrap().0, "farther");
    fs::remove_file(far).unwrap();
    assert_eq!(model(None, &[], None).unwrap().0, "person");
    home.own("");
    assert_eq!(model(None, &[], None), None);
}

#[test]
fn caller_environment_or_file_chooses_the_profile() {
    let home = Home::new();
    home.own(
        "profile = \"a\"\n[profiles.a]\ndialect = \"phase\"\n[profiles.b]\ndialect = \"action\"\n",
    );
    let dialect = |profile: Option<&str>, set: &[(&str, &str)]| {
        let files = FileSettings::load(&home.environment(set), &home.root(), profile);
        shown(&files.unwrap(), SettingKey::Dialect).unwrap().0
    };
    assert_eq!(dialect(None, &[]), "phase");
    assert_eq!(dialect(None, &[("SILCROW_PROFILE", "b")]), "action");
    assert_eq!(dialect(Some("a"), &[("SILCROW_PROFILE", "b")]), "phase");
    let wrong = FileSettings::load(&home.environment(&[]), &home.root(), Some("aa"));
    assert!(wrong.unwrap_err().to_string().contains("unknown profile `aa`"));
    let none = Home::new();
    let none = FileSettings::load(&none.environment(&[]), &none.root(), Some("a"));
    assert!(none.unwrap_err().to_string().contains("(--profile), because you have no file"));
}

#[test]
fn every_set_key_reaches_settings_with_its_line() {
    let home = Home::new();
    let file = home.own(
        "model = \"m\"\ndialect = \"phase\"\nmode = \"replay\"\non_question = \"park\"\nstore = \"kept\"\n\
         search = \"brave\"\nproxy = \"http://p:1\"\nproxy_plain_http = true\nprices = \"prices.toml\"\n\
         theme = \"light\"\nthoughts = \"off\"\ndiff = \"short\"\nwindow = 4096\ncompact_at = 99\n\
         instructions = false\ncoding = false\nlearn_profile = true\ntitle_model = \"t\"\n\
         sandbox = \"off\"\nkey_command = \"op read x\"\notlp_endpoint = \"http://o\"\n\
         otlp_contents = true\notlp_whole_input = true\npolicy = \"mine.toml\"\n[sampling]\ntemperature = 1\nseed = 0\n\
         max_tokens = 9\neffort = \"low\"\nstop = \"end\"\n",
    );
    let line = |number: usize| format!("{}:{number}", file.display());
    let settings = Settings::resolve(GivenSettings::default(), &home.load().unwrap());
    let folder = file.parent().unwrap();
    assert_eq!(settings.model.unwrap().source.to_string(), line(1));
    assert_eq!(settings.dialect.unwrap().source.to_string(), line(2));
    assert_eq!(settings.mode.unwrap().source.to_string(), line(3));
    assert_eq!(settings.on_question.unwrap().value, "park");
    assert_eq!(settings.store.unwrap().value, folder.join("kept"));
    assert_eq!(settings.search.unwrap().source.to_string(), line(6));
    assert_eq!(settings.proxy.written.unwrap().source.to_string(), line(7));
    assert!(settings.proxy.is_for_plain_http && settings.proxy.given.is_none());
    assert_eq!(settings.prices.unwrap().source.to_string(), line(9));
    assert_eq!(settings.theme.unwrap().value, "light");
    assert_eq!(settings.thoughts.unwrap().value, "off");
    assert_eq!(settings.diff.unwrap().value, "short");
    assert_eq!(settings.window.unwrap().value, 4096);
    assert_eq!(settings.compact_at.unwrap().value, 95);
    assert!(!settings.instructions.all.value && settings.instructions.project.value);
    assert_eq!(settings.coding.source.to_string(), line(16));
    assert!(settings.learn_profile.value && settings.otlp_contents.value);
    assert!(settings.otlp_whole_input.value);
    assert_eq!(settings.title_model.unwrap().value, "t");
    assert!(!settings.policy.sandbox.unwrap().value);
    assert_eq!(settings.key_command.unwrap().value, ["op", "read", "x"]);
    assert_eq!(settings.otlp_endpoint.unwrap().value, "http://o");
    assert_eq!(settings.policy.file.unwrap().value, folder.join("mine.toml"));
    let sampling = settings.sampling.to_sampling();
    assert_eq!((sampling.temperature, sampling.seed), (Some(1.0), Some(0)));
    assert_eq!((sampling.max_tokens, &*sampling.stop), (Some(9), &["end".to_owned()][..]));
}

#[test]
fn caller_policy_file_replaces_the_person_rules() {
    let home = Home::new();
    home.own("[policy]\nmode = \"workspace\"\n");
    home.project("[policy]\nmode = \"read-only\"\n");
    let files = home.load().unwrap();
    let settings = Settings::resolve(GivenSettings::default(), &files);
    assert_eq!((settings.policy.own.len(), settings.policy.project.len()), (1, 1));
    let mut given = GivenSettings::default();
    given.policy = Some("other.toml".into());
    let settings = Settings::resolve(given, &files);
    // The project's value still narrows.
    assert_eq!((settings.policy.own.len(), settings.policy.project.len()), (0, 1));
    assert_eq!(settings.policy.file.unwrap().source, SettingSource::Flag("--policy"));
}
