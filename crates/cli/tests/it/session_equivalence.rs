//! Over a session a model receives the messages that a request would send, for any answers, and
//! wherever the connection breaks off, forgets or is rejected. The seed decides all of it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::{Agent, ConnectionMode};
use silcrow_context::{CONTINUE, assemble, assemble_with_notice};
use silcrow_event::{CallResult, Content, Entry, Event, Message, Role};
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, DeltaStream, Error, OpeningSession, Provider, Request, Session};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, Toolbox};
use silcrow_vendors::{ApiKey, Responses};
use tokio::time::sleep;

use server::Server;

mod answers;
mod server;

/// The model, whose messages are compared with the log at each answer.
struct CheckedModel {
    model: Responses,
    log: Log,
}

#[derive(Clone)]
struct Log {
    store: Arc<MemoryStore>,
    server: Server,
    /// The number of requests in each way.
    asked: Arc<[AtomicUsize; 3]>,
}

impl Log {
    fn entries(&self) -> Vec<Entry> {
        let head = self.store.head("c").now_or_never().unwrap().unwrap();
        self.store.read("c", 1..=head).now_or_never().unwrap().unwrap()
    }

    /// Returns the messages that a request without a session would send. One that asks for the end of an
    /// answer is not stored.
    fn replayed(&self, asked: &[Message]) -> Vec<Message> {
        let (entries, dialect) = (self.entries(), self.server.dialect);
        let question = asked.last().map(|message| message.text().into_owned());
        let starts = ["[Your last answer has no end.", "[Your last answer is outside of "];
        let question = question.filter(|text| starts.iter().any(|start| text.starts_with(start)));
        if let Some(question) = question {
            return assemble_with_notice(&entries, dialect, &question);
        }
        let replayed = assemble(&entries, dialect);
        match replayed.last() {
            Some(said) if said.role == Role::Assistant => {
                assemble_with_notice(&entries, dialect, CONTINUE)
            }
            _ => replayed,
        }
    }

    fn check(&self, way: usize) {
        self.asked[way].fetch_add(1, Ordering::SeqCst);
        let asked = self.server.asked.lock().unwrap();
        let asked = asked.last().expect("it was asked");
        let replayed = self.replayed(asked);
        let blank = |said: &Message| match said.role {
            // The log writes white space in its own way.
            Role::Assistant => said.text().split_whitespace().collect::<String>(),
            _ => said.text().into_owned(),
        };
        let plain = |said: &[Message]| -> Vec<_> {
            said.iter().map(|said| (said.role, blank(said))).collect()
        };
        let (asked, replayed) = (plain(asked), plain(&replayed));
        let differs = asked.iter().zip(&replayed).find(|(asked, replayed)| asked != replayed);
        assert_eq!(differs, None, "seed {}", self.server.seed);
        assert_eq!(asked.len(), replayed.len(), "seed {}", self.server.seed);
    }
}

impl Provider for CheckedModel {
    fn name(&self) -> &str {
        "checked"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let asked = &request.messages[1..];
        assert_eq!(asked, self.log.replayed(asked), "seed {}", self.log.server.seed);
        self.log.asked[0].fetch_add(1, Ordering::SeqCst);
        self.model.stream(request)
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let (opening, log) = (self.model.connect(request)?, self.log.clone());
        let opened = async move {
            let session = opening.await?;
            log.check(1);
            Ok(Box::new(CheckedSession { session, log }) as Box<dyn Session>)
        };
        Some(opened.boxed())
    }
}

struct CheckedSession {
    session: Box<dyn Session>,
    log: Log,
}

impl Session for CheckedSession {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        self.session.receive()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        self.session.cancel()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        async {
            self.session.send(kept, messages).await?;
            self.log.check(2);
            Ok(())
        }
        .boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.session.close()
    }
}

/// Gives its arguments back after a while, and counts how often each call ran.
#[derive(Clone, Default)]
struct Echo(Arc<Mutex<Vec<(u32, String)>>>);

impl Tool for Echo {
    fn name(&self) -> &str {
        "echo"
    }

    fn description(&self) -> &str {
        "Gives its arguments back."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            self.0.lock().unwrap().push((context.turn(), context.call_id().to_owned()));
            // Later calls are the quicker ones.
            sleep(Duration::from_millis(4_u64.saturating_sub(args.as_str().len() as u64 % 5)))
                .await;
            Ok(ToolOutput::new("echoed", args.as_str()))
        }
        .boxed()
    }
}

/// Three prompts of one conversation, each in a new run.
async fn converse(seed: u64, mode: ConnectionMode, faults: u64) -> [usize; 3] {
    let dialect = [Dialect::Sigil, Dialect::Phase, Dialect::Action][seed as usize % 3];
    let server = Server::start(seed, dialect, faults).await;
    let (store, echo) = (Arc::new(MemoryStore::new()), Echo::default());
    let log = Log { store: Arc::clone(&store), server: server.clone(), asked: Arc::default() };
    for prompt in ["go", "§end on", "and <end>"] {
        let model = Responses::new("m", ApiKey::new("sk-1", "KEY")).unwrap();
        let model = model.with_base(&format!("http://{}", server.address)).unwrap();
        let mut tools = Toolbox::new();
        tools.add(echo.clone()).unwrap();
        let agent = Agent::new(CheckedModel { model, log: log.clone() }, Arc::clone(&store));
        let agent =
            agent.with_tools(tools).with_dialect(dialect).with_mode(mode).with_max_steps(40);
        let agent = agent.with_data_marks(false);
        // A run may fail; only the log counts.
        let _ = agent.run("c", prompt, &mut |_| {}).await;
    }
    let ran = echo.0.lock().unwrap();
    let once: BTreeSet<_> = ran.iter().collect();
    assert_eq!(once.len(), ran.len(), "seed {seed}: a tool ran twice: {ran:?}");
    let (mut calls, mut results) = (BTreeSet::new(), BTreeSet::new());
    for entry in log.entries() {
        let turn = entry.turn;
        match entry.event {
            Event::Call(call) => assert!(calls.insert((turn, call.id().to_owned())), "seed {seed}"),
            Event::Result(CallResult { id: Some(id), .. }) => {
                assert!(results.insert((turn, id)), "seed {seed}: two results");
            }
            _ => {}
        }
    }
    assert!(calls.is_subset(&results), "seed {seed}: {calls:?} {results:?}");
    [0, 1, 2].map(|way| log.asked[way].load(Ordering::SeqCst))
}

#[tokio::test]
async fn session_and_request_send_equal_messages() {
    let mut asked = [0; 3];
    for seed in silcrow_testkit::run_seeds(24) {
        let mode = if seed % 4 == 3 { ConnectionMode::Resume } else { ConnectionMode::Auto };
        let faults = [0, 0, 1, 5][seed as usize / 3 % 4];
        for (all, ways) in asked.iter_mut().zip(converse(seed, mode, faults).await) {
            *all += ways;
        }
    }
    assert!(asked.iter().all(|count| *count > 10), "hardly looked at: {asked:?}");
}
