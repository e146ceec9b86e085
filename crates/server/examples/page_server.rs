//! A server whose model and tools follow commands on the standard input, for checks of the page.
//!
//! Its arguments are the folder of a store, a port, the token of the owner, and the token of the
//! user `bob`, who may name people of a chat page, if there is one. Each line of the input is a command:
//!
//! - `say "TEXT"` lets the model write a piece, which is a JSON string;
//! - `done` ends the answer of the model, and `break WHY` lets it fail;
//! - `release NAME` lets the call `work {"name": NAME}` end, and `fail NAME` lets it fail; the argument
//!   `changes` of the call is an array of the files that it then has changed;
//! - `store CONVERSATION EVENTS` stores an array of events;
//! - `undo ANSWER` lets the server answer a request to take changes back by this JSON;
//! - `heard` prints the messages of the model's last request, as one JSON string.
//!
//! The process ends with its input.

#![expect(clippy::print_stdout, reason = "it tells its port to the check")]

#[path = "page_server/tools.rs"]
mod tools;

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde_json::Value;
use silcrow_agent::{Agent, ChildAgent};
use silcrow_event::{CallKind, Event, read_entry};
use silcrow_parser::Dialect;
use silcrow_provider::{
    Delta, DeltaStream, Error as ProviderError, ErrorKind, FinishReason, OpeningSession, Provider,
    Request, ScriptedModel,
};
use silcrow_server::{
    AccessToken, AgentSource, ChoiceValue, FormDesk, PreparedAgent, RunChoice, RunPlace, Server,
    ServerUser,
};
use silcrow_store::Store as _;
use silcrow_store_log::LogStore;
use silcrow_tool::{
    CallContext, CancellationToken, ParkAll, Tool, ToolArgs, ToolError, ToolOutput, Toolbox,
};
use tokio::io::{AsyncBufReadExt as _, BufReader, stdin};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc, watch};
use tools::{EndedWork, Publish, Work};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let usage = "usage: page_server FOLDER PORT TOKEN [TOKEN]";
    let (folder, port) = args.next().zip(args.next()).ok_or(usage)?;
    let mut token = || args.next().and_then(|token| AccessToken::parse(&token));
    let (token, other) = (token().ok_or(usage)?, token());
    let store = Arc::new(LogStore::open(&folder, silcrow_store_log::Options::default()).await?);

    let (pieces, model) = TypedModel::new();
    let heard = model.heard.subscribe();
    let (ended, released) = watch::channel(HashMap::new());
    let undone = Arc::default();
    let agents = (Arc::clone(&store), Arc::clone(&undone));
    let forms = FormDesk::default();
    let asks = forms.clone();
    let source = TypedAgents { model, store: agents.0, released, undone: agents.1, forms: asks };
    let server = Server::new(Arc::<LogStore>::clone(&store), source)
        .with_token(token, ServerUser::default())
        .with_owner(ServerUser::default())
        .with_forms(&forms);
    let server = other.into_iter().fold(server, |server, other| {
        let bob = ServerUser { name: Some("bob".to_owned()) };
        server.with_token(other, bob.clone()).with_chat_program(bob)
    });

    let listener = TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
    println!("{}", listener.local_addr()?.port());
    let stop = CancellationToken::new();
    let serving = tokio::spawn({
        let stop = stop.clone();
        async move { server.serve(listener, stop).await }
    });
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        match line.split_once(' ').unwrap_or((&*line, "")) {
            ("say", text) => pieces.send(Ok(Delta::Text(serde_json::from_str(text)?))).await?,
            ("done", _) => pieces.send(Ok(Delta::Done(FinishReason::Stop))).await?,
            ("break", why) => pieces.send(Err(ProviderError::new(ErrorKind::Refused, why))).await?,
            (word @ ("release" | "fail"), name) => {
                ended.send_modify(|ended| {
                    ended.insert(name.to_owned(), word == "release");
                });
            }
            ("store", rest) => append(&store, rest).await?,
            ("undo", answer) => *undone.lock().await = Some(serde_json::from_str(answer)?),
            ("heard", _) => println!("{}", Value::from(&**heard.borrow())),
            _ => return Err(format!("unknown command `{line}`").into()),
        }
    }
    stop.cancel();
    Ok(serving.await?)
}

/// Agents whose model and tools follow the input.
struct TypedAgents {
    model: TypedModel,
    store: Arc<LogStore>,
    released: EndedWork,
    undone: Arc<Mutex<Option<Value>>>,
    forms: FormDesk,
}

impl AgentSource for TypedAgents {
    fn agent<'a>(
        &'a self,
        _: &'a RunPlace,
    ) -> BoxFuture<'a, Result<PreparedAgent, silcrow_server::Error>> {
        let agent = agent(&self.model, &self.store, &self.released);
        // Its name differs from the names of other tools.
        let agent = agent.with_tool(Ask(self.forms.clone()));
        async { Ok(agent.map_err(|_| unnamed())?.into()) }.boxed()
    }

    fn choices(&self, _: &RunPlace) -> Vec<RunChoice> {
        let value = |id: &str| ChoiceValue { id: id.to_owned(), description: String::new() };
        let (id, name) = ("effort".to_owned(), "Effort".to_owned());
        vec![RunChoice { id, name, values: ["default", "low", "high"].map(value).into() }]
    }

    fn wire(&self, _: &RunPlace, turn: &[Event]) -> Option<String> {
        Some(silcrow_parser::write(turn, Dialect::Action))
    }

    fn undo<'a>(
        &'a self,
        _: &'a RunPlace,
    ) -> Option<BoxFuture<'a, Result<Value, silcrow_server::Error>>> {
        let undone = self.undone.try_lock().ok()?.clone()?;
        Some(async { Ok(undone) }.boxed())
    }
}

fn unnamed() -> silcrow_server::Error {
    silcrow_server::Error::new(silcrow_server::ErrorKind::Failed, "there are two tools `ask`")
}

/// A tool that lets a person fill in a form, and returns the answer.
struct Ask(FormDesk);

impl Tool for Ask {
    fn name(&self) -> &str {
        "ask"
    }

    fn description(&self) -> &str {
        "Asks for a colour."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let schema = serde_json::json!({"type": "object", "required": ["colour"], "properties": {
                "colour": {"type": "string", "enum": ["red", "blue"], "title": "Colour"},
                "copies": {"type": "integer", "minimum": 1, "description": "How many to print"},
                "glossy": {"type": "boolean"},
                "to": {"type": "string", "format": "email"},
            }});
            let answer = self.0.ask(context.conversation_id(), "Which <b>colour</b>?", &schema).await;
            Ok(ToolOutput::new("asked", format!("{answer:?}")))
        }
        .boxed()
    }
}

/// Stores the data of a command: a conversation, and an array of events.
async fn append(store: &LogStore, rest: &str) -> Result<(), Box<dyn Error>> {
    let (conversation, events) = rest.split_once(' ').ok_or("name a conversation and events")?;
    let events: Vec<Value> = serde_json::from_str(events)?;
    let events = events.iter().map(|event| read_entry(&event.to_string()));
    let head = store.head(conversation).await?;
    store.append(conversation, head, events.collect::<Result<_, _>>()?).await?;
    Ok(())
}

fn agent(model: &TypedModel, store: &Arc<LogStore>, released: &EndedWork) -> Agent {
    let work = Work(released.clone());
    let (inner, of_helper) = (work.clone(), Arc::clone(store));
    let helper = ChildAgent::new("helper", "Helps.", move || {
        let model = ScriptedModel::parse(HELPER, 7);
        let helper = Agent::new(model, Arc::clone(&of_helper));
        helper.with_dialect(Dialect::Action).with_tools(toolbox(inner.clone()))
    });
    let mut tools = toolbox(work);
    // Names of the tools do not meet.
    tools.add(Publish).and_then(|()| tools.add_as(CallKind::Agent, helper)).unwrap_or_default();
    Agent::new(model.clone(), Arc::clone(store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_call_text()
        .with_approver(ParkAll)
}

fn toolbox(work: Work) -> Toolbox {
    let mut tools = Toolbox::new();
    // It is the first one.
    tools.add(work).unwrap_or_default();
    tools
}

/// A model that writes the pieces of the input. Requests at the same time take turns.
#[derive(Clone)]
struct TypedModel {
    pieces: Arc<Mutex<mpsc::Receiver<TypedDelta>>>,
    heard: watch::Sender<String>,
}

/// The maximum number of pieces that wait for a request.
const MOST_TYPED: usize = 1 << 16;

type TypedDelta = Result<Delta, ProviderError>;

impl TypedModel {
    fn new() -> (mpsc::Sender<TypedDelta>, Self) {
        let (sender, pieces) = mpsc::channel(MOST_TYPED);
        (sender, Self { pieces: Arc::new(Mutex::new(pieces)), heard: watch::Sender::default() })
    }
}

impl Provider for TypedModel {
    fn name(&self) -> &str {
        "typed"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let texts: Vec<_> = request.messages.iter().map(|message| message.text()).collect();
        self.heard.send_replace(texts.join("\n\n"));
        let pieces = Arc::clone(&self.pieces);
        let deltas = stream::unfold(Some(pieces), |pieces| async {
            let pieces = pieces?;
            let delta = pieces.lock().await.recv().await?;
            let is_open = matches!(delta, Ok(Delta::Text(_)));
            Some((delta, is_open.then_some(pieces)))
        });
        deltas.boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

const HELPER: &str = r#"<action type="tool" mode="async" id="look">{"name":"work","parameters":{"name":"inside"}}</action>
<response>The helper found $look</response>"#;
