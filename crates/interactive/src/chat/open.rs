//! The beginning of a session.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use silcrow_console::AskedTerminal;
use silcrow_console::attend::AttendedRuns;
use silcrow_console::edit::PromptEditor;
use silcrow_console::interrupt;
use silcrow_console::live::LiveScreen;
use silcrow_console::options::TextPieces;
use silcrow_models::label;
use silcrow_session::servers::RunServers;
use silcrow_session::{
    AgentSession, RunTarget, SessionHost, SessionSetup, ToldDamage, checked_out, shown_folder,
    today,
};
use silcrow_term::{Line, Style, TextRole};
use silcrow_tool::CancellationToken;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::editor::LineEditor;
use super::file_index::FileIndex;
use super::helper::{CurrentConversation, KnownConversations, LineHelper};
use super::hooked::ChatHooks;
use super::known_servers::KnownServers;
use super::mode::{KeptMode, LineMode};
use super::own_prompts::own_names;
use super::pasted_pictures::PastedPictures;
use super::store_reading::StoreReading;
use super::subagents::SubagentUsage;
use super::terminal::{ChatTerminal, KeyboardSource};
use super::typed_prompt::PromptReader;
use super::{ChatOptions, ChatSession, make, quiet, typed_lines};
use crate::console_options;
use crate::elicitor::PersonElicitor;
use crate::error::Error;
use crate::front::walls;
use crate::options::AskOptions;

impl ChatSession {
    /// Opens the store and the terminal, and shows the first lines.
    pub(super) async fn open(
        args: AskOptions,
        chat: ChatOptions,
        terminal: ChatTerminal,
        host: &Arc<dyn SessionHost>,
    ) -> Result<Self, Error> {
        let owns_terminal = terminal.is_process();
        let quiet = quiet(owns_terminal)?;
        let mut args = args;
        args.session.patience = PATIENCE;
        let asked = owns_terminal.then(AskedTerminal::begin).flatten();
        let setup = SessionSetup::check(args.session.clone(), host)?;
        let mut session = setup.open_unread().await?;
        let mut reading = StoreReading::begin(&session);
        let pieces = args.stream.unwrap_or(TextPieces::Token);
        let model = label(session.setup().model()).to_owned();
        let typed = asked.map(AskedTerminal::finish).unwrap_or_default();
        let mut options = console_options::live(&args.show, pieces, session.price());
        options.whole = "/diff";
        let mut screen = LiveScreen::new(&model, terminal.screen, &options);
        let folder = shown_folder(&args.session.root);
        screen.set_attention(args.show.notify.unwrap_or_default(), &folder);
        let root = args.session.root.clone();
        screen.set_place(&folder, move || checked_out(&root));
        screen.set_walls(walls(&session));
        screen.set_pauses(session.retry_line());
        let cancel = CancellationToken::new();
        let interruption = interrupt::watch(cancel.clone())
            .map_err(|error| Error::failed(format!("cannot wait for Ctrl-C: {error}")))?;
        let is_new = matches!(chat.target, RunTarget::Fresh);
        if !is_new || session.learns() {
            reading.finish(&session).await?;
        }
        session.read_profile().await;
        let after = session.after_run();
        let conversation = session.resolve(&chat.target).await?;
        if !args.show.quiet {
            screen.show_lines(&[header(&chat, &model, &args, &conversation)]);
            let notices = session.setup().notices();
            notices.iter().for_each(|notice| screen.show_line(notice));
        }
        screen.draw();
        let screen = Arc::new(Mutex::new(screen));
        let (desk, questions) = mpsc::channel(MOST_QUESTIONS);
        let runs =
            AttendedRuns::new(Arc::clone(&screen), questions).with_mode_key(session.mode().key());
        let runs = runs.with_handover(interruption.handover());
        let keys = Arc::clone(&terminal.keys);
        let runs = runs.with_keys(move || keys());
        let servers = session.begin_servers(PersonElicitor::live(&desk));
        let pasted = PastedPictures::default();
        let lines = match terminal.lines {
            Some(lines) => lines,
            None => editor(
                &session,
                (&servers, args.show.has_vi_keys, &pasted),
                &conversation,
                &screen,
                &terminal.keys,
            ),
        };
        let agent = make(&session, &args, &desk, &screen, interruption.handover());
        let kept_mode = KeptMode::new(session.mode().mode());
        Ok(Self {
            run_command: chat.run_command,
            host: Arc::clone(host),
            keys: terminal.keys,
            args,
            session,
            reading,
            damage: ToldDamage::default(),
            model,
            agent,
            servers,
            tells_servers: true,
            after,
            aftermath: None,
            day: today(),
            runs,
            desk,
            screen,
            lines: Some(lines),
            conversation,
            kept_mode,
            hooks: ChatHooks::default(),
            used: SubagentUsage::default(),
            queue: VecDeque::new(),
            own: Vec::new(),
            pasted,
            draft: typed,
            quiet,
            owns_terminal,
            cancel,
            interruption,
        })
    }
}

/// Returns the editor of lines on the terminal of this process.
fn editor(
    session: &AgentSession,
    (servers, has_vi_keys, pasted): (&RunServers, bool, &PastedPictures),
    conversation: &str,
    screen: &Arc<Mutex<LiveScreen>>,
    keys: &KeyboardSource,
) -> Box<dyn PromptReader> {
    let (runtime, root) = (Handle::current(), &session.options().root);
    let helper = LineHelper {
        root: root.clone(),
        conversations: KnownConversations {
            store: session.store(),
            user: session.user().map(str::to_owned),
            current: CurrentConversation::new(conversation),
            runtime: runtime.clone(),
        },
        index: FileIndex::new(root),
        servers: KnownServers::new(servers.clone(), runtime.clone()),
        own: own_names(session.skills()).collect(),
        mode: LineMode::new(session.mode()),
        has_vi_keys,
        pasted: pasted.clone(),
    };
    let (screen, keys) = (Arc::clone(screen), Arc::clone(keys));
    let history = typed_lines::file(session.place(), root);
    Box::new(LineEditor::new(helper, move |helper| {
        PromptEditor::new(screen, move || keys(), helper, history, runtime)
    }))
}

/// Returns the first line of a session.
fn header(chat: &ChatOptions, model: &str, args: &AskOptions, conversation: &str) -> Line {
    let is_new = matches!(chat.target, RunTarget::Fresh);
    let begins = if is_new { "new conversation" } else { "conversation" };
    Line::styled(&chat.name, Style::new(TextRole::Heading))
        .with_text(&format!(" {}", chat.version), Style::PLAIN.dim())
        .with_text(&format!("  {model}"), Style::PLAIN.bold())
        .with_text(&format!("  {}", shown_folder(&args.session.root)), Style::PLAIN)
        .with_text(&format!("  {begins} {conversation}"), Style::PLAIN.dim())
        .with_text("  /help", Style::new(TextRole::Accent))
}

/// The time for which an overloaded model is asked again while a person waits.
const PATIENCE: Duration = Duration::from_secs(300);

/// The number of questions that may wait for the screen.
const MOST_QUESTIONS: usize = 16;
