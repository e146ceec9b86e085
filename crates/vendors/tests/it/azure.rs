//! Deployments in Azure.

use std::time::Duration;

use serde_json::Value;
use silcrow_provider::{FinishReason, Provider as _};
use silcrow_vendors::{ApiKey, Chat};

use crate::server::{Server, ask, chunk, events, finish};
use crate::wire::SECRET;

#[tokio::test]
async fn azure_uses_its_own_header_and_version() {
    for (base, version, path) in [
        ("", None, "/openai/v1/chat/completions"),
        ("/openai/v1/", None, "/openai/v1/chat/completions"),
        (
            "/",
            Some("2024-10-21"),
            "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21",
        ),
    ] {
        let server = Server::playing(events(&(chunk("a") + &finish("stop"))), usize::MAX);
        let url = format!("{}{base}", server.url());
        let chat = Chat::azure(&url, "my gpt", version, ApiKey::new(SECRET, "THE_KEY")).unwrap();
        assert_eq!(chat.name(), "azure:my gpt");
        assert_eq!(ask(&chat, true).await.finish, Some(FinishReason::Stop));
        let asked = server.requests.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(asked.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{asked}");
        assert!(asked.contains(&format!("api-key: {SECRET}\r\n")), "{asked}");
        assert!(!asked.to_ascii_lowercase().contains("authorization"), "{asked}");
        let body: Value = serde_json::from_str(asked.split_once("\r\n\r\n").unwrap().1).unwrap();
        assert_eq!(body["model"], "my gpt");
        assert_eq!(body.get("prompt_cache_key").is_some(), version.is_none());
    }
}
