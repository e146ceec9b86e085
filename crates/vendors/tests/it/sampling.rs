//! The sampling fields that each API sends, and the ones that it leaves out.

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use silcrow_event::{Message, Role};
use silcrow_provider::{Effort, Provider, Request, Sampling, SamplingField, ThinkingDisplay};
use silcrow_vendors::{
    ApiKey, ChatApi, Gemini, GeminiApi, InteractionsApi, Live, LiveApi, MessagesApi, Realtime,
    RealtimeApi, ResponsesApi,
};

use crate::server::{Server, events, long};
use crate::socket::Wire;
use crate::wire::{Api, SECRET};

fn everything() -> Sampling {
    let mut sampling = Sampling::new();
    sampling.temperature = Some(0.5);
    sampling.max_tokens = Some(9);
    sampling.effort = Some(Effort::Low);
    sampling.thinking_budget = Some(5);
    sampling.thinking_display = Some(ThinkingDisplay::Detailed);
    sampling.seed = Some(7);
    sampling.stop = vec!["END".to_owned()];
    sampling
}

fn request() -> Request {
    Request::new(vec![Message::new(Role::User, "hi")]).with_sampling(everything())
}

async fn sent(api: Api, sampling: Sampling) -> Value {
    let server = Server::playing(events(&api.stop()), usize::MAX);
    api.model(&server).stream(request().with_sampling(sampling)).count().await;
    let request = server.requests.try_recv().unwrap();
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// The fields that each API has, with the value of each, and the list that it publishes.
fn table(api: Api) -> (Vec<(SamplingField, &'static str, Value)>, &'static [SamplingField]) {
    use SamplingField::{
        Effort, MaxTokens, Seed, Stop, Temperature, ThinkingBudget, ThinkingDisplay,
    };
    let (half, nine, seven, end) = (json!(0.5), json!(9), json!(7), json!(["END"]));
    match api {
        Api::Chat => (
            vec![
                (Temperature, "/temperature", half),
                (MaxTokens, "/max_completion_tokens", nine),
                (Effort, "/reasoning_effort", json!("low")),
                (Seed, "/seed", seven),
                (Stop, "/stop", end),
            ],
            ChatApi::SAMPLING,
        ),
        Api::Messages => (
            vec![
                (Temperature, "/temperature", half),
                (MaxTokens, "/max_tokens", nine),
                (Effort, "/output_config/effort", json!("low")),
                (ThinkingBudget, "/thinking/budget_tokens", json!(5)),
                (ThinkingDisplay, "/thinking/display", json!("summarized")),
                (Stop, "/stop_sequences", end),
            ],
            MessagesApi::SAMPLING,
        ),
        Api::Responses => (
            vec![
                (Temperature, "/temperature", half),
                (MaxTokens, "/max_output_tokens", nine),
                (Effort, "/reasoning/effort", json!("low")),
                (ThinkingDisplay, "/reasoning/summary", json!("detailed")),
            ],
            ResponsesApi::SAMPLING,
        ),
        Api::Gemini => (
            vec![
                (Temperature, "/generationConfig/temperature", half),
                (MaxTokens, "/generationConfig/maxOutputTokens", nine),
                (Effort, "/generationConfig/thinkingConfig/thinkingLevel", json!("LOW")),
                (ThinkingBudget, "/generationConfig/thinkingConfig/thinkingBudget", json!(5)),
                (ThinkingDisplay, "/generationConfig/thinkingConfig/includeThoughts", json!(true)),
                (Seed, "/generationConfig/seed", seven),
                (Stop, "/generationConfig/stopSequences", end),
            ],
            GeminiApi::SAMPLING,
        ),
        Api::Interactions => (
            vec![
                (Temperature, "/generation_config/temperature", half),
                (MaxTokens, "/generation_config/max_output_tokens", nine),
                (Effort, "/generation_config/thinking_level", json!("low")),
                (ThinkingDisplay, "/generation_config/thinking_summaries", json!("auto")),
                (Seed, "/generation_config/seed", seven),
                (Stop, "/generation_config/stop_sequences", end),
            ],
            InteractionsApi::SAMPLING,
        ),
    }
}

#[tokio::test]
async fn each_api_sends_its_supported_sampling_fields() {
    for api in Api::ALL {
        let (rows, published) = table(api);
        let body = sent(api, everything()).await;
        for (field, path, value) in &rows {
            // Gemini rejects an effort beside a budget.
            let is_replaced = matches!(api, Api::Gemini) && *field == SamplingField::Effort;
            let expected = Some(value).filter(|_| !is_replaced);
            assert_eq!(body.pointer(path), expected, "{api:?}, {field}: {body}");
        }
        let fields: Vec<_> = rows.iter().map(|(field, ..)| *field).collect();
        assert_eq!(fields, published, "{api:?}");
        // A field that the API lacks changes nothing.
        let has = |field: &SamplingField| fields.contains(field);
        let others = SamplingField::ALL.into_iter().filter(|field| !has(field));
        let bare = others.fold(everything(), Sampling::without);
        assert_eq!(sent(api, bare).await, body, "{api:?}");
        // Each is sent alone, too, and nothing is sent if nothing is set.
        let none = sent(api, Sampling::new()).await;
        for (field, path, _) in &rows {
            let rest = SamplingField::ALL.into_iter().filter(|other| other != field);
            let body = sent(api, rest.fold(everything(), Sampling::without)).await;
            assert_ne!(body.pointer(path), none.pointer(path), "{api:?}, {field}");
        }
    }
}

#[tokio::test]
async fn request_sampling_wins_over_model_sampling() {
    let server = Server::playing(events(&Api::Gemini.stop()), usize::MAX);
    let model = Gemini::new("m", ApiKey::new(SECRET, "K")).unwrap();
    let model = model.with_base(&server.url()).unwrap().with_temperature(1.0).with_max_tokens(1);
    let mut sampling = Sampling::new();
    sampling.temperature = Some(0.0);
    model.stream(request().with_sampling(sampling)).count().await;
    let request = server.requests.try_recv().unwrap();
    assert!(request.contains(r#"{"maxOutputTokens":1,"temperature":0.0}"#), "{request}");
}

/// Opens a session, and returns the first text that it sends.
async fn first_text<P: Provider>(model: impl FnOnce(&str) -> P, hello: &'static str) -> Value {
    let wire = Wire::start(move |mut line| async move {
        line.send_events(hello).await;
        line.receive().await;
    })
    .await;
    // The server leaves after the first text.
    let _ = model(&wire.url()).connect(request()).unwrap().await;
    wire.take().remove(0)
}

#[tokio::test]
async fn session_setup_has_its_supported_sampling_fields() {
    let key = || ApiKey::new(SECRET, "K");
    let live = first_text(
        |url| Live::new("m", key()).unwrap().with_base(url).unwrap().with_timeouts(long()),
        r#"{}"#,
    )
    .await;
    let config = json!({
        "responseModalities": ["TEXT"], "maxOutputTokens": 9, "temperature": 0.5, "seed": 7,
    });
    assert_eq!(live["setup"]["generationConfig"], config);
    assert_eq!(LiveApi::SAMPLING.len(), 3);
    let realtime = first_text(
        |url| Realtime::new("m", key()).unwrap().with_base(url).unwrap().with_timeouts(long()),
        r#"{"type":"session.created","session":{}}"#,
    )
    .await;
    assert_eq!(realtime["session"]["max_output_tokens"], 9);
    for word in ["temperature", "seed", "effort", "END"] {
        assert!(!realtime.to_string().contains(word), "{realtime}");
    }
    assert_eq!(RealtimeApi::SAMPLING, [SamplingField::MaxTokens]);
}
