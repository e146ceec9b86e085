//! `silcrow run`, which runs an agent from a prompt to an answer.
//!
//! This module puts an agent together from the arguments, and passes its events to a screen or a
//! printer.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use silcrow_agent::{Agent, Error, ErrorKind, RunOutcome};
use silcrow_event::{Entry, RunEventRef, error_chain};
use silcrow_exec::{CancellationToken, PriceTable, Scope, Toolbox, WithPermissions};
use silcrow_parser::{Dialect, Options};
use silcrow_policy::Policy;
use silcrow_provider::Provider;
use silcrow_shell::SandboxLevel;
use tokio::runtime::Builder;

use crate::answer;
use crate::approve::Person;
use crate::args::{AgentArgs, RunArgs, Stream};
use crate::damage;
use crate::failure::{self, Failure};
use crate::fork::ForkName;
use crate::grammar;
use crate::interrupt;
use crate::known_secrets::known_secrets;
use crate::late_store::LateStore;
use crate::limits::Limits;
use crate::manifest::{self, Manifest};
use crate::migrate;
use crate::model;
use crate::places::{StorePlace, new_conversation};
use crate::policy;
use crate::prices;
use crate::printer::Printer;
use crate::prompt::prompt;
use crate::screen::{Screen, lock};
use crate::stored_events::stored_events;
use crate::task::RunTask;
use crate::tools::{self, BuiltInTools, ToolSettings};
use crate::user::user;

/// Runs an agent from a prompt to an answer.
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let conversation = args.conversation.as_deref();
    perform(&args.agent, conversation, || {
        if args.resume {
            return Ok(RunTask::Resume);
        }
        let fork = args.fork.as_deref().map(ForkName::new);
        Ok(RunTask::Answer { prompt: prompt(args.prompt.as_deref())?, fork })
    })
}

/// Performs a task in a conversation, which begins under a new id if none is named.
pub(crate) fn perform(
    args: &AgentArgs,
    conversation: Option<&str>,
    task: impl FnOnce() -> Result<RunTask, Failure>,
) -> Result<(), Failure> {
    let stream = args.stream.unwrap_or(if args.json { Stream::Event } else { Stream::Token });
    let tokens = stream == Stream::Token;
    let mut printer = args.json.then(|| Printer::new(tokens));
    let done = PreparedRun::new(args, conversation, task, stream).and_then(|ready| {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::running(format!("cannot start: {error}")))?;
        let done = runtime.block_on(ready.run(args, stream, &mut printer));
        // The process does not wait for blocking work that a call has left behind.
        runtime.shutdown_background();
        done
    });
    if let (Err(failure), Some(printer)) = (&done, &mut printer)
        && let (Some(event), false) = (failure.to_event(), printer.failed)
    {
        // The run did not begin, so the error was not printed yet.
        printer.entry(&event.into());
    }
    done
}

/// A run that can begin, because all arguments and inputs are valid.
struct PreparedRun {
    model: String,
    provider: Arc<dyn Provider>,
    prices: PriceTable,
    root_identity: String,
    tools: Toolbox,
    /// The store that the tools use.
    late: LateStore,
    /// What confines the commands of `shell`.
    level: SandboxLevel,
    manifest: Option<Manifest>,
    allowed: BTreeSet<String>,
    policy: Policy,
    options: Options,
    /// The conversation before that of the run, which shows the model how to write.
    examples: Vec<Entry>,
    task: RunTask,
    place: StorePlace,
    conversation: String,
    /// Whether the person named the conversation.
    is_named: bool,
    user: Option<String>,
}

impl PreparedRun {
    fn new(
        args: &AgentArgs,
        conversation: Option<&str>,
        task: impl FnOnce() -> Result<RunTask, Failure>,
        stream: Stream,
    ) -> Result<Self, Failure> {
        if args.call_text && !(args.json && stream == Stream::Token) {
            return Err(Failure::given(
                "--call-text gives pieces to programs; add --json --stream token",
            ));
        }
        model::check_mode(&model::name(args.model.as_deref()), args.mode)?;
        let options = Options::new(args.dialect).with_inline(args.inline);
        let task = task()?;
        let user = user(args.user.as_deref())?;
        let model = model::name(args.model.as_deref());
        let limits = Limits::read()?;
        let chosen = model.clone();
        let settings = model::Settings { options, rate: args.rate, limits, chosen };
        let place = StorePlace::choose(args.store.as_deref())?;
        let mut root = tools::protected_root(&args.root, &place)?;
        if let Some(manifest) = &args.manifest {
            root = root.with_protected(manifest, "the manifest of this run");
        }
        if let Some(policy) = &args.policy.policy {
            root = root.with_protected(policy, "the policy of this run");
        }
        let root_identity = root.identity().map_err(|error| {
            Failure::given(format!("cannot look at the root {}: {error}", args.root.display()))
        })?;
        let journal = place.changes().map(|journal| journal.with_limits(args.changes.limits()));
        let store = LateStore::default();
        let hands = ToolSettings {
            root: &root,
            folder: &args.root,
            place: &place,
            protected: args.manifest.iter().chain(&args.policy.policy).cloned().collect(),
            journal,
            web: &args.web,
            store: store.clone(),
        };
        let BuiltInTools { toolbox: tools, level } = BuiltInTools::new(hands)?;
        let grammar = args.grammar.map(|by| grammar::held(by, args.dialect, &tools));
        let provider = model::choose(&model, &settings, grammar)?;
        let prices = prices::read(args.budget.spending.prices.as_deref())?;
        prices::check(provider.name(), &prices, &args.budget.spending())?;
        let allowed = policy::allowed(&args.allow, &tools)?;
        let policy = policy::policy(&args.policy, &allowed, &args.root, &tools)?;
        let manifest = args.manifest.as_deref();
        let manifest = manifest.map(|file| Manifest::open(file, args.dialect, &tools, &settings));
        let manifest = manifest.transpose()?;
        // In the other dialects tools stand for what a manifest declares.
        let declared = manifest.as_ref().filter(|_| args.dialect != Dialect::Action);
        let policy = policy::with_declared(policy, declared);
        let examples = args.examples.as_deref().map(stored_events).transpose()?;
        let is_named = conversation.is_some();
        let conversation = conversation.map_or_else(new_conversation, str::to_owned);
        Ok(Self {
            model,
            provider,
            prices,
            root_identity,
            tools,
            late: store,
            level,
            manifest,
            allowed,
            policy,
            options,
            examples: examples.unwrap_or_default(),
            task,
            place,
            conversation,
            is_named,
            user,
        })
    }

    async fn run(
        self,
        args: &AgentArgs,
        stream: Stream,
        printer: &mut Option<Printer>,
    ) -> Result<(), Failure> {
        let rehearsal = model::is_rehearsal(&self.model).then(|| REHEARSAL.to_owned());
        let permissions = policy::notice(&self.policy);
        let notices = rehearsal
            .into_iter()
            .chain([permissions, format!("sandbox: {}", self.level)])
            .collect();
        let tokens = stream == Stream::Token;
        // A pipe or a file gets the answer once it is certain, unless the person asked for tokens.
        let streams_answer = tokens && (args.stream.is_some() || io::stdout().is_terminal());
        let screen = Screen::new(model::label(&self.model), notices, tokens, streams_answer);
        let screen = Arc::new(Mutex::new(screen));
        if let StorePlace::Folder(folder) = &self.place {
            migrate::offer(folder).await?;
        }
        let opened = self.place.open().await?;
        let replayed = self.task.replayed().map(str::to_owned);
        if replayed.is_some() {
            lock(&screen).begin_replay();
        }
        let store = opened.store();
        self.late.set(Arc::clone(&store));
        // In a replay everything is asked about, whatever the policy says.
        let allowed = if replayed.is_some() { self.allowed } else { BTreeSet::new() };
        let person = Person::new(allowed, Arc::clone(&screen))
            .with_on_question(args.on_question)
            .replaying(replayed);
        let agent = Agent::new(Arc::clone(&self.provider), Arc::clone(&store))
            .with_approver(WithPermissions::new(self.policy, person))
            .with_dialect(self.options)
            .with_guide(args.guide)
            .with_data_marks(!args.no_data_marks)
            .with_examples(self.examples)
            .with_root(&args.root, self.root_identity)
            .with_secrets(known_secrets())
            .with_mode(args.mode)
            .with_eager(args.eager)
            .with_max_steps(args.max_steps.get())
            .with_budget(args.budget.limits(args.max_steps))
            .with_prices(self.prices)
            .with_streaming(stream != Stream::None);
        let agent = match &args.instructions {
            Some(text) => agent.with_instructions(text),
            None => agent,
        };
        let agent = with_parallel(agent, args.max_parallel);
        let vars = args.vars.iter().cloned();
        let agent = vars.fold(agent, |agent, (name, value)| agent.with_preset(name, value));
        let agent = match self.user {
            Some(user) => agent.with_user(user),
            None => agent,
        };
        let agent = match self.place.spills() {
            Some(spills) => agent.with_spill(spills),
            None => agent,
        };
        let agent = match self.manifest {
            Some(manifest) => {
                let (tools, provider) = (self.tools, self.provider);
                manifest::equip(agent, tools, manifest, args.dialect, provider, store)
            }
            None => agent.with_tools(self.tools),
        };
        let watched = if args.json { args.call_text } else { lock(&screen).shows_calls() };
        let agent = if watched { agent.with_call_text() } else { agent };

        let cancel = CancellationToken::new();
        let interruption = interrupt::watch(cancel.clone())
            .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
        let scope = Scope::new(&*self.conversation).with_cancellation(cancel);
        let quiet = printer.is_some();
        let mut show = |output: RunEventRef<'_>| match printer {
            Some(printer) => printer.show(output),
            None => lock(&screen).show(output),
        };
        self.task.prepare(&agent, &*opened.store(), &scope).await?;
        let ended = {
            let run = self.task.perform(&agent, scope, &mut show);
            tokio::pin!(run);
            loop {
                tokio::select! {
                    ended = &mut run => break ended,
                    () = tokio::time::sleep(SECOND), if !quiet => lock(&screen).tick(SECOND),
                }
            }
        };
        let written = match printer {
            Some(printer) => printer.finish(),
            None => lock(&screen).finish(),
        };
        let begun = !matches!(&ended, Err(error) if error.kind() == ErrorKind::Refused);
        let kept = begun && matches!(self.place, StorePlace::Folder(_));
        if !quiet && !self.is_named && kept {
            let id = &self.conversation;
            lock(&screen)
                .show_line(&format!("conversation {id}: continue with --conversation {id}"));
        }
        if let (false, Some(replayed)) = (quiet, self.task.replayed()) {
            let id = &self.conversation;
            lock(&screen).end_replay(&format!("{replayed} {id}"));
        }
        match ended {
            Ok(RunOutcome::Answered) => {
                failure::written(written)?;
                damage::found(&opened.known_damage().await?)
            }
            Ok(RunOutcome::Interrupted) => Err(interruption.failure()),
            Ok(RunOutcome::Waiting(questions)) => {
                failure::written(written)?;
                Err(answer::waiting(&self.conversation, &questions))
            }
            Err(error) => Err(failed(&self.model, &error)),
        }
    }
}

/// Sets how many calls may run at once.
fn with_parallel(agent: Agent, most: Option<NonZeroUsize>) -> Agent {
    let Some(most) = most else { return agent };
    let mut options = agent.options().clone();
    options.plan.max_parallel = most.get();
    options.runner.max_parallel = most;
    agent.with_options(options)
}

/// The notice at the start of a run with the rehearsal model.
const REHEARSAL: &str =
    "rehearsal model: rules, no LLM. A real one: --model openai:MODEL or compatible:URL#MODEL";

const SECOND: Duration = Duration::from_secs(1);

fn failed(model: &str, error: &Error) -> Failure {
    let message = error_chain(error) + model::hint(model, error);
    let failure = match error.kind() {
        ErrorKind::Refused => Failure::given(message),
        _ => Failure::running(message),
    };
    failure.named(error.kind().as_str(), error.is_retryable())
}
