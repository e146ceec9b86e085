//! A durable workflow that asks an agent, and is killed and repeated at any point.
//!
//! `cargo run -p silcrow-agent --example durable_workflow -- FOLDER`
//!
//! An engine for durable workflows, such as Restate, Temporal or DBOS, keeps the result of each
//! step in a journal. After a crash it runs the workflow again, and a step whose result it does not
//! have runs again, too: a step runs *at least* once. The log of a conversation records more than
//! the journal, so each step has its own conversation, whose id comes from the engine. A repeated
//! step finds its answer there, or continues where it stopped:
//!
//! ```text
//! workflow ─► journal: is the step done? ─ yes ─► its result
//!                 │ no
//!                 └─► log: answered? ─ yes ─► the answer   no model, no call
//!                          │ no
//!                          └─► the run begins or continues; no call starts twice
//! ```
//!
//! The engine here is a stand-in: a file with a line for each step that is done.
#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_event::{Event, Respond, Role};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use silcrow_store::Store;
use silcrow_store_log::LogStore;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput};

/// Runs the workflow in a folder. Another start with the same folder continues it.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "workflow".to_owned()));
    // Machines that share the work open `silcrow_store_postgres::PostgresStore` here.
    let store: Arc<dyn Store> =
        Arc::new(LogStore::open(folder.join("store"), Default::default()).await?);
    let agent = Agent::new(Clerk, Arc::clone(&store))
        .with_tool(Charge { ledger: folder.join("ledger") })?;
    let mut journal = StepJournal::open(&folder.join("journal"))?;
    println!("{}", order(&mut journal, &agent, &*store).await?);
    Ok(())
}

/// The workflow: two steps that ask an agent, and their results.
pub(crate) async fn order(
    journal: &mut StepJournal,
    agent: &Agent,
    store: &dyn Store,
) -> Result<String, Box<dyn Error>> {
    let mut said = Vec::new();
    for (step, prompt) in [("deposit", "Charge 10 for the deposit."), ("rest", "Charge the rest.")]
    {
        let conversation = format!("order-7/{step}");
        let answer = journal.step(step, ask_once(agent, store, &conversation, prompt)).await?;
        said.push(format!("{step}: {answer}"));
    }
    Ok(said.join("\n"))
}

/// Asks an agent, or returns the answer that an earlier attempt has left in the log.
async fn ask_once(
    agent: &Agent,
    store: &dyn Store,
    conversation: &str,
    prompt: &str,
) -> Result<String, Box<dyn Error>> {
    let ended = match store.head(conversation).await? {
        0 => agent.run(conversation, prompt, &mut |_| {}).await,
        // An earlier attempt began.
        _ => agent.resume(conversation, &[], &mut |_| {}).await,
    };
    match ended {
        Ok(RunOutcome::Answered) => {}
        // The conversation has its answer already; without one, the end of this function says so.
        Err(error) if error.kind() == ErrorKind::Refused => {}
        // The workflow waits for an event of the engine, and a person's answer sends it.
        Ok(RunOutcome::Waiting(questions)) => {
            return Err(format!("{} questions are open", questions.len()).into());
        }
        Ok(other) => return Err(format!("the run ended: {other:?}").into()),
        // Another attempt may still be at work: the engine tries again later.
        Err(error) => return Err(error.into()),
    }
    let log = store.read(conversation, 1..=u64::MAX).await?;
    let answer = log.iter().rev().find_map(|entry| match &entry.event {
        Event::Respond(Respond { content, last: true, .. }) => Some(content.clone()),
        _ => None,
    });
    answer.ok_or_else(|| "the conversation has no answer".into())
}

/// The stand-in for an engine: it keeps the results of the steps that are done.
pub(crate) struct StepJournal {
    file: File,
    /// The names of the steps and their results as JSON.
    done: Vec<(String, String)>,
}

impl StepJournal {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let lines = BufReader::new(&file).lines().collect::<io::Result<Vec<_>>>()?;
        let done = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { file, done })
    }

    /// Runs a step, unless its result is known. A crash before the result is written repeats it.
    async fn step(
        &mut self,
        name: &str,
        work: impl Future<Output = Result<String, Box<dyn Error>>>,
    ) -> Result<String, Box<dyn Error>> {
        if let Some((_, result)) = self.done.iter().find(|(done, _)| done == name) {
            return Ok(result.clone());
        }
        let result = work.await?;
        let step = (name.to_owned(), result.clone());
        self.file.write_all(format!("{}\n", serde_json::to_string(&step)?).as_bytes())?;
        self.file.sync_data()?;
        self.done.push(step);
        Ok(result)
    }
}

/// A model that charges once and then answers; the messages show whether it has charged.
pub(crate) struct Clerk;

impl Provider for Clerk {
    fn name(&self) -> &str {
        "clerk"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let has_called = request.messages.iter().any(|message| message.role == Role::Assistant);
        let text = match has_called {
            false => "§call: {\"name\":\"charge\",\"args\":{\"for\":\"order 7\"}}\n§execute\n",
            true => "§respond: It is charged.\n§end",
        };
        let deltas = [Delta::Text(text.to_owned()), Delta::Done(FinishReason::Stop)];
        stream::iter(deltas.map(Ok)).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// A tool that must not run twice for one call.
pub(crate) struct Charge {
    pub(crate) ledger: PathBuf,
}

impl Tool for Charge {
    fn name(&self) -> &str {
        "charge"
    }

    fn description(&self) -> &str {
        "Charges for an order."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object","properties":{"for":{"type":"string"}}}"#
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let charged = || {
            let mut ledger = OpenOptions::new().create(true).append(true).open(&self.ledger)?;
            // A call has the same key in every attempt, which many services compare.
            let (turn, id) = (context.turn(), context.call_id());
            let line = format!("{}/{turn}/{id} {}\n", context.conversation_id(), args.as_str());
            ledger.write_all(line.as_bytes())
        };
        let done = charged().map(|()| ToolOutput::new("charged", "charged"));
        async move { done.map_err(|error| ToolError::new(format!("not charged: {error}"))) }.boxed()
    }
}
