use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, json};
use silcrow_mcp::{Elicitation, ElicitationAnswer, Elicitor, Options};

use crate::{Reached, config};

/// A person who likes blue, and thinks for longer than a call may take.
struct SlowPerson;

impl Elicitor for SlowPerson {
    fn elicit(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        assert_eq!((&*question.server, &*question.message), ("test", "Which colour?"));
        assert_eq!(question.conversation.as_deref(), Some("c1"));
        let field = &question.fields[0];
        assert!(field.name == "colour" && field.is_required);
        async {
            tokio::time::sleep(Duration::from_millis(900)).await;
            ElicitationAnswer::Accept(Map::from_iter([("colour".to_owned(), json!("blue"))]))
        }
        .boxed()
    }
}

#[tokio::test]
async fn elicitation_pauses_call_timeout_in_both_revisions() {
    for way in ["", "modern"] {
        let mut options = Options::default();
        options.elicitor = Some(Arc::new(SlowPerson));
        let config = config(&[way]).with_timeout(Duration::from_millis(600));
        let reached = Reached::with(config, options).await;
        let answer = reached.text("ask", json!({})).await;
        assert_eq!(answer, r#"{"action":"accept","content":{"colour":"blue"}}"#);
    }
}

#[tokio::test]
async fn elicitation_without_person_is_declined() {
    for way in ["", "modern"] {
        let reached = Reached::start(&[way]).await;
        let answer = reached.text("ask", json!({})).await;
        assert_eq!(answer, r#"{"action":"decline"}"#);
    }
}
