use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, json};
use silcrow_mcp::{ErrorKind, Options};
use silcrow_tool::ToolSource;
use tokio::time::timeout;

use crate::{Reached, config};

#[tokio::test]
async fn changed_list_is_read_again() {
    let mut reached = Reached::start(&[]).await;
    let before = reached.servers.changes();
    reached.text("grow", json!({})).await;
    reached.servers.refresh(Duration::from_secs(20)).await;
    assert_ne!(reached.servers.changes(), before);
    reached.list();
    assert_eq!(reached.text("later", json!({"text": "here"})).await, "here");
}

#[tokio::test]
async fn many_tools_are_names_and_a_search() {
    let reached = Reached::start(&["many"]).await;
    let tool = &reached.tools["many_7"];
    assert_eq!(tool.description(), "Does the thing 7.");
    assert_eq!(tool.schema(), r#"{"type":"object"}"#);
    let found = reached.text("tool_search", json!({"query": "many_7 thing"})).await;
    assert!(found.starts_with("test.many_7: Does the thing 7. And more than that."), "{found}");
    assert!(found.contains(r#""required":["x"]"#), "{found}");
    let why = reached.failure("many_7").await;
    assert!(why.contains("`x`") && why.contains("the schema of the arguments is {"), "{why}");
    let few = Reached::start(&[]).await;
    assert!(!few.tools.contains_key("tool_search"));
}

#[tokio::test]
async fn prompts_and_resources_are_texts() {
    for way in ["", "modern"] {
        let reached = Reached::with(config(&[way]), Options::default()).await;
        let servers = &reached.servers;
        let prompt = &servers.prompts()[0];
        assert_eq!((&*prompt.name, &*prompt.args), ("greet", &[("who".to_owned(), true)][..]));
        let args = Map::from_iter([("who".to_owned(), json!("Ann"))]);
        assert_eq!(servers.prompt("test", "greet", args).await.unwrap().text, "Greet Ann.");
        let read = servers.read_resource("test", "note://1").await.unwrap();
        assert_eq!(read.text, r#"the text of "note://1""#);
        let error = servers.read_resource("other", "note://1").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}

#[tokio::test]
async fn source_returns_same_list_until_change() {
    let reached = Reached::start(&[]).await;
    let listed = || ToolSource::tools(&reached.servers);
    let first = listed().await;
    assert!(Arc::ptr_eq(&first, &listed().await));
    reached.text("grow", json!({})).await;
    let later = async {
        loop {
            let now = listed().await;
            if now.iter().any(|tool| tool.name() == "test.later") {
                return now;
            }
        }
    };
    let now = timeout(Duration::from_secs(20), later).await.unwrap();
    assert_eq!(now.len(), first.len() + 1);
    let wanted = reached.servers.tools_where(|name| name == "test.echo");
    assert_eq!(wanted.iter().map(|tool| tool.name()).collect::<Vec<_>>(), ["test.echo"]);
}

#[tokio::test]
async fn resources_are_listed() {
    for way in ["", "modern"] {
        let reached = Reached::start(&[way]).await;
        let listed = reached.servers.resources("test").await.unwrap();
        assert_eq!((&*listed[0].uri, listed.len()), ("note://1", 1));
        let program = reached.servers.statuses()[0].program.clone();
        assert_eq!(program.as_deref(), Some("test 1"));
    }
}

#[tokio::test]
async fn repeated_cursor_ends_list_with_notice() {
    let reached = Reached::start(&["stuck"]).await;
    assert_eq!(reached.text("echo", json!({"text": "here"})).await, "here");
    let status = reached.servers.statuses().remove(0);
    let names = status.tools.len();
    assert_eq!(names, status.tools.iter().collect::<std::collections::BTreeSet<_>>().len());
    let told = "test: the list of tools ends here, because its server sent the same cursor twice";
    assert!(status.notices.iter().any(|notice| notice == told), "{:?}", status.notices);
}
