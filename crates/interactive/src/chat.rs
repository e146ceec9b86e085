//! A chat at a terminal: prompts, the runs that answer them, and slash commands.
//!
//! A chat reads a prompt, runs the agent on it while the person watches, and reads the next one, until the
//! person leaves.
//!
//! ```text
//!            ┌──────────────── the run has ended ───────────────┐
//!            ▼                                                  │
//! a line is read ─► a prompt ─► the run, its questions, what is typed meanwhile
//!        │  ▲
//!        ▼  └─ a slash command
//!     the end
//! ```
//!
//! [`ChatTerminal`] is its terminal, [`PromptReader`] reads the lines, and [`CommandRunner`] runs
//! slash commands that need more than the session, such as `/log`. `commands` runs the others.

mod attaching;
mod begins;
mod candidate;
mod clipboard;
mod commands;
mod context_bar;
mod during_run;
mod editor;
mod file_index;
mod forking;
mod handover;
mod help;
mod helper;
mod hooked;
mod image;
mod known_servers;
mod line;
mod memory;
mod mode;
mod models;
mod open;
mod own_command;
mod own_prompts;
mod pasted_pictures;
mod pick;
mod ps;
mod ready;
mod resumed;
mod rewinding;
mod run_elsewhere;
mod running;
mod said;
mod server_prompts;
mod slash;
mod store_reading;
mod stored_prompts;
mod subagents;
mod terminal;
mod typed_lines;
mod typed_prompt;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::civil::Date;
use silcrow_agent::Agent;
use silcrow_console::approve::{QuestionDesk, TerminalApprover};
use silcrow_console::attend::{AttendedRuns, lock};
use silcrow_console::handover::Handover;
use silcrow_console::interrupt::Interruption;
use silcrow_console::live::{LiveQuestion, LiveScreen, QuietTerminal};
use silcrow_session::prompt::Attachment;
use silcrow_session::servers::RunServers;
use silcrow_session::{
    AfterRun, AgentSession, RunTarget, SessionHost, ToldDamage, finish_telemetry, start_telemetry,
};
use silcrow_tool::CancellationToken;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

pub use begins::{ChatOptions, CommandRunner};
pub use terminal::ChatTerminal;
pub use typed_prompt::{PromptReader, TypedPrompt};

use hooked::ChatHooks;
use mode::KeptMode;
use pasted_pictures::PastedPictures;
use slash::{SlashCommand, is_command};
use store_reading::StoreReading;
use subagents::SubagentUsage;
use terminal::KeyboardSource;

use crate::approver::{PersonRules, WatchedMode};
use crate::error::Error;
use crate::hook_lines::show_hooks;
use crate::options::AskOptions;

/// Opens a session, and chats until the person leaves. A signal ends it, and the terminal shows any
/// other error of a prompt.
///
/// The crate's first page has an example.
///
/// # Errors
///
/// Fails if an option cannot be used, if the store or the terminal cannot be opened, or if a signal ends
/// the chat.
///
/// # Panics
///
/// The future panics outside a tokio runtime.
pub async fn chat(
    options: AskOptions,
    chat: ChatOptions,
    terminal: ChatTerminal,
    host: &Arc<dyn SessionHost>,
) -> Result<(), Error> {
    start_telemetry(&options.session.telemetry, &**host);
    let (is_verbose, picks) = (options.show.verbose, chat.picks);
    let continues = !matches!(chat.target, RunTarget::Fresh);
    let (first, is_quiet) = (chat.first.clone(), options.show.quiet);
    let mut session = ChatSession::open(options, chat, terminal, host).await?;
    if picks {
        session.pick().await?;
    }
    match (picks || continues, is_quiet) {
        (true, true) => session.use_kept_mode().await?,
        (true, false) => session.show_or_follow().await?,
        (false, _) => {}
    }
    session.queue.extend(first);
    let done = session.work().await;
    if done.is_ok() {
        session.leave_mode().await;
        session.hook_end().await;
    }
    if done.is_err() {
        // The thread that reads a line ends with the process, and does not leave the terminal by itself.
        silcrow_console::live::restore();
    }
    lock(&session.screen).leave();
    session.servers.close().await;
    drop(session);
    finish_telemetry().await.iter().filter(|_| is_verbose).for_each(|line| host.notice(line));
    done
}

/// A session and the conversation that it is in.
struct ChatSession {
    run_command: Option<CommandRunner>,
    host: Arc<dyn SessionHost>,
    keys: KeyboardSource,
    args: AskOptions,
    /// The store, the rules and the mode. Another one takes its place when the settings change, with the
    /// same store, servers and mode.
    session: AgentSession,
    reading: StoreReading,
    damage: ToldDamage,
    /// The name of the model, as it is shown.
    model: String,
    agent: Agent,
    /// The MCP servers of the session, for all of its agents.
    servers: RunServers,
    /// Whether the lines about missing servers are still to be shown.
    tells_servers: bool,
    after: Option<AfterRun>,
    /// The work of models beside the next prompts, with lines about it at its end.
    aftermath: Option<JoinHandle<Vec<String>>>,
    /// The last day that the model was given.
    day: Date,
    runs: AttendedRuns,
    desk: mpsc::Sender<LiveQuestion>,
    screen: Arc<Mutex<LiveScreen>>,
    /// The reader of lines, except while it reads on another thread.
    lines: Option<Box<dyn PromptReader>>,
    conversation: String,
    kept_mode: KeptMode,
    hooks: ChatHooks,
    used: SubagentUsage,
    /// The prompts that wait until the run is over.
    queue: VecDeque<String>,
    /// The output of commands of the person, for the next prompt.
    own: Vec<Attachment>,
    /// The pictures of the clipboard, for the next prompt.
    pasted: PastedPictures,
    /// The text with which the next line begins.
    draft: String,
    /// Keeps the keys that are typed while nobody reads, except for other commands.
    quiet: Option<QuietTerminal>,
    /// Whether it is the terminal of this process.
    owns_terminal: bool,
    cancel: CancellationToken,
    interruption: Interruption,
}

/// Whether a session continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionStep {
    Continue,
    Leave,
    /// The terminal is gone.
    HangUp,
}

impl ChatSession {
    /// Reads and runs prompts until the person leaves.
    async fn work(&mut self) -> Result<(), Error> {
        loop {
            if self.cancel.is_cancelled() {
                return Err(Error::interrupted(self.interruption.signal()));
            }
            self.tell_aftermath().await;
            self.tell_damage().await;
            let (text, replaces_last) = match self.queue.pop_front() {
                Some(text) => {
                    self.show_prompt(&text);
                    (text, false)
                }
                None => match self.read().await? {
                    TypedPrompt::Text { text, replaces_last } => (text, replaces_last),
                    TypedPrompt::Interrupted => {
                        self.say("Ctrl-D leaves the session");
                        continue;
                    }
                    TypedPrompt::End => return Ok(()),
                },
            };
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let own = own_command::typed(text);
            let step = match own {
                _ if is_command(text) => self.command(text).await,
                Some(command) => self.run_own(command).await,
                None => {
                    if replaces_last {
                        self.step_back().await?;
                    }
                    self.run(text).await
                }
            };
            match step {
                Ok(SessionStep::Continue) => {}
                Ok(SessionStep::Leave) => return Ok(()),
                Ok(SessionStep::HangUp) => return Err(Error::hung_up()),
                Err(failure) => self.fail(failure.message()),
            }
        }
    }

    /// Lets the person pick the conversation that continues.
    async fn pick(&mut self) -> Result<(), Error> {
        self.finish_reading().await?;
        let store = self.session.store();
        let picked = pick::pick(&*store, self.session.user(), &self.screen, &self.keys).await?;
        self.queue.extend(picked.sent);
        if let Some(id) = picked.id {
            self.say(&format!("conversation {id}"));
            self.conversation = id;
        }
        self.draft = lock(&self.screen).take_draft();
        Ok(())
    }

    /// Begins to learn the profile and to name the conversation, unless that is still at work.
    fn begin_aftermath(&mut self) {
        if let (Some(after), None) = (&self.after, &self.aftermath) {
            let (after, conversation) = (after.clone(), self.conversation.clone());
            let work = async move { after.work(&conversation, PATIENCE_FOR_TITLE).await };
            self.aftermath = Some(tokio::spawn(work));
        }
    }

    /// Shows the work of models beside the last prompts, once it is over.
    async fn tell_aftermath(&mut self) {
        let Some(work) = self.aftermath.take_if(|work| work.is_finished()) else { return };
        for line in work.await.unwrap_or_default() {
            self.say(&line);
        }
    }
}

/// Keeps the terminal of this process from echoing keys while nobody reads.
fn quiet(owns_terminal: bool) -> Result<Option<QuietTerminal>, Error> {
    let quiet = owns_terminal.then(QuietTerminal::begin).transpose();
    quiet.map_err(|error| Error::failed(format!("cannot use the terminal: {error}")))
}

/// Makes an agent that asks its questions on the live screen, which also shows the hooks.
fn make(
    session: &AgentSession,
    args: &AskOptions,
    desk: &mpsc::Sender<LiveQuestion>,
    screen: &Arc<Mutex<LiveScreen>>,
    handover: &Handover,
) -> Agent {
    if !args.show.quiet {
        let screen = Arc::clone(screen);
        show_hooks(session, move |line| lock(&screen).show_line(line));
    }

    let person = TerminalApprover::new(QuestionDesk::Live(desk.clone()))
        .with_allowed_tools(session.allowed().clone())
        .with_unasked(args.on_question)
        .with_rule_keeper(session.kept_rules().map(|rules| Arc::new(PersonRules::new(rules)) as _))
        .with_mode_watch(Arc::new(WatchedMode::new(session.mode())))
        .with_handover(handover);
    session.agent(person).with_call_text()
}

/// The longest time that the request for a title takes beside the next prompts.
const PATIENCE_FOR_TITLE: Duration = Duration::from_secs(60);
