use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use silcrow_event::TraceParent;
use silcrow_mcp::Options;
use silcrow_tool::{ApprovalNeed, CallContext, Scope, Spill, ToolArgs, ToolError};

use crate::{Reached, config};

#[tokio::test]
async fn a_tool_answers_in_either_revision() {
    for (way, revision) in [("modern", "2026-07-28"), ("", "2025-11-25")] {
        let reached = Reached::start(&[way]).await;
        let status = &reached.servers.statuses()[0];
        assert_eq!(status.revision.as_deref(), Some(revision), "{status:?}");
        assert_eq!(reached.text("echo", json!({"text": "hello"})).await, "hello");
        assert_eq!(status.notices.len(), 1, "{status:?}");
        reached.servers.close().await;
    }
}

#[tokio::test]
async fn results_are_text_json_and_failures() {
    let reached = Reached::start(&[]).await;
    assert_eq!(reached.text("structured", json!({})).await, r#"{"sum":5}"#);
    let structured = reached.call("structured", json!({})).await.unwrap();
    assert_eq!(structured.value.unwrap().as_str(), r#"{"sum":5}"#);
    assert_eq!(reached.text("noisy", json!({})).await, "after noise");
    assert_eq!(reached.failure("fail").await, "it did not work");
    let image = reached.call("image", json!({})).await.unwrap();
    assert_eq!(image.content.text(), "a picture");
    assert_eq!(image.notices, ["an image (image/png, 3 bytes) is left out"]);
    assert_eq!(reached.text("huge", json!({})).await.len(), 200_000);
    assert!(reached.tools["huge"].policy().output_cap.unwrap() < 200_000);
    let log = &reached.servers.statuses()[0].log;
    assert_eq!(log[..2], ["a greeting", "and a warning"]);
}

#[tokio::test]
async fn images_are_stored_in_configured_media_store() {
    #[derive(Default)]
    struct Shelf(Mutex<Vec<u8>>);
    impl Spill for Shelf {
        fn keep<'a>(
            &'a self,
            _: &'a CallContext,
            _: &'a str,
        ) -> BoxFuture<'a, Result<String, ToolError>> {
            async { Err(ToolError::new("only images")) }.boxed()
        }

        fn keep_bytes<'a>(
            &'a self,
            _: &'a CallContext,
            extension: &'a str,
            bytes: &'a [u8],
        ) -> BoxFuture<'a, Result<String, ToolError>> {
            self.0.lock().unwrap().extend(bytes);
            async move { Ok(format!("shelf.{extension}")) }.boxed()
        }
    }
    let shelf = Arc::new(Shelf::default());
    let mut options = Options::default();
    options.spill = Some(shelf.clone());
    let reached = Reached::with(config(&[]), options).await;
    let image = reached.call("image", json!({})).await.unwrap();
    assert_eq!(image.notices, ["an image (image/png, 3 bytes) is kept as shelf.png"]);
    assert_eq!(*shelf.0.lock().unwrap(), [0, 1, 2]);
}

#[tokio::test]
async fn hints_apply_only_to_trusted_servers() {
    let untrusted = Reached::start(&[]).await;
    let policy = untrusted.tools["die_reading"].policy();
    assert!(!policy.read_only && policy.approval == ApprovalNeed::Always);
    let trusted = Reached::with(config(&[]).with_trust(true), Options::default()).await;
    assert!(trusted.tools["die_reading"].policy().may_start_early());
    assert_eq!(trusted.tools["echo"].policy().approval, ApprovalNeed::Always);
}

#[tokio::test]
async fn environment_holds_only_declared_variables() {
    let reached = Reached::start(&[]).await;
    let names = reached.text("variables", json!({})).await;
    assert!(names.split(' ').any(|name| name == "PATH"), "{names}");
    // Cargo sets it for this process.
    assert!(!names.contains("CARGO_MANIFEST_DIR"), "{names}");
}

#[tokio::test]
async fn traced_call_passes_span_to_server() {
    for way in ["modern", ""] {
        let reached = Reached::start(&[way]).await;
        assert_eq!(reached.text("traced", json!({})).await, "null");
        let around = TraceParent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        let scope = Scope::new("c1").with_trace(around.unwrap());
        let context = CallContext::new(scope, "1");
        let called = reached.tools["traced"].call(ToolArgs::new("{}"), &context).await.unwrap();
        let told = context.trace_parent().unwrap().to_string();
        assert!(told.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-") && told.ends_with("-01"));
        assert_eq!(called.content.text(), format!("{told:?}"));
        reached.servers.close().await;
    }
}
