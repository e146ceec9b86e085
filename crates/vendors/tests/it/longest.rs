//! The maximum length of an answer of Messages, if nothing limits it.

use futures_util::StreamExt as _;
use serde_json::Value;
use silcrow_event::Message;
use silcrow_provider::{Provider as _, Request};
use silcrow_vendors::{ApiKey, ListedLimits, ListedModel, Messages};

use crate::server::{Server, events, finish};

fn server() -> Server {
    Server::playing(events(&finish("stop")), usize::MAX)
}

/// Returns the body of a request.
async fn sent(model: &Messages, server: &Server, request: Request) -> Value {
    model.stream(request).count().await;
    let request = server.requests.try_recv().unwrap();
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn listed_answer_limit_wins_over_the_table() {
    let server = server();
    let key = ApiKey::new("sk-test", "ANTHROPIC_API_KEY");
    let limits = ListedLimits::default();
    let model = Messages::new("claude-opus-4-5", key).unwrap().with_base(&server.url()).unwrap();
    let model = model.with_listed_limits(limits.clone());
    let most = async || {
        let body = sent(&model, &server, Request::new(vec![Message::user("hi")])).await;
        body["max_tokens"].as_u64().unwrap()
    };
    assert_eq!(most().await, 64_000);
    let mut listed = ListedModel::new("claude-opus-4-5");
    listed.output = Some(100_000);
    limits.learn("anthropic:claude-opus-4-5", listed.clone());
    assert_eq!(most().await, 100_000);
    listed.window = Some(50_000);
    limits.learn("anthropic:claude-opus-4-5", listed);
    assert_eq!(most().await, 50_000);
}

#[tokio::test]
async fn messages_limit_is_model_maximum_within_the_window() {
    let server = server();
    let most = async |name: &str, text: String| {
        let key = ApiKey::new("sk-test", "ANTHROPIC_API_KEY");
        let model = Messages::new(name, key).unwrap().with_base(&server.url()).unwrap();
        let body = sent(&model, &server, Request::new(vec![Message::user(text)])).await;
        body["max_tokens"].as_u64().unwrap()
    };
    assert_eq!(most("m", "hi".to_owned()).await, 16_384);
    assert_eq!(most("claude-opus-4-5", "hi".to_owned()).await, 64_000);
    assert_eq!(most("claude-opus-4-8", "hi".to_owned()).await, 128_000);
    // 150,000 tokens of 200,000 are read.
    assert_eq!(most("claude-opus-4-5", "abc".repeat(150_000)).await, 50_000);
    assert_eq!(most("claude-opus-4-5", "abc".repeat(250_000)).await, 4_096);
}
