//! The marks around outputs of tools, over the requests of several runs.

use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_event::Message;
use silcrow_provider::ScriptedModel;
use silcrow_store::MemoryStore;
use silcrow_tool::CancellationToken;

use crate::injection::RecordedContext;
use crate::support::{echo, run, toolbox, with};

const SCRIPT: &str = "§call: {\"name\":\"say\",\"args\":{\"n\":1}}\n§execute\n%%\n\
                      §call: {\"name\":\"say\",\"args\":{\"n\":2}}\n§execute\n%%\n§respond: one\n§end\n%%\n\
                      §call: {\"name\":\"say\",\"args\":{\"n\":3}}\n§execute\n%%\n§respond: two\n§end";

/// Makes two runs of a conversation, and returns the messages of each request.
async fn asked(data_marks: bool) -> Vec<Vec<Message>> {
    let store = Arc::new(MemoryStore::new());
    let context = RecordedContext::default();
    let agent = Agent::new(ScriptedModel::parse(SCRIPT, 1), Arc::clone(&store))
        .with_tools(toolbox([with(echo("say"))]))
        .with_context(context.clone())
        .with_data_marks(data_marks);
    for prompt in ["go", "again"] {
        run(&agent, &store, prompt, &CancellationToken::new()).await.ended.unwrap();
    }
    let asked = context.asked.lock().unwrap();
    asked.clone()
}

#[tokio::test]
async fn longer_history_changes_no_earlier_byte() {
    let asked = asked(true).await;
    assert_eq!(asked.len(), 5);
    for (earlier, later) in asked.iter().zip(&asked[1..]) {
        assert_eq!(earlier[..], later[..earlier.len()]);
    }
    let marks = asked[4].iter().filter_map(|message| {
        let text = message.text();
        Some(text.strip_prefix("[data ")?[..8].to_owned())
    });
    let mut marks: Vec<_> = marks.collect();
    assert_eq!(marks.len(), 3, "{:?}", asked[4]);
    marks.sort();
    marks.dedup();
    assert_eq!(marks.len(), 3, "each turn has one of its own");
    assert!(asked[0][0].text().contains("`[data X]`"));
}

#[tokio::test]
async fn marks_differ_between_equal_conversations() {
    let (one, other) = (asked(true).await, asked(true).await);
    assert_eq!(one[0], other[0], "the system prompt is the same");
    assert_ne!(one[1][3], other[1][3]);
}

#[tokio::test]
async fn marks_may_be_left_out() {
    let all = asked(false).await;
    assert!(all.iter().flatten().all(|message| !message.text().contains("[data ")));
}
