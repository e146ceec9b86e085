//! The growing conversation that each API is sent: valid, complete, and stable from its beginning.

use futures_util::StreamExt as _;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use silcrow_event::{Event, Message};
use silcrow_parser::{Options, Parser, escape_user, read_results, write};
use silcrow_provider::{Provider, Request};
use silcrow_testkit::Joined;
use tokio::runtime::{Builder, Runtime};

use crate::conversation::{Asking, Conversation, conversation, said_by_model, without_id};
use crate::server::{Server, events, long};
use crate::socket::Wire;
use crate::talk::{Talk, take};
use crate::wire::Api;

/// The way to a model over HTTP or over a WebSocket.
enum Way {
    Http(Api, Server, Box<dyn Provider>),
    Socket(Talk, Wire, Box<dyn Provider>),
}

/// The request that a server received: the messages as JSON, and everything else.
struct Received {
    messages: Vec<Value>,
    rest: Value,
}

impl Way {
    fn all(runtime: &Runtime) -> Vec<Self> {
        let http = Api::ALL.into_iter().map(|api| {
            let server = Server::playing(events(&api.stop()), usize::MAX);
            let model = api.model(&server);
            Self::Http(api, server, model)
        });
        let sockets = Talk::ALL.into_iter().map(|talk| {
            let wire = runtime.block_on(answering(talk));
            let model = talk.model(&wire.url(), long());
            Self::Socket(talk, wire, model)
        });
        http.chain(sockets).collect()
    }

    fn name(&self) -> String {
        match self {
            Self::Http(api, ..) => format!("{api:?}"),
            Self::Socket(talk, ..) => format!("{talk:?} over a WebSocket"),
        }
    }

    /// Sends a request, and returns what arrives.
    async fn send(&self, messages: Vec<Message>) -> Received {
        match self {
            Self::Http(_, server, model) => {
                model.stream(Request::new(messages)).count().await;
                let request = server.requests.recv().unwrap();
                let (_, body) = request.split_once("\r\n\r\n").unwrap();
                Received::new(serde_json::from_str(body).unwrap())
            }
            Self::Socket(_, wire, model) => {
                let mut session = model.connect(Request::new(messages)).unwrap().await.unwrap();
                take(&mut *session).await;
                session.close().await;
                Received::of_texts(wire.take())
            }
        }
    }
}

/// Starts a server that answers the first question of each session.
async fn answering(talk: Talk) -> Wire {
    Wire::start(move |mut line| async move {
        loop {
            let event = line.receive().await;
            if event.is_null() {
                return;
            }
            let asks = event["type"] == "response.create" || event.get("clientContent").is_some();
            if event.get("setup").is_some() {
                line.send_events(r#"{"setupComplete":{}}"#).await;
            }
            if asks {
                line.send_events(&format!("{}\n{}", talk.text("a"), talk.stop())).await;
            }
        }
    })
    .await
}

impl Received {
    /// Takes the messages out of a body.
    fn new(mut body: Value) -> Self {
        let fields = body.as_object_mut().unwrap();
        let names = ["messages", "contents", "input"];
        let messages = names.iter().find_map(|name| fields.remove(*name)).unwrap();
        let mut messages = messages.as_array().unwrap().clone();
        let is_system = messages.first().is_some_and(|first| first["role"] == "system");
        let system = if is_system { messages.remove(0) } else { Value::Null };
        fields.insert("system message".to_owned(), system);
        Self { messages, rest: body }
    }

    /// Collects the messages of a session's first question.
    fn of_texts(texts: Vec<Value>) -> Self {
        let (mut messages, mut rest) = (Vec::new(), Vec::new());
        for mut text in texts {
            if text["type"] == "conversation.item.create" {
                messages.push(text["item"].take());
            } else if text.get("clientContent").is_some() {
                let turns = text["clientContent"]["turns"].take();
                messages.extend(turns.as_array().unwrap().iter().cloned());
            } else if text.get("input").is_some() {
                let event = Self::new(text);
                messages.extend(event.messages);
                rest.push(event.rest);
            } else {
                rest.push(text);
            }
        }
        Self { messages, rest: rest.into() }
    }

    /// Returns for each message whether the model said it, and its text.
    fn said(&self) -> Vec<(bool, &str)> {
        fn said(message: &Value) -> (bool, &str) {
            let role = message["role"].as_str().or_else(|| message["type"].as_str()).unwrap();
            let is_model = ["assistant", "model", "model_output"].contains(&role);
            assert!(is_model || ["user", "user_input"].contains(&role), "{message}");
            let parts = [&message["content"], &message["parts"]];
            let parts = parts.into_iter().find(|parts| !parts.is_null()).unwrap();
            if let Some(parts) = parts.as_array() {
                assert_eq!(parts.len(), 1, "{message}");
            }
            (is_model, parts.as_str().or_else(|| parts[0]["text"].as_str()).unwrap())
        }
        self.messages.iter().map(said).collect()
    }
}

/// Checks that an API takes the messages: roles alternate, the person's are the first and the last,
/// and no text is empty, the instructions included.
fn check_roles(received: &Received, messages: &[Message], way: &str) {
    let said = received.said();
    let texts = messages[1..].iter().map(Message::text);
    assert!(texts.eq(said.iter().map(|(_, text)| *text)), "{way}: {said:?}");
    for (number, (is_model, text)) in said.iter().enumerate() {
        assert_eq!(*is_model, number % 2 == 1, "{way}: {said:?}");
        assert!(!text.trim().is_empty(), "{way}: {said:?}");
    }
    assert_eq!(said.len() % 2, 1, "{way}: {said:?}");
    let rest = received.rest.to_string();
    for empty in [r#""text":"""#, r#""content":"""#, r#""instructions":"""#, r#"nstruction":"""#] {
        assert!(!rest.contains(empty), "{way}: {rest}");
    }
}

/// Checks that each call has a result in the next message, and that the model reads its own words.
fn check_events(received: &Received, talk: &Conversation, asking: &Asking, way: &str) {
    let said = received.said();
    // No result contains the line that separates it from the person's text.
    let parted = format!("\n{}\n\n", write([&Event::End], talk.options));
    let mut read = Vec::new();
    for pair in said.windows(2).filter(|pair| pair[0].0) {
        let events = parse(pair[0].1, talk.options);
        let calls = events.iter().filter(|event| matches!(event, Event::Call(_))).count();
        let results = pair[1].1.split_once(&parted).map_or(pair[1].1, |(results, _)| results);
        let results = read_results(results, talk.options).len();
        assert_eq!(calls, results, "{way}: {pair:?}");
        read.extend(events.into_iter().map(without_id));
    }
    let log = &talk.entries[..asking.end];
    let stored = said_by_model(log);
    let is_summary = |event: &Event| matches!(event, Event::Summary(_));
    if !log.iter().any(|entry| is_summary(&entry.event)) {
        assert_eq!(read, stored, "{way}");
        return;
    }
    // A summary replaces the beginning, and leaves out thoughts.
    let is_thought = |event: &&Event| matches!(event, Event::Think(_));
    for thoughts in [false, true] {
        let kept = |events: &[Event]| -> Vec<Event> {
            events.iter().filter(|event| is_thought(event) == thoughts).cloned().collect()
        };
        let (read, stored) = (kept(&read), kept(&stored));
        assert!(stored.ends_with(&read), "{way}: {read:?} of {stored:?}");
    }
}

/// Checks that the request ends with the person's text, each message after the other.
fn check_person(received: &Received, talk: &Conversation, asking: &Asking, way: &str) {
    let said = received.said();
    let (_, last) = said.last().unwrap();
    let texts = asking.said.iter().map(|text| escape_user(text, talk.options));
    let shown = texts.collect::<Vec<_>>().join("\n\n");
    let is_summary = |event: &Event| matches!(event, Event::Summary(_));
    let is_whole = !talk.entries[..asking.end].iter().any(|entry| is_summary(&entry.event));
    if is_whole {
        assert!(last.ends_with(&shown), "{way}: {last:?} without {shown:?}");
        let stopped = "[The run was stopped here.]\n\n".to_owned() + &shown;
        assert!(!asking.after_stop || last.ends_with(&stopped), "{way}: {last:?}");
    }
}

fn parse(wire: &str, options: Options) -> Vec<Event> {
    let mut joined = Joined::default();
    let mut parser = Parser::new(options);
    parser.push(wire, &mut |fragment| joined.push(fragment));
    parser.finish(&mut |fragment| joined.push(fragment));
    joined.finish().events().into_iter().filter(Event::is_stored).collect()
}

/// The messages of every request of a run begin with the messages of the previous request, except
/// the last one, unless a summary was stored between them.
#[test]
fn every_api_gets_a_valid_growing_conversation() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let ways = Way::all(&runtime);
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(48) });
    let law = |talk: Conversation| {
        for way in &ways {
            let name = way.name();
            let mut last: Option<Received> = None;
            for asking in &talk.requests {
                let messages = talk.messages(asking);
                let received = runtime.block_on(way.send(messages.clone()));
                check_roles(&received, &messages, &name);
                check_events(&received, &talk, asking, &name);
                check_person(&received, &talk, asking, &name);
                if let Some(last) = last {
                    let same = if asking.is_compacted { 0 } else { last.messages.len() - 1 };
                    assert_eq!(received.messages[..same], last.messages[..same], "{name}");
                    assert_eq!(received.rest, last.rest, "{name}");
                }
                last = Some(received);
            }
        }
        Ok(())
    };
    runner.run(&conversation(), law).unwrap();
}
