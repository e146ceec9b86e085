//! Answers of callers who do not stream.

use std::sync::Arc;

use silcrow_agent::{Agent, ErrorKind};
use silcrow_event::ResultStatus;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, Scope};

use crate::support::{echo, toolbox, with};

#[tokio::test]
async fn answer_has_text_and_calls_without_thoughts() {
    let script = "§think: hm\n§respond: Let me look.\n§call: {\"name\":\"echo\",\"args\":{\"n\":1}}\n\
                  §call: {\"name\":\"none\"}\n§execute\n%%\n\
                  §think: so\n§respond: It is 1.\n§respond: Really.\n§end";
    let agent = Agent::new(ScriptedModel::parse(script, 3), MemoryStore::new())
        .with_tools(toolbox([with(echo("echo"))]));
    let answer = agent.ask("go").await.unwrap();
    assert_eq!(answer.text, "It is 1.\n\nReally.");
    let calls: Vec<_> = answer
        .calls
        .iter()
        .map(|answered| (answered.call.name(), answered.result.as_ref().unwrap()))
        .map(|(name, result)| (name, result.status(), result.content.text()))
        .collect();
    assert_eq!(calls[0], ("echo", ResultStatus::Success, "{\"n\":1}".into()));
    assert_eq!((calls.len(), calls[1].1), (2, ResultStatus::Failure));
    // Two requests, which are estimated if the model reports nothing.
    assert!(answer.usage.input > 0 && answer.usage.output > 0, "{:?}", answer.usage);
}

#[tokio::test]
async fn question_without_conversation_begins_one() {
    let script = "§respond: one\n§end\n%%\n§respond: two\n§end\n%%\n§respond: three\n§end";
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(ScriptedModel::parse(script, 3), Arc::clone(&store));
    let first = agent.ask("a").await.unwrap();
    let second = agent.ask("b").await.unwrap();
    assert_ne!(first.conversation, second.conversation);
    let third = agent.ask_in(&*first.conversation, "c").await.unwrap();
    assert_eq!((&*third.text, &third.conversation), ("three", &first.conversation));
    assert_eq!(store.head(&first.conversation).await.unwrap(), 4);
    assert_eq!(store.head(&second.conversation).await.unwrap(), 2);
}

#[tokio::test]
async fn a_cancelled_question_has_no_answer() {
    let agent = Agent::new(ScriptedModel::parse("§respond: one\n§end", 3), MemoryStore::new());
    let stop = CancellationToken::new();
    stop.cancel();
    let error = agent.ask_in(Scope::new("c").with_cancellation(stop), "go").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert!(!error.is_retryable());
}
