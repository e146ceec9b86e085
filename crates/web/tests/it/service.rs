//! An HTTP API as a tool: its requests, and the addresses that it never reaches.

use silcrow_event::Json;
use silcrow_tool::{
    CallContext, ServiceOperation, ServiceParameter, Tool as _, ToolArgs, ToolOutput,
};
use silcrow_web::{Fetcher, HttpOperation, HttpService, SearchKey};

use crate::server::{Answer, TestServer, page, redirect};

fn operation(name: &str, parameters: &[&str], method: &str, path: &str) -> HttpOperation {
    let parameters = parameters.iter().map(|text| ServiceParameter::parse(text).unwrap());
    let operation = ServiceOperation::new(name, "", parameters);
    HttpOperation::new(operation, method, path).unwrap()
}

fn service(base: &str, fetcher: Fetcher) -> HttpService {
    let operations = [
        operation(
            "forecast",
            &["city", "days:integer?", "units?"],
            "GET",
            "cities/{city}/forecast",
        ),
        operation("book", &["room", "guests:array"], "POST", "rooms/{room}"),
    ];
    let service = HttpService::new("weather", "The weather.", base, operations).unwrap();
    let key = SearchKey::new("Bearer hunter2").unwrap();
    service.with_fetcher(fetcher).with_key("authorization", key).unwrap()
}

async fn call(service: &HttpService, args: &str) -> Result<ToolOutput, String> {
    let context = CallContext::new("c", "a1");
    service.call(ToolArgs::new(args), &context).await.map_err(|error| error.into_words())
}

#[tokio::test]
async fn parameters_fill_path_query_and_body() {
    let server = TestServer::with_page("application/json", r#"{"degrees":[20,21]}"#).await;
    let weather = service(&server.url("/v1/"), server.fetcher());
    let args = r#"{"operation":"forecast","city":"a b/..?","days":2,"units":["c","f"]}"#;
    let output = call(&weather, args).await.unwrap();
    assert_eq!(output.value, Json::parse(r#"{"degrees":[20,21]}"#));
    assert_eq!((&*output.summary, output.has_failed), ("status 200", false));
    call(&weather, r#"{"operation":"book","room":"7","guests":["Ada"]}"#).await.unwrap();
    let requests = server.requests();
    let line = "GET /v1/cities/a%20b%2F..%3F/forecast?days=2&units=c&units=f HTTP/1.1\r\n";
    assert_eq!(requests[0].split_inclusive('\n').next(), Some(line));
    assert!(requests[0].contains("authorization: Bearer hunter2"), "{}", requests[0]);
    assert!(requests[1].starts_with("POST /v1/rooms/7 "), "{}", requests[1]);
    assert!(requests[1].ends_with(r#"{"guests":["Ada"]}"#), "{}", requests[1]);
}

#[tokio::test]
async fn requests_stay_within_base_and_public_addresses() {
    let server = TestServer::with_page("text/plain", "secret").await;
    let weather = service(&server.url("/v1"), server.fetcher());
    for city in ["..", ".", ""] {
        let why = call(&weather, &format!(r#"{{"operation":"forecast","city":"{city}"}}"#)).await;
        assert!(why.unwrap_err().contains("which no path has"));
    }
    // The same server without a person's word for it.
    let weather = service(&server.url("/v1"), Fetcher::new());
    let why = call(&weather, r#"{"operation":"forecast","city":"Bern"}"#).await.unwrap_err();
    assert!(why.contains("not public"), "{why}");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn failed_status_fails_call_without_leaking_key() {
    let server = TestServer::start(|target| match target {
        "/cities/gone/forecast" => {
            let answer = String::from_utf8(page("text/plain", b"no such city")).unwrap();
            Answer::Bytes(answer.replace("200 OK", "404 Not Found").into_bytes())
        }
        "/cities/moved/forecast" => redirect(302, "http://127.0.0.2:80/"),
        _ => redirect(307, "/elsewhere"),
    })
    .await;
    let weather = service(&server.url(""), server.fetcher());
    let gone = call(&weather, r#"{"operation":"forecast","city":"gone"}"#).await.unwrap();
    assert_eq!((gone.has_failed, &*gone.content.text()), (true, "no such city"));
    let why = call(&weather, r#"{"operation":"forecast","city":"moved"}"#).await.unwrap_err();
    assert!(why.contains("not public") && !why.contains("hunter2"), "{why}");
    // A request that changes something is not sent a second time.
    let moved = call(&weather, r#"{"operation":"book","room":"7","guests":[]}"#).await.unwrap();
    assert_eq!(moved.summary, "status 307");
    assert!(!format!("{weather:?}").contains("hunter2"));
}

#[tokio::test]
async fn invalid_call_sends_nothing() {
    let server = TestServer::with_page("text/plain", "x").await;
    let weather = service(&server.url(""), server.fetcher());
    for (args, why) in [
        (r#"{}"#, "`operation` is missing: one of `forecast`, `book`"),
        (r#"{"operation":"forcast","city":"x"}"#, "unknown operation `forcast`"),
        (r#"{"operation":"forecast"}"#, "`forecast` needs `city`"),
        (r#"{"operation":"forecast","city":"x","days":"2"}"#, "not of the type integer"),
        (r#"{"operation":"forecast","city":"x","room":"7"}"#, "has no parameter `room`"),
    ] {
        let said = call(&weather, args).await.unwrap_err();
        assert!(said.contains(why), "{args}: {said}");
    }
    assert_eq!(server.connections(), 0);
    let context = CallContext::new("c", "a1");
    let args = ToolArgs::new(r#"{"operation":"forecast","city":"Bern"}"#);
    let preview = weather.preview(args, &context).await.unwrap();
    assert_eq!(preview.scope, "forecast of weather");
    assert_eq!(preview.target.unwrap(), format!("GET {}", server.url("/cities/Bern/forecast")));
}

#[test]
fn path_parameters_must_be_required() {
    let operation = |path: &str| {
        let parameters = ["city?"].map(|text| ServiceParameter::parse(text).unwrap());
        let operation = ServiceOperation::new("forecast", "", parameters);
        HttpOperation::new(operation, "GET", path).unwrap_err().to_string()
    };
    assert!(operation("cities/{city}").contains("needs `city`, a parameter without `?`"));
    assert!(operation("../{city}").contains("the path has `..`"));
    assert!(HttpService::new("x", "", "file:///etc", []).is_err());
}
