//! The beginning of a session.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use silcrow_console::attend::AttendedRuns;
use silcrow_console::interrupt;
use silcrow_console::live::{LiveScreen, LiveTerminal};
use silcrow_console::options::TextPieces;
use silcrow_session::{RunTarget, SessionSetup, shown_folder, today};
use silcrow_term::{Line, Style, TextRole};
use silcrow_tool::CancellationToken;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::complete::{KnownConversations, LineHelper};
use super::editor::LineEditor;
use super::known_servers::KnownServers;
use super::mode::LineMode;
use super::store_reading::StoreReading;
use super::{ChatSession, RunCommand, history, make, quiet};
use crate::args::ChatArgs;
use crate::console_options;
use crate::damage::ToldDamage;
use crate::failure::Failure;
use crate::host::host;
use crate::mcp::PersonElicitor;
use crate::model;
use crate::options::AskOptions;
use crate::run::walls;

impl ChatSession {
    /// Opens the store and the terminal, and shows the first lines.
    pub(super) async fn open(
        typed: &ChatArgs,
        args: AskOptions,
        run_command: RunCommand,
    ) -> Result<Self, Failure> {
        let quiet = quiet()?;
        let setup = SessionSetup::check(args.session.clone(), &host())?;
        let mut session = setup.open_unread().await?;
        let mut reading = StoreReading::begin(&session);
        let pieces = args.stream.unwrap_or(TextPieces::Token);
        let mut options = console_options::live(&args.show, pieces, session.price());
        options.whole = "/diff";
        let model = model::label(session.setup().model()).to_owned();
        let mut screen = LiveScreen::new(&model, LiveTerminal::of_process(), &options);
        screen.set_walls(walls(&session));
        let cancel = CancellationToken::new();
        let interruption = interrupt::watch(cancel.clone())
            .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
        let target = match &typed.conversation {
            Some(id) => RunTarget::Existing(id.clone()),
            None if typed.continue_last => RunTarget::Latest,
            None => RunTarget::Fresh,
        };
        let is_new = matches!(target, RunTarget::Fresh);
        if !is_new || session.learns() {
            reading.finish(&session).await?;
        }
        session.read_profile().await;
        let after = session.after_run();
        let conversation = session.resolve(&target).await?;
        if !args.show.quiet {
            screen.show_lines(&[header(&model, &args, &conversation, is_new)]);
            let notices = session.setup().notices();
            notices.iter().for_each(|notice| screen.show_line(notice));
        }
        screen.draw();
        let screen = Arc::new(Mutex::new(screen));
        let (desk, questions) = mpsc::channel(MOST_QUESTIONS);
        let runs =
            AttendedRuns::new(Arc::clone(&screen), questions).with_mode_key(session.mode().key());
        let conversations = KnownConversations {
            store: session.store(),
            user: session.user().map(str::to_owned),
            current: conversation.clone(),
            runtime: Handle::current(),
        };
        let servers = session.begin_servers(PersonElicitor::live(&desk));
        let helper = LineHelper {
            root: args.session.root.clone(),
            conversations,
            servers: KnownServers::new(servers.clone(), Handle::current()),
            theme: options.theme,
            mode: LineMode::new(session.mode()),
            is_confirming: false,
        };
        let editor = LineEditor::new(helper, history::file(session.place(), &args.session.root))
            .map_err(|error| {
                Failure::running(format!("cannot read lines from the terminal: {error}"))
            })?;
        let agent = make(&session, &args, &desk);
        Ok(Self {
            run_command,
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
            editor: Some(editor),
            conversation,
            queue: VecDeque::new(),
            draft: String::new(),
            quiet,
            cancel,
            interruption,
        })
    }
}

/// Returns the first line of a session.
fn header(model: &str, args: &AskOptions, conversation: &str, is_new: bool) -> Line {
    let begins = if is_new { "new conversation" } else { "conversation" };
    Line::styled("silcrow", Style::of(TextRole::Heading))
        .with(&format!(" {}", env!("CARGO_PKG_VERSION")), Style::PLAIN.dim())
        .with(&format!("  {model}"), Style::PLAIN.bold())
        .with(&format!("  {}", shown_folder(&args.session.root)), Style::PLAIN)
        .with(&format!("  {begins} {conversation}"), Style::PLAIN.dim())
        .with("  /help", Style::of(TextRole::Accent))
}

/// The number of questions that may wait for the screen.
const MOST_QUESTIONS: usize = 16;
