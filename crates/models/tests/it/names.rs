//! Names of models, and errors about wrong ones.

use silcrow_models::{Environment, ErrorKind, ModelOptions, Models, RequestLimits};

fn error(name: &str, variables: &[(&str, &str)]) -> (ErrorKind, String) {
    let environment = Environment::from_vars(variables.iter().copied());
    let opened = Models::new(ModelOptions::new(environment)).open(name);
    let error = opened.map(drop).unwrap_err();
    (error.kind(), error.to_string())
}

#[test]
fn invalid_names_explain_the_remedy() {
    for (name, kind, message) in [
        (
            "rehearsl",
            ErrorKind::UnknownModel,
            "unknown model `rehearsl` (did you mean `rehearsal`?)",
        ),
        ("claude-x", ErrorKind::UnknownModel, "(did you mean `anthropic:claude-x`?)"),
        ("opnai:m", ErrorKind::UnknownModel, "(did you mean `openai:m`?)"),
        ("openai:", ErrorKind::UnknownModel, "unknown model `openai:`"),
        ("compatible:http://127.0.0.1", ErrorKind::InvalidName, "write compatible:URL#MODEL"),
        ("script:/no/such/file", ErrorKind::File, "cannot read /no/such/file: the file does not"),
        ("gemini-live:m", ErrorKind::MissingKey, "GEMINI_API_KEY is not set; put your key there"),
        ("azure:d", ErrorKind::Setting, "AZURE_OPENAI_ENDPOINT is not set"),
    ] {
        let (found, said) = error(name, &[]);
        assert_eq!(found, kind, "{name}: {said}");
        assert!(said.contains(message), "{name}: {said}");
    }
}

#[test]
fn wrong_variables_are_named_without_their_secrets() {
    let key = ("OPENAI_API_KEY", "canary-0123");
    for (variable, text) in [
        ("OPENAI_HEADERS", "canary without a colon"),
        ("OPENAI_BODY", "canary"),
        ("OPENAI_BASE_URL", "canary"),
        ("HTTPS_PROXY", "ftp://ann:canary@127.0.0.1"),
        ("SILCROW_ALLOW_PLAIN_HTTP", "yes"),
    ] {
        let (kind, said) = error("openai:m", &[key, (variable, text)]);
        assert_eq!(kind, ErrorKind::Setting, "{said}");
        assert!(said.starts_with(variable), "{said}");
        assert!(variable == "OPENAI_BASE_URL" || !said.contains("canary"), "{said}");
    }
}

#[test]
fn limits_are_numbers_above_zero() {
    let read = |text: &str| {
        let limits = RequestLimits::read(&Environment::from_vars([("SILCROW_TIMEOUT_IDLE", text)]));
        limits.map(|limits| limits.timeouts("m").idle.as_secs_f64())
    };
    assert_eq!(read("0.5").unwrap(), 0.5);
    for text in ["0", "-1", "NaN", "86401", "soon"] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.starts_with(&format!("SILCROW_TIMEOUT_IDLE is `{text}`")), "{message}");
    }
}
