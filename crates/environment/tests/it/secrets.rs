//! The secrets of an environment, and values that are not secrets.

use silcrow_environment::{Environment, add_secrets, key_secrets, printed_secrets};
use silcrow_sanitize::Secrets;

/// Returns the text with the secrets of these variables masked.
fn masked(variables: &[(&str, &str)], text: &str) -> String {
    let environment = Environment::from_vars(variables.iter().copied());
    Secrets::named(environment.secrets()).mask(text).into_owned()
}

#[test]
fn every_secret_kind_is_masked_and_named() {
    for (variable, value, secret) in [
        ("OPENAI_API_KEY", "canary-01,canary-02", "canary-02"),
        ("SILCROW_COMPATIBLE_KEY", "localhost:8080=canary-01", "canary-01"),
        ("OPENAI_HEADERS", "X-Team: blue\nX-Auth: canary-01", "canary-01"),
        ("FORGE_TOKEN", "canary-0123456789", "canary-0123456789"),
        ("PGPASSWORD", "canary-0123456789", "canary-0123456789"),
        ("HTTPS_PROXY", "http://ann:canary-01@proxy.example:3128", "canary-01"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-auth=canary-01,x-team=blue", "canary-01"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=canary-0123456789", "canary-0123456789"),
    ] {
        let text = format!("it is {secret}.");
        let expected = format!("it is [secret {variable}].");
        assert_eq!(masked(&[(variable, value)], &text), expected, "{variable}={value}");
    }
}

#[test]
fn ordinary_text_is_never_masked() {
    for (variable, value) in [
        ("OPENAI_HEADERS", "X-Team: canary-0123456789"),
        ("FORGE_TOKEN", "short"),
        ("FORGE_TOKEN", "/home/ann/canary-0123456789"),
        ("FORGE_TOKEN", "a sentence with canary-0123456789"),
        ("EDITOR", "canary-0123456789"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=canary"),
    ] {
        let text = format!("{value} canary");
        assert_eq!(masked(&[(variable, value)], &text), text, "{variable}={value}");
    }
}

#[test]
fn file_keys_are_masked_unless_variable_set() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys");
    std::fs::write(&file, "canary-of-file\n").unwrap();
    let named = ("GEMINI_API_KEY_FILE", file.to_str().unwrap());
    let keys = |variables: &[(&str, &str)]| {
        let environment = Environment::from_vars(variables.iter().copied());
        Secrets::named(key_secrets(&environment)).mask("canary-of-file canary-02").into_owned()
    };
    assert_eq!(keys(&[named]), "[secret GEMINI_API_KEY] canary-02");
    let both = [named, ("GEMINI_API_KEY", "canary-02")];
    assert_eq!(keys(&both), "canary-of-file [secret GEMINI_API_KEY]");
    // A folder is left out, and so is a file that does not exist.
    for path in [folder.path(), &folder.path().join("missing")] {
        let named = ("GEMINI_API_KEY_FILE", path.to_str().unwrap());
        assert_eq!(keys(&[named]), "canary-of-file canary-02");
    }
}

#[test]
fn printed_secrets_join_those_that_follow_them() {
    let secrets = Secrets::named([]).following(printed_secrets());
    assert_eq!(secrets.mask("canary-later"), "canary-later");
    for _ in 0..2 {
        add_secrets([("canary-later", "a command")].into_iter());
    }
    assert_eq!(secrets.mask("canary-later"), "[secret a command]");
}

#[test]
fn values_are_not_shown() {
    let environment = Environment::from_vars([("OPENAI_API_KEY", "canary-01")]);
    assert_eq!(format!("{environment:?}"), r#"{"OPENAI_API_KEY"}"#);
    assert_eq!(format!("{:?}", Environment::process()), "Environment::process()");
}
