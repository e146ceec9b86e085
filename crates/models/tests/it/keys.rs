//! Which server gets which key, and where keys are found.

use std::fs;

use futures_util::StreamExt as _;
use silcrow_environment::{key_secrets, printed_secrets};
use silcrow_event::{Message, Role};
use silcrow_models::{Environment, ErrorKind, KeyCommand, ModelOptions, Models};
use silcrow_provider::{Provider, Request};
use silcrow_sanitize::Secrets;

use crate::listing_server::ListingServer;

async fn ask(model: &dyn Provider) {
    let request = Request::new(vec![Message::new(Role::User, "hi")]);
    let deltas: Vec<_> = model.stream(request).collect().await;
    assert!(deltas.iter().all(Result::is_ok), "{deltas:?}");
}

#[tokio::test]
async fn key_goes_to_its_server_alone() {
    let (own, other) = (ListingServer::start("{}"), ListingServer::start("{}"));
    let keys = format!("{}=canary-of-own", own.host);
    let environment = Environment::from_vars([
        ("SILCROW_COMPATIBLE_KEY", &*keys),
        ("SILCROW_COMPATIBLE_HEADERS", "X-Team: canary-of-team"),
    ]);
    let models = Models::new(ModelOptions::new(environment).with_chosen(own.model("m")));
    for server in [&own, &other] {
        ask(&*models.open(&server.model("m")).unwrap()).await;
    }
    let heads = own.heads.lock().unwrap().concat();
    assert!(heads.contains("bearer canary-of-own") && heads.contains("canary-of-team"), "{heads}");
    let heads = other.heads.lock().unwrap().concat();
    assert!(heads.starts_with("post ") && !heads.contains("canary"), "{heads}");
    assert!(models.may_go_to(&format!("http://{}/v1", own.host)).unwrap());
    assert!(!models.may_go_to(&format!("http://{}/v1", other.host)).unwrap());
}

#[tokio::test]
async fn key_without_host_is_for_the_chosen_server() {
    let (own, other) = (ListingServer::start("{}"), ListingServer::start("{}"));
    let environment = Environment::from_vars([("SILCROW_COMPATIBLE_KEY", "canary-of-own")]);
    let models = Models::new(ModelOptions::new(environment).with_chosen(own.model("m")));
    for server in [&own, &other] {
        ask(&*models.open(&server.model("m")).unwrap()).await;
    }
    assert!(own.heads.lock().unwrap().concat().contains("bearer canary-of-own"));
    assert!(!other.heads.lock().unwrap().concat().contains("canary"));
}

#[test]
fn variable_counts_before_file_and_file_before_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    fs::write(&file, "canary-of-file\n").unwrap();
    let file = file.to_str().unwrap().to_owned();
    let fails = "/no/such/command".to_owned();
    let mut variables = vec![("OPENAI_API_KEY_COMMAND", fails)];
    let opened = |variables: &[(&str, String)]| {
        let environment =
            Environment::from_vars(variables.iter().map(|(name, text)| (*name, &**text)));
        Models::new(ModelOptions::new(environment)).open("openai:gpt-5.1").map(drop)
    };
    let error = opened(&variables).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Key);
    let message = error.to_string();
    let begin = "no key: the command `/no/such/command` (OPENAI_API_KEY_COMMAND) cannot";
    assert!(message.starts_with(begin), "{message}");
    variables.push(("OPENAI_API_KEY_FILE", file));
    opened(&variables).unwrap();
    let masked = printed_secrets().mask("canary-of-file").into_owned();
    assert!(masked.starts_with("[secret /") && masked.ends_with("/key _OPENAI_API_KEY_FILE_]"));
    variables.push(("OPENAI_API_KEY", "canary-of-variable".to_owned()));
    variables[1].1 = "/no/such/file".to_owned();
    opened(&variables).unwrap();
}

#[test]
fn command_of_settings_is_for_its_vendor() {
    let words = ["echo", "$PRINTED"].map(str::to_owned).to_vec();
    let environment = Environment::from_vars([("PRINTED", "canary-that-was-printed")]);
    let command = KeyCommand::for_model("anthropic:claude-sonnet-4-5", words);
    let models = Models::new(ModelOptions::new(environment).with_key_command(command));
    assert_eq!(models.key_commands(), [["echo", "canary-that-was-printed"]]);
    models.open("anthropic:claude-sonnet-4-5").unwrap();
    assert_eq!(printed_secrets().mask("canary-that-was-printed"), "[secret _key_command_]");
    let error = models.open("openai:gpt-5.1").map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingKey);
}

#[test]
fn environment_secrets_carry_their_variable_names() {
    let environment = Environment::from_vars([
        ("SILCROW_COMPATIBLE_KEY", "localhost:1=canary-of-host, canary-alone"),
        ("OPENAI_HEADERS", "Authorization: canary-of-header\nX-Trace: an-ordinary-word"),
    ]);
    let secrets = Secrets::named(key_secrets(&environment));
    assert_eq!(
        secrets.mask("canary-of-host canary-alone canary-of-header an-ordinary-word localhost:1"),
        "[secret SILCROW_COMPATIBLE_KEY] [secret SILCROW_COMPATIBLE_KEY] [secret OPENAI_HEADERS] \
         an-ordinary-word localhost:1"
    );
    let shown = format!("{environment:?}");
    assert!(!shown.contains("canary") && shown.contains("OPENAI_HEADERS"), "{shown}");
}
