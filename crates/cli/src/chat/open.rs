//! The beginning of a session.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use silcrow_console::attend::AttendedRuns;
use silcrow_console::interrupt;
use silcrow_console::live::{LiveScreen, LiveTerminal};
use silcrow_exec::CancellationToken;
use silcrow_term::{Line, Style, TextRole};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::complete::{KnownConversations, LineHelper};
use super::editor::LineEditor;
use super::known_servers::KnownServers;
use super::mode::LineMode;
use super::store_reading::StoreReading;
use super::{ChatSession, history, make, quiet};
use crate::args::{ChatArgs, Stream};
use crate::console_options;
use crate::damage::ToldDamage;
use crate::failure::Failure;
use crate::mcp::PersonElicitor;
use crate::model;
use crate::options::AskOptions;
use crate::run_target::RunTarget;
use crate::setup::AgentSetup;
use crate::surroundings::{shown_folder, today};

impl ChatSession {
    /// Opens the store and the terminal, and shows the first lines.
    pub(super) async fn open(typed: &ChatArgs, args: AskOptions) -> Result<Self, Failure> {
        let quiet = quiet()?;
        let mut setup = AgentSetup::new(&args)?;
        let place = setup.place.clone();
        let opened = setup.open_unread().await?;
        let mut reading = StoreReading::begin(&place, &opened);
        let stream = args.stream.unwrap_or(Stream::Token);
        let mut options = console_options::live(&args.show, stream, setup.price());
        options.whole = "/diff";
        let model = model::label(&setup.model).to_owned();
        let mut screen = LiveScreen::new(&model, LiveTerminal::of_process(), &options);
        screen.set_walls(setup.walls());
        let mode = setup.session_mode().clone();
        let cancel = CancellationToken::new();
        let interruption = interrupt::watch(cancel.clone())
            .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
        let target = match &typed.conversation {
            Some(id) => RunTarget::Existing(id.clone()),
            None if typed.continue_last => RunTarget::Latest,
            None => RunTarget::Fresh,
        };
        let is_new = matches!(target, RunTarget::Fresh);
        let user = setup.user.clone();
        let store = opened.store();
        if !is_new || setup.learns() {
            reading.finish(&place, &opened).await?;
        }
        setup.read_profile(&*store).await;
        let after = setup.after_run(&args, &store);
        let conversation = target.resolve(&*store, user.as_deref(), &args.root).await?;
        if !args.show.quiet {
            screen.show_lines(&[header(&model, &args, &conversation, is_new)]);
            setup.notices().iter().for_each(|notice| screen.show_line(notice));
        }
        screen.draw();
        let screen = Arc::new(Mutex::new(screen));
        let (desk, questions) = mpsc::channel(MOST_QUESTIONS);
        let runs = AttendedRuns::new(Arc::clone(&screen), questions).with_mode_key(mode.key());
        let conversations = KnownConversations {
            store,
            user: user.clone(),
            current: conversation.clone(),
            runtime: Handle::current(),
        };
        let servers = setup.begin_servers(&args.root, PersonElicitor::live(&desk));
        let helper = LineHelper {
            root: args.root.clone(),
            conversations,
            servers: KnownServers::new(servers.clone(), Handle::current()),
            theme: options.theme,
            mode: LineMode::new(&mode),
            is_confirming: false,
        };
        let editor =
            LineEditor::new(helper, history::file(&place, &args.root)).map_err(|error| {
                Failure::running(format!("cannot read lines from the terminal: {error}"))
            })?;
        let setup_processes = setup.processes().clone();
        let agent = make(setup, &args, &opened, &desk);
        Ok(Self {
            args,
            place,
            opened,
            reading,
            damage: ToldDamage::default(),
            processes: setup_processes,
            mode,
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
            user,
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
        .with(&format!("  {}", shown_folder(&args.root)), Style::PLAIN)
        .with(&format!("  {begins} {conversation}"), Style::PLAIN.dim())
        .with("  /help", Style::of(TextRole::Accent))
}

/// The number of questions that may wait for the screen.
const MOST_QUESTIONS: usize = 16;
