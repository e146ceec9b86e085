//! The model without tools that chat clients ask for titles and tags.

use serde_json::{Value, json};

use super::Serving;
use crate::follow::model::Model;
use crate::support::Sandbox;

/// A request of a chat client.
fn request(model: &str, said: &[(&str, &str)]) -> String {
    let said = said.iter().map(|(role, content)| json!({ "role": role, "content": content }));
    json!({ "model": model, "messages": said.collect::<Vec<_>>() }).to_string()
}

/// Sends a request in a thread, lets the model answer it, and returns the model's request and the
/// client's response.
fn complete(server: &Serving, model: &Model, headers: &str, sent: &str, said: &str) -> [Value; 2] {
    std::thread::scope(|threads| {
        let path = "/v1/chat/completions";
        let answer = threads.spawn(|| server.send_with("POST", path, headers, sent));
        let mut asked = model.asked();
        asked.send_text(said);
        let request = asked.request.split_once("\r\n\r\n").unwrap().1;
        let request = serde_json::from_str(request).unwrap();
        asked.end();
        let (status, answer) = answer.join().unwrap();
        assert_eq!(status, 200, "{answer}");
        [request, answer]
    })
}

#[test]
fn title_requests_run_without_tools_or_storage() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let server = Serving::start_with(&sandbox, &["--model", &model.name()]);
    let (_, models) = server.send("GET", "/v1/models", "");
    let ids = [&models["data"][0]["id"], &models["data"][1]["id"]];
    assert_eq!(ids, ["silcrow", "silcrow-plain"], "{models}");

    let chat = "x-openwebui-chat-id: c1\r\n";
    let prompt = request("silcrow", &[("user", "How tall is it?")]);
    let [asked, _] = complete(&server, &model, chat, &prompt, "§respond: 8,849 m\n§end");
    assert!(asked.to_string().contains("- `file_read`:"), "{asked}");

    let task = "x-openwebui-chat-id: c1\r\nx-silcrow-task: title_generation\r\n";
    let sent = request("silcrow", &[("user", "Find a title.")]);
    let titled = "§respond: {\"title\": \"Everest\"}\n§end";
    let [asked, answer] = complete(&server, &model, task, &sent, titled);
    assert!(!asked.to_string().contains("- `file_read`:"), "{asked}");
    assert!(!asked.to_string().contains("How tall"), "{asked}");
    let content = &answer["choices"][0]["message"]["content"];
    assert_eq!(content, "{\"title\": \"Everest\"}");
    let sent = request("silcrow-plain", &[("user", "Find tags.")]);
    let [asked, answer] = complete(&server, &model, "", &sent, "§respond: mountains\n§end");
    assert!(asked.to_string().contains("Find tags."), "{asked}");
    assert!(!asked.to_string().contains("Everest"), "{asked}");
    assert_eq!(answer["model"], "silcrow-plain");

    let (_, listed) = server.send("GET", "/conversations", "");
    assert_eq!(listed["conversations"].as_array().unwrap().len(), 1, "{listed}");
    let exported = sandbox.silcrow(&["log", "--json", "export"]).out;
    assert!(exported.contains("How tall") && !exported.contains("Find t"), "{exported}");
}
