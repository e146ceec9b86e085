//! The process of a machine: a server on the database, with a model that takes its time and tools
//! whose calls are noted.

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::Agent;
use silcrow_event::Role;
use silcrow_front::RunEnd;
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use silcrow_server::{
    AccessToken, AgentSource, CancellationToken, Error, HttpPeers, Options, PreparedAgent,
    RunPlace, Server, ServerUser,
};
use silcrow_store::Store;
use silcrow_store::search::SearchedUser;
use silcrow_store_postgres::{Options as StoreOptions, PostgresAddress, PostgresStore};
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput};
use tokio::net::TcpListener;
use tokio::time::sleep;

use super::LEASE;

/// The test of the other process: a machine, until the end of its input.
#[test]
#[ignore = "run by the test of crashes, in a process of its own"]
fn machine() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let variable = |name| std::env::var(name).expect("another test says this");
    runtime.block_on(async {
        let listener = TcpListener::bind(variable(LISTEN)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let options = StoreOptions {
            connections: 8,
            lease: LEASE,
            owner: variable(NAME),
            address: Some(format!("http://{address}")),
            is_continued: true,
            ..StoreOptions::default()
        };
        let database = PostgresAddress::parse(&variable(DATABASE), |_| None).unwrap();
        let store: Arc<dyn Store> = Arc::new(PostgresStore::open(database, options).await.unwrap());
        let note = Note { ledger: variable(LEDGER).into() };
        let agent = Agent::new(PacedModel, Arc::clone(&store)).with_tool(note).unwrap();
        let mut limits = Options::default();
        limits.keep_alive = Duration::from_millis(500);
        let server = Server::new(store, Source(agent))
            .with_options(limits)
            .with_peers(HttpPeers::default())
            .with_token(AccessToken::parse(TOKEN).unwrap(), ServerUser::default());
        let stop = CancellationToken::new();
        let ends = stop.clone();
        // The death of the test is the end of the input.
        std::thread::spawn(move || {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            ends.cancel();
        });
        let works = server.clone();
        tokio::spawn(async move { works.work_off(SearchedUser::Any).await });
        say(&format!("at {address}"));
        server.serve(listener, stop).await;
    });
}

/// The source of the one agent, which says how runs have ended.
struct Source(Agent);

impl AgentSource for Source {
    fn agent<'a>(&'a self, _: &'a RunPlace) -> BoxFuture<'a, Result<PreparedAgent, Error>> {
        async { Ok(self.0.clone().into()) }.boxed()
    }

    fn ended<'a>(&'a self, place: &'a RunPlace, end: &'a RunEnd) -> BoxFuture<'a, ()> {
        let end = match end {
            RunEnd::Answered => "answered",
            RunEnd::Stopped => "stopped",
            RunEnd::Waiting => "waiting",
            RunEnd::Failed { code, .. } => code,
        };
        say(&format!("{} {end}", place.conversation));
        async {}.boxed()
    }
}

/// A model that makes two turns with calls and then answers, a word at a time.
struct PacedModel;

impl Provider for PacedModel {
    fn name(&self) -> &str {
        "paced"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let turns =
            request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        let text = match turns {
            0 => {
                "§think: There are two things to note, one after the other.\n\
                 §call: {\"name\":\"note\",\"args\":{\"what\":\"one\"}}\n\
                 §call: {\"name\":\"note\",\"args\":{\"what\":\"two\"}}\n§execute\n"
            }
            1 => {
                "§think: And a third one, which comes after the first two.\n\
                 §call: {\"name\":\"note\",\"args\":{\"what\":\"three\"}}\n§execute\n"
            }
            _ => "§respond: All of them are noted, as far as I can see from here.\n§end",
        };
        let pieces: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
        let deltas = pieces.into_iter().map(Delta::Text).chain([Delta::Done(FinishReason::Stop)]);
        let paced = stream::iter(deltas).then(|delta| async {
            sleep(PACE).await;
            Ok(delta)
        });
        paced.boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// A tool that must not run twice for one call, and takes a moment.
struct Note {
    ledger: PathBuf,
}

impl Tool for Note {
    fn name(&self) -> &str {
        "note"
    }

    fn description(&self) -> &str {
        "Notes something."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object","properties":{"what":{"type":"string"}}}"#
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let (turn, id) = (context.turn(), context.call_id());
            let line = format!("{} {turn} {id}\n", context.conversation_id());
            let ledger = OpenOptions::new().create(true).append(true).open(&self.ledger);
            ledger.and_then(|mut file| file.write_all(line.as_bytes())).expect("it is noted");
            sleep(PACE * 4).await;
            Ok(ToolOutput::new("noted", "noted"))
        }
        .boxed()
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // A test that has ended hears nothing.
    let _ = out.write_all(format!("{MARK}{line}\n").as_bytes()).and_then(|()| out.flush());
}

pub(super) const DATABASE: &str = "SILCROW_TEST_DATABASE";
pub(super) const LEDGER: &str = "SILCROW_TEST_LEDGER";
pub(super) const LISTEN: &str = "SILCROW_TEST_LISTEN";
pub(super) const NAME: &str = "SILCROW_TEST_NAME";

/// The prefix of a machine's output.
pub(super) const MARK: &str = "@ ";

/// The token of all machines.
pub(super) const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// The time of a word.
const PACE: Duration = Duration::from_millis(25);
