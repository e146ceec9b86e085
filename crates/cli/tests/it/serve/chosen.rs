//! The choices of a server's users for their conversations, within its owner's limits.

use serde_json::Value;

use super::Serving;
use crate::support::Sandbox;

/// Returns the values of a choice, and the current one.
fn values(server: &Serving, conversation: &str, id: &str) -> (Vec<String>, String) {
    let (status, listed) =
        server.send("GET", &format!("/conversations/{conversation}/choices"), "");
    assert_eq!(status, 200, "{listed}");
    let choice = listed["choices"].as_array().unwrap().iter().find(|choice| choice["id"] == id);
    let choice = choice.unwrap_or_else(|| panic!("{id}: {listed}"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let values = choice["values"].as_array().unwrap().iter().map(|value| text(&value["id"]));
    (values.collect(), text(&choice["chosen"]))
}

#[test]
fn conversation_keeps_its_chosen_model_and_mode() {
    let sandbox = Sandbox::new();
    let other = format!("script:{}", sandbox.write("other", "§respond: I am the other one.\n§end"));
    let args = ["--permissions", "ask", "--offer-model", &other];
    let server = Serving::start_with(&sandbox, &args);
    let (models, chosen) = values(&server, "new", "model");
    assert_eq!((models.len(), &models[1], &chosen), (2, &other, &models[0]));
    // A mode that allows more than the owner's is not offered.
    assert_eq!(values(&server, "new", "mode").0, ["ask", "read-only"]);
    assert_eq!(values(&server, "new", "effort").1, "default");
    let choose = |body: String| server.send("POST", "/conversations/new/choices", &body).0;
    assert_eq!(choose(r#"{"choices":{"mode":"full"}}"#.to_owned()), 400);
    assert_eq!(choose(r#"{"choices":{"model":"openai:gpt-5"}}"#.to_owned()), 400);
    assert_eq!(choose(format!(r#"{{"choices":{{"model":"{other}"}}}}"#)), 204);
    let prompt = r#"{"prompt":"Who are you?"}"#;
    assert_eq!(server.send("POST", "/conversations/new/runs", prompt).0, 201);
    let text = server.follow("new", r#""outcome":"answered""#);
    assert!(text.contains("I am the other one."), "{text}");

    let write = r#"{"prompt":"Write tea into tea.txt"}"#;
    let read_only = r#"{"choices":{"mode":"read-only"}}"#;
    assert_eq!(server.send("POST", "/conversations/calm/choices", read_only).0, 204);
    assert_eq!(server.send("POST", "/conversations/calm/runs", write).0, 201);
    // Nobody is asked about denied calls.
    server.follow("calm", r#""outcome":"answered""#);
    assert!(!sandbox.root().join("tea.txt").exists());
    assert_eq!(server.send("POST", "/conversations/usual/runs", write).0, 201);
    server.follow("usual", r#""outcome":"waiting""#);
}

#[test]
fn unusable_offered_model_fails_at_startup() {
    let sandbox = Sandbox::new();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--offer-model", "nobody:x"];
    let said = sandbox.silcrow(&serve);
    said.ends(2);
    assert!(said.err.contains("nobody"), "{}", said.err);
}
