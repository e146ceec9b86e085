//! The texts of each API over a WebSocket, in small pieces.

use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, Error, FinishReason, OpeningSession, Provider, Request, Session};
use silcrow_vendors::{ApiKey, Live, Realtime, Responses, Timeouts};

use crate::server::Given;
use crate::wire::SECRET;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Talk {
    Responses,
    Realtime,
    Live,
}

impl Talk {
    pub(crate) const ALL: [Self; 3] = [Self::Responses, Self::Realtime, Self::Live];

    pub(crate) fn model(self, url: &str, timeouts: Timeouts) -> Box<dyn Provider> {
        let key = ApiKey::new(SECRET, "THE_KEY");
        match self {
            Self::Responses => {
                let model = Responses::new("m", key).unwrap().with_base(url).unwrap();
                Box::new(model.with_timeouts(timeouts))
            }
            Self::Realtime => {
                let model = Realtime::new("m", key).unwrap().with_base(url).unwrap();
                Box::new(model.with_timeouts(timeouts))
            }
            Self::Live => {
                let model = Live::new("m", key).unwrap().with_base(url).unwrap();
                Box::new(model.with_timeouts(timeouts))
            }
        }
    }

    /// The events with which the server accepts the question.
    pub(crate) const fn begun(self) -> &'static str {
        match self {
            Self::Responses => r#"{"type":"response.created","response":{"id":"r1"}}"#,
            Self::Realtime => concat!(
                r#"{"type":"session.created","session":{"id":"s"}}"#,
                "\n",
                r#"{"type":"conversation.item.added","item":{"id":"u"}}"#,
                "\n",
                r#"{"type":"response.created","response":{"id":"r1"}}"#
            ),
            Self::Live => r#"{"setupComplete":{}}"#,
        }
    }

    /// Returns an event with `text`, which is JSON without its quotes.
    pub(crate) fn text(self, text: &str) -> String {
        match self {
            Self::Responses | Self::Realtime => {
                format!(r#"{{"type":"response.output_text.delta","item_id":"i","delta":"{text}"}}"#)
            }
            Self::Live => {
                format!(r#"{{"serverContent":{{"modelTurn":{{"parts":[{{"text":"{text}"}}]}}}}}}"#)
            }
        }
    }

    /// The event that ends an answer well, with 12 tokens read, 5 of them from a cache, and 3
    /// written.
    pub(crate) const fn stop(self) -> &'static str {
        match self {
            Self::Responses => concat!(
                r#"{"type":"response.completed","response":{"id":"r1","status":"completed","#,
                r#""usage":{"input_tokens":12,"output_tokens":3,"#,
                r#""input_tokens_details":{"cached_tokens":5}}}}"#
            ),
            Self::Realtime => concat!(
                r#"{"type":"response.done","response":{"id":"r1","status":"completed","#,
                r#""usage":{"input_tokens":12,"output_tokens":3,"#,
                r#""input_token_details":{"cached_tokens":5}}}}"#
            ),
            Self::Live => concat!(
                r#"{"serverContent":{"turnComplete":true},"usageMetadata":{"promptTokenCount":12,"#,
                r#""cachedContentTokenCount":5,"responseTokenCount":1,"thoughtsTokenCount":2}}"#
            ),
        }
    }

    /// The message in place of an answer that the server is too busy.
    pub(crate) const fn overload(self) -> &'static str {
        match self {
            Self::Responses => {
                r#"{"type":"error","status":503,"error":{"type":"x","message":"full"}}"#
            }
            Self::Realtime => concat!(
                r#"{"type":"response.done","response":{"status":"failed","status_details":"#,
                r#"{"type":"failed","error":{"type":"server_error","message":"full"}}}}"#
            ),
            Self::Live => r#"{"error":{"code":503,"message":"full","status":"UNAVAILABLE"}}"#,
        }
    }

    /// An answer that says `a` and ends, an event a line.
    pub(crate) fn whole(self) -> String {
        format!("{}\n{}\n{}", self.begun(), self.text("a"), self.stop())
    }
}

pub(crate) fn request() -> Request {
    let system = Message::new(Role::System, "sys");
    Request::new(vec![system, Message::new(Role::User, "hi")])
}

/// Opens a conversation and takes in its first answer.
pub(crate) async fn ask(model: &dyn Provider) -> Given {
    let opening: OpeningSession = model.connect(request()).expect("a session");
    match opening.await {
        Ok(mut session) => take(&mut *session).await,
        Err(error) => Given { error: Some(error), ..Given::default() },
    }
}

/// The rest of an answer.
pub(crate) async fn take(session: &mut dyn Session) -> Given {
    let mut given = Given::default();
    while given.finish.is_none() && given.error.is_none() {
        let hang = std::time::Duration::from_secs(30);
        let item = tokio::time::timeout(hang, session.receive()).await.expect("no hang");
        put(item.expect("an end"), &mut given);
    }
    assert!(session.receive().await.is_none(), "more behind the end");
    given
}

fn put(item: Result<Delta, Error>, given: &mut Given) {
    match item {
        Ok(Delta::Text(text)) => {
            given.text.push_str(&text);
            given.pieces += 1;
        }
        Ok(Delta::Reasoning(text)) => given.reasoning.push_str(&text),
        Ok(Delta::Usage(usage)) => given.usage = Some((usage.input, usage.output, usage.cached)),
        Ok(Delta::Done(finish)) => given.finish = Some(finish),
        Ok(other) => panic!("{other:?} is new"),
        Err(error) => given.error = Some(error),
    }
}

pub(crate) const STOP: Option<FinishReason> = Some(FinishReason::Stop);
