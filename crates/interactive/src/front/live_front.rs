//! The live screen of one run, with its questions and keys.

use std::io;
use std::sync::{Arc, Mutex};

use silcrow_console::attend::{self, AttendedRuns};
use silcrow_console::live::{Keyboard, LiveQuestion, LiveScreen, LiveTerminal};
use silcrow_console::options::TextPieces;
use silcrow_models::label;
use silcrow_session::{AgentSession, checked_out, shown_folder};
use tokio::sync::mpsc;

use super::walls;
use crate::console_options;
use crate::hook_lines::show_hooks;
use crate::options::AskOptions;

/// A live screen, and the run that is shown on it.
pub(super) struct LiveFront {
    pub(super) screen: Arc<Mutex<LiveScreen>>,
    pub(super) runs: AttendedRuns,
    pub(super) desk: mpsc::Sender<LiveQuestion>,
    /// The name of the model, as it is shown.
    pub(super) label: String,
    /// The lines before the run.
    pub(super) notices: Vec<String>,
}

impl LiveFront {
    /// Prepares a screen on a terminal, with the keys of this process.
    pub(super) fn new(
        options: &AskOptions,
        pieces: TextPieces,
        session: &AgentSession,
        terminal: LiveTerminal,
    ) -> Self {
        let label = label(session.setup().model()).to_owned();
        let console = console_options::live(&options.show, pieces, session.price());
        let mut screen = LiveScreen::new(&label, terminal, &console);
        let folder = shown_folder(&options.session.root);
        screen.set_attention(options.show.notify.unwrap_or_default(), &folder);
        let root = options.session.root.clone();
        screen.set_place(&folder, move || checked_out(&root));
        screen.set_walls(walls(session));
        screen.set_pauses(session.retry_line());
        let screen = Arc::new(Mutex::new(screen));
        if !options.show.quiet {
            let shown = Arc::clone(&screen);
            show_hooks(session, move |line| attend::lock(&shown).show_line(line));
        }
        let (desk, questions) = mpsc::channel(MOST_QUESTIONS);
        let runs =
            AttendedRuns::new(Arc::clone(&screen), questions).with_mode_key(session.mode().key());
        Self { screen, runs, desk, label, notices: session.setup().notices() }
    }

    /// Sets the function that opens the keyboard.
    pub(super) fn with_keys(
        self,
        keys: impl FnMut() -> io::Result<Keyboard> + Send + 'static,
    ) -> Self {
        Self { runs: self.runs.with_keys(keys), ..self }
    }
}

/// The number of questions that may wait for the screen.
const MOST_QUESTIONS: usize = 16;
