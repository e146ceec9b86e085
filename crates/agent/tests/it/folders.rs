//! The folder and the name of a conversation, as runs store them and skip them.

use std::sync::Arc;

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::Event;
use silcrow_provider::{Error, ErrorKind, ScriptedModel};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, ToolOutput};

use crate::support::{Answer, DeltaModel, Ran, run, tool};

#[tokio::test]
async fn prompts_record_canonical_root_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, link) = (dir.path().join("project"), dir.path().join("link"));
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink(&folder, &link).unwrap();
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::parse("§respond: yes\n§end", 1);
    let agent = Agent::new(model, Arc::clone(&store)).with_root(link.join("."), "7:1");
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    let folder = folder.canonicalize().unwrap();
    assert_eq!(ran.stored[0].folder.as_deref(), folder.to_str());
    assert!(ran.stored[1..].iter().all(|entry| entry.folder.is_none()));
}

#[tokio::test]
async fn waiting_prompt_is_found_before_a_title() {
    let failure = Answer { deltas: vec![Err(Error::new(ErrorKind::Network, "no"))], hangs: false };
    let store = Arc::new(MemoryStore::new());
    let failing = Agent::new(DeltaModel::new([failure]), Arc::clone(&store));
    run(&failing, &store, "go", &CancellationToken::new()).await.ended.unwrap_err();
    store.append("c", 2, vec![Event::title("seals").into()]).await.unwrap();
    let model = ScriptedModel::parse("§respond: yes\n§end", 1);
    let agent = Agent::new(model, Arc::clone(&store));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(Ran::types(&ran.stored), ["user", "failed", "title", "respond"]);
}

#[tokio::test]
async fn conversation_is_named_during_a_run() {
    let store = Arc::new(MemoryStore::new());
    let shared = Arc::clone(&store);
    let rename = tool("rename", move |_, _| {
        let store = Arc::clone(&shared);
        async move {
            let head = store.head("c").await.unwrap();
            store.append("c", head, vec![Event::title("seals").into()]).await.unwrap();
            Ok(ToolOutput::new("renamed", "renamed"))
        }
        .boxed()
    });
    let script = "§call: {\"name\":\"rename\"}\n§execute\n%%\n§respond: yes\n§end";
    let agent = Agent::new(ScriptedModel::parse(script, 1), Arc::clone(&store));
    let agent = agent.with_tool(rename).unwrap();
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    assert_eq!(Ran::types(&ran.stored), ["user", "call", "title", "result", "respond"]);
}
