//! Replay is cheap if a request begins with the bytes of the one before.

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use silcrow_event::{GrowingMessages, Message, MessageList, Role};
use silcrow_provider::{ErrorKind, Provider, Request};
use silcrow_vendors::{
    AnthropicVersion, ApiKey, Gemini, Messages, OutputGrammar, Responses, Timeouts,
};

use crate::server::{Server, ask, events};
use crate::wire::{Api, SECRET};

/// The head and the body of the next request.
async fn sent(
    server: &Server,
    model: &dyn Provider,
    messages: impl Into<MessageList>,
) -> (String, String) {
    model.stream(Request::new(messages)).count().await;
    received(server)
}

fn received(server: &Server) -> (String, String) {
    let request = server.requests.try_recv().unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

fn conversation(turns: usize) -> Vec<Message> {
    let mut messages = vec![Message::new(Role::System, "Speak §sigil.\n")];
    for turn in 0..turns {
        messages.push(Message::new(Role::User, format!("§result: \"{turn}\" naïve 🗼\n")));
        messages.push(Message::new(Role::Assistant, "§call: {\"name\": \"f\"}\n§execute\n"));
    }
    messages.push(Message::new(Role::User, "and?"));
    messages
}

#[tokio::test]
async fn each_request_extends_the_previous_bytes() {
    for api in Api::ALL {
        let server = Server::playing(events(&api.stop()), usize::MAX);
        let model = api.model(&server);
        let mut last: Option<String> = None;
        for turns in 1..5 {
            let mut messages = conversation(turns);
            let asked = messages.pop().unwrap();
            let (_, before) = sent(&server, &*model, messages.clone()).await;
            messages.push(asked);
            let (head, body) = sent(&server, &*model, messages.clone()).await;
            let (again, same) = sent(&server, &*model, messages).await;
            assert_eq!((head, &body), (again, &same), "{api:?}");
            // All but the brackets that close it.
            let open = before.strip_suffix("]}").unwrap();
            assert!(body.starts_with(open), "{api:?}: {before}\n{body}");
            if let Some(last) = last.replace(before) {
                assert!(body.starts_with(last.strip_suffix("]}").unwrap()), "{api:?}");
            }
        }
    }
}

#[tokio::test]
async fn cached_encoding_equals_a_fresh_one() {
    for api in Api::ALL {
        let server = Server::playing(events(&api.stop()), usize::MAX);
        let model = api.model(&server);
        let mut growing = GrowingMessages::new();
        for turns in 0..6 {
            let mut whole = conversation(turns);
            // Tools have joined.
            let kept = if turns == 4 { 0 } else { growing.list().settled().len() };
            if turns >= 4 {
                whole[0] = Message::new(Role::System, "Speak §sigil, with tools.\n");
            }
            let settled = whole.len() - 1;
            let list = growing.renew(kept, whole[kept..].iter().cloned(), settled);
            assert_eq!(list, whole);
            let (head, body) = sent(&server, &*model, list).await;
            assert_eq!((head, body), sent(&server, &*model, whole).await, "{api:?}, {turns}");
        }
    }
}

#[tokio::test]
async fn messages_mark_cache_breakpoints() {
    let server = Server::playing(events(&Api::Messages.stop()), usize::MAX);
    let model = Messages::new("claude", ApiKey::new(SECRET, "K")).unwrap();
    let model = model.with_base(&server.url()).unwrap();
    let (head, body) = sent(&server, &model, conversation(1)).await;
    assert!(head.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("x-api-key: {SECRET}\r\n")), "{head}");
    assert!(head.contains("anthropic-version: 2023-06-01\r\n"), "{head}");
    assert!(!head.contains("authorization"), "{head}");
    let cached = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "claude",
        "max_tokens": 16_384,
        "stream": true,
        "cache_control": cached,
        "system": [{"type": "text", "text": "Speak §sigil.\n", "cache_control": cached}],
        "messages": [
            {"role": "user", "content": "§result: \"0\" naïve 🗼\n"},
            {"role": "assistant", "content": "§call: {\"name\": \"f\"}\n§execute\n"},
            {"role": "user", "content": "and?"},
        ],
    });
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
}

#[tokio::test]
async fn messages_have_two_versions() {
    let server = Server::playing(events(&Api::Messages.stop()), usize::MAX);
    let model = Messages::new("claude", ApiKey::new(SECRET, "K")).unwrap();
    let model = model.with_base(&server.url()).unwrap().with_temperature(0.5).with_max_tokens(9);
    let (_, body) = sent(&server, &model, conversation(0)).await;
    assert!(body.contains(r#""max_tokens":9"#) && body.contains(r#""temperature":0.5"#), "{body}");
    let model = model.with_version(AnthropicVersion::V20261021);
    let (head, body) = sent(&server, &model, conversation(0)).await;
    assert!(head.contains(&format!("authorization: Bearer {SECRET}\r\n")), "{head}");
    assert!(head.contains("anthropic-version: 2026-10-21\r\n"), "{head}");
    assert!(!head.contains("x-api-key"), "{head}");
    assert!(!body.contains("temperature"), "{body}");
    for version in [AnthropicVersion::V20230601, AnthropicVersion::V20261021] {
        assert_eq!(version.to_string().parse::<AnthropicVersion>().unwrap(), version);
    }
    let error = "2024-01-01".parse::<AnthropicVersion>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("2023-06-01 or 2026-10-21"), "{error}");
}

/// Checks items of Responses by the types that the vendor publishes.
pub(crate) fn valid(input: &Value) {
    let schema = serde_json::from_str(include_str!("../schemas/responses_input.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    assert!(schema.is_valid(input), "{input}");
    // A part of an answer without its annotations, and an answer without its id, are not.
    let part = json!({"type": "output_text", "text": "a"});
    let item = json!([{"type": "message", "role": "assistant", "content": [part]}]);
    assert!(!schema.is_valid(&item));
}

#[tokio::test]
async fn responses_store_nothing_and_name_roles() {
    let server = Server::playing(events(&Api::Responses.stop()), usize::MAX);
    let model = Responses::new("gpt", ApiKey::new(SECRET, "K")).unwrap();
    let model = model.with_base(&server.url()).unwrap();
    let (head, body) = sent(&server, &model, conversation(1)).await;
    assert!(head.starts_with("POST /v1/responses HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: Bearer {SECRET}\r\n")), "{head}");
    let item =
        |role: &str, content: Value| json!({"type": "message", "role": role, "content": content});
    let user = |text: &str| item("user", json!([{"type": "input_text", "text": text}]));
    let expected = json!({
        "model": "gpt",
        "stream": true,
        "store": false,
        "prompt_cache_key": "silcrow-c011edcf143f140e",
        "instructions": "Speak §sigil.\n",
        "input": [
            user("§result: \"0\" naïve 🗼\n"),
            item("assistant", "§call: {\"name\": \"f\"}\n§execute\n".into()),
            user("and?"),
        ],
    });
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
    valid(&expected["input"]);
    let model = model.with_temperature(0.5).with_max_tokens(9);
    let (_, body) = sent(&server, &model, conversation(0)).await;
    assert!(body.contains(r#""max_output_tokens":9,"temperature":0.5"#), "{body}");
}

#[tokio::test]
async fn conversation_has_a_cache_key_if_supported() {
    let key = |body: &str| {
        let body: Value = serde_json::from_str(body).unwrap();
        body.get("prompt_cache_key").map(|key| key.as_str().unwrap().to_owned())
    };
    for api in Api::ALL {
        let server = Server::playing(events(&api.stop()), usize::MAX);
        let model = api.model(&server);
        let mut keys = Vec::new();
        for turns in [1, 2] {
            keys.push(key(&sent(&server, &*model, conversation(turns)).await.1));
        }
        // Another conversation has another, even if the same text is cut otherwise.
        for (system, user) in [("a", "bc"), ("ab", "c")] {
            let messages = vec![Message::new(Role::System, system), Message::new(Role::User, user)];
            keys.push(key(&sent(&server, &*model, messages).await.1));
        }
        if matches!(api, Api::Chat | Api::Responses) {
            assert!(keys[0].as_ref().is_some_and(|key| key.len() == 24), "{keys:?}");
            assert_eq!(keys[0], keys[1]);
            keys.dedup();
            assert_eq!(keys.len(), 3, "{keys:?}");
        } else {
            assert_eq!(keys, [None, None, None, None], "{api:?}");
        }
    }
    let server = Server::playing(events(&Api::Chat.stop()), usize::MAX);
    assert_eq!(key(&sent(&server, &server.chat(), conversation(1)).await.1), None);
}

#[tokio::test]
async fn grammar_is_sent_in_the_server_field() {
    let server = Server::playing(events(&Api::Chat.stop()), usize::MAX);
    let text = || "root ::= \"§end\"".to_owned();
    for (grammar, field) in [
        (OutputGrammar::LlamaCpp(text()), json!({"grammar": text()})),
        (OutputGrammar::Vllm(text()), json!({"structured_outputs": {"grammar": text()}})),
    ] {
        let model = server.chat().with_grammar(grammar);
        let (_, body) = sent(&server, &model, conversation(0)).await;
        let mut plain: Value =
            serde_json::from_str(&sent(&server, &server.chat(), conversation(0)).await.1).unwrap();
        plain.as_object_mut().unwrap().extend(field.as_object().unwrap().clone());
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), plain);
    }
}

#[tokio::test]
async fn gemini_is_asked_by_its_path() {
    let server = Server::playing(events(&Api::Gemini.stop()), usize::MAX);
    let model = Gemini::new("models/gemini", ApiKey::new(SECRET, "K")).unwrap();
    let model = model.with_base(&server.url()).unwrap();
    let (head, body) = sent(&server, &model, conversation(1)).await;
    let path = "/v1/models/gemini:streamGenerateContent?alt=sse";
    assert!(head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{head}");
    assert!(head.contains(&format!("x-goog-api-key: {SECRET}\r\n")), "{head}");
    let content = |role: &str, text: &str| json!({"role": role, "parts": [{"text": text}]});
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "Speak §sigil.\n"}]},
        "contents": [
            content("user", "§result: \"0\" naïve 🗼\n"),
            content("model", "§call: {\"name\": \"f\"}\n§execute\n"),
            content("user", "and?"),
        ],
    });
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
    let model = model.with_temperature(0.5).with_max_tokens(9);
    let (_, body) = sent(&server, &model, conversation(0)).await;
    let config = r#""generationConfig":{"maxOutputTokens":9,"temperature":0.5}"#;
    assert!(body.contains(config), "{body}");
    ask(&model, false).await;
    let (head, _) = received(&server);
    assert!(head.starts_with("POST /v1/models/gemini:generateContent HTTP/1.1\r\n"), "{head}");
}

#[tokio::test]
async fn a_path_is_completed() {
    let streams = |api: Api| Server::playing(events(&api.stop()), usize::MAX);
    for (api, path, expected) in [
        (Api::Messages, "/", "/v1/messages"),
        (Api::Messages, "/v1/", "/v1/messages"),
        (Api::Messages, "/anthropic", "/anthropic/v1/messages"),
        (Api::Messages, "/x/messages", "/x/messages"),
        (Api::Responses, "", "/v1/responses"),
        (Api::Responses, "/openai/v1", "/openai/v1/responses"),
        (Api::Responses, "/x/responses", "/x/responses"),
        (Api::Gemini, "/v1beta/", "/v1beta/models/m:streamGenerateContent?alt=sse"),
        (Api::Gemini, "/gemini", "/gemini/v1/models/m:streamGenerateContent?alt=sse"),
        (Api::Gemini, "/vertex?x=1", "/vertex/v1/models/m:streamGenerateContent?x=1&alt=sse"),
    ] {
        let server = streams(api);
        let base = format!("{}{path}", server.url());
        let model = api.at(&base, ApiKey::new(SECRET, "K"), Timeouts::default());
        ask(&*model, true).await;
        let (head, _) = received(&server);
        assert!(head.starts_with(&format!("POST {expected} HTTP/1.1\r\n")), "{path}: {head}");
    }
}

#[test]
fn debug_hides_keys_and_name_is_the_selector() {
    let key = || ApiKey::new(SECRET, "THE_KEY");
    let messages = Messages::new("m", key()).unwrap();
    let responses = Responses::new("m", key()).unwrap();
    let gemini = Gemini::new("m", key()).unwrap();
    assert_eq!(messages.name(), "anthropic:m");
    assert_eq!(responses.name(), "openai-responses:m");
    assert_eq!(gemini.name(), "gemini:m");
    let printed = format!("{messages:?} {responses:#?} {gemini:?}");
    assert!(printed.contains("THE_KEY") && !printed.contains("canary"), "{printed}");
    for key in [ApiKey::new("", "THE_KEY"), ApiKey::new("§", "THE_KEY")] {
        assert!(Messages::new("m", key.clone()).is_err());
        assert!(Responses::new("m", key.clone()).is_err());
        assert!(Gemini::new("m", key).is_err());
    }
    assert!(messages.with_base("ftp://h").is_err());
    assert!(responses.with_base("").is_err());
    assert!(gemini.with_base("h:1").is_err());
}
