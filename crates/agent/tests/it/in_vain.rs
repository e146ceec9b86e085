//! A final response beside a failed call over a session: it is stopped, and the failure is sent (P-35).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ConnectionMode, RunOutcome};
use silcrow_event::{Content, Event, Message};
use silcrow_parser::Dialect;
use silcrow_provider::{
    Delta, DeltaStream, Error, FinishReason, OpeningSession, Provider, Request, Session,
};
use silcrow_store::MemoryStore;
use silcrow_tool::{CancellationToken, Tool, ToolError};

use crate::support::{Ran, run, tool, toolbox, with};

const WORDS: usize = 2_000;

/// A model whose first answer has a call that fails and then a long response.
#[derive(Clone, Default)]
struct Talker {
    first: Arc<str>,
    written: Arc<AtomicUsize>,
    stopped: Arc<AtomicUsize>,
    opened: Arc<AtomicUsize>,
    read: Arc<std::sync::Mutex<String>>,
}

struct Line {
    model: Talker,
    left: Vec<String>,
}

impl Talker {
    fn answer(&self, is_first: bool) -> Vec<String> {
        let mut pieces = match is_first {
            true => [vec![self.first.to_string()], vec!["word ".to_owned(); WORDS]].concat(),
            false => vec!["<response>".to_owned(), "The page is gone.".to_owned()],
        };
        pieces.push("</response>".to_owned());
        pieces.reverse();
        pieces
    }
}

impl Provider for Talker {
    fn name(&self) -> &str {
        "talker"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let mut pieces = self.answer(request.messages.len() < 3);
        pieces.reverse();
        let deltas = pieces.into_iter().map(Delta::Text);
        stream::iter(deltas.chain([Delta::Done(FinishReason::Stop)])).map(Ok).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        let line = Line { model: self.clone(), left: self.answer(true) };
        Some(async { Ok(Box::new(line) as Box<dyn Session>) }.boxed())
    }
}

impl Session for Line {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        async {
            tokio::task::yield_now().await;
            self.model.written.fetch_add(1, Ordering::Relaxed);
            let delta = self.left.pop().map(Delta::Text);
            Some(Ok(delta.unwrap_or(Delta::Done(FinishReason::Stop))))
        }
        .boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        self.model.stopped.fetch_add(usize::from(self.left.len() > 2), Ordering::Relaxed);
        async { Ok(()) }.boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        let texts = messages.iter().map(|message| message.text().into_owned());
        let read =
            [kept.text().into_owned()].into_iter().chain(texts).collect::<Vec<_>>().join("\n");
        *self.model.read.lock().unwrap() = read;
        self.left = self.model.answer(false);
        async { Ok(()) }.boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

fn fails() -> impl Tool {
    tool("fails", |_, _| async { Err(ToolError::new("no such page")) }.boxed())
}

async fn talk(first: &str, mode: ConnectionMode) -> (Ran, Talker) {
    let model = Talker { first: first.into(), ..Talker::default() };
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_tools(toolbox([with(fails())]))
        .with_mode(mode)
        .with_dialect(Dialect::Action);
    (run(&agent, &store, "go", &CancellationToken::new()).await, model)
}

fn said(ran: &Ran) -> Vec<&str> {
    let events = ran.stored.iter().map(|entry| &entry.event);
    let said = events.filter_map(|event| match event {
        Event::Respond(said) => Some(&*said.content),
        _ => None,
    });
    said.collect()
}

const CALL: &str = r#"<action mode="async" id="page">{"name":"fails"}</action><response>First: "#;

#[tokio::test]
async fn session_learns_failures_while_the_model_writes() {
    let (ran, model) = talk(CALL, ConnectionMode::Auto).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let said = said(&ran);
    assert!(said[0].starts_with("First:") && said[0].len() < 5 * WORDS / 2, "{}", said[0].len());
    assert_eq!(said[1], "The page is gone.");
    assert!(model.written.load(Ordering::Relaxed) < WORDS / 2);
    let [stopped, opened] =
        [&model.stopped, &model.opened].map(|count| count.load(Ordering::Relaxed));
    assert_eq!((stopped, opened), (1, 1), "the same session goes on");
    let read = model.read.lock().unwrap().clone();
    assert!(read.contains("no such page") && read.contains("`page`, which failed"), "{read}");
    assert!(read.starts_with("<action"), "{read}");
}

#[tokio::test]
async fn potentially_valid_answers_are_read_to_end() {
    let skip = CALL.replace("\"fails\"", "\"fails\",\"on_error\":\"skip\"");
    let (ran, model) = talk(&skip, ConnectionMode::Auto).await;
    assert!(said(&ran)[0].len() > 4 * WORDS);
    assert_eq!(model.stopped.load(Ordering::Relaxed), 0);
    // A request cannot be stopped without losing its report of usage, so it is read to its end.
    let (ran, _) = talk(CALL, ConnectionMode::Replay).await;
    assert!(said(&ran)[0].len() > 4 * WORDS);
    assert_eq!(said(&ran)[1], "The page is gone.");
}
